package import LocomotionSensing

// The order of events. A fix comes before the first acceleration that is not earlier than it; one
// that is ahead of the accelerations waits for them.
extension EpochPipeline {
  /// Takes in a batch and appends what it completed to `output`.
  package mutating func ingest(
    _ batch: SensorBatch, windows: inout some WindowProcessor,
    into output: inout LocomotionOutput
  ) {
    let (accelerations, rates) = (batch.accelerations, batch.rotationRates)
    let pressures = batch.pressures
    var (nextAcceleration, nextRate, nextPressure, nextFix) = (0, 0, 0, 0)
    while true {
      let acceleration = dueTime(nextAcceleration, of: accelerations.timestamps)
      let rate = dueTime(nextRate, of: rates.timestamps)
      let pressure = dueTime(nextPressure, of: pressures.timestamps)
      let fix = batch.dueTimeOfFix(nextFix)
      let other = earlier(rate, pressure)
      if let fix, fix <= earlier(acceleration, other) ?? fix {
        ingest(batch.fixes[nextFix], windows: &windows, into: &output)
        nextFix += 1
      } else if let acceleration, acceleration <= other ?? acceleration {
        let run = ingestRun(of: accelerations, from: nextAcceleration, before: fix, upTo: other)
        nextAcceleration += run
        guard run == 0 else { continue }
        ingest(accelerations, at: nextAcceleration, windows: &windows, into: &output)
        nextAcceleration += 1
      } else if let rate, rate <= pressure ?? rate {
        rotation.append(
          x: rates.x[nextRate], y: rates.y[nextRate], z: rates.z[nextRate],
          at: rates.timestamps[nextRate])
        nextRate += 1
      } else if pressure != nil {
        ingest(pressures.hectopascals[nextPressure], at: pressures.timestamps[nextPressure])
        nextPressure += 1
      } else {
        break
      }
    }
  }

  /// Completes the current epoch and processes the fixes that wait, at the end of a recording.
  package mutating func finish(
    windows: inout some WindowProcessor, into output: inout LocomotionOutput
  ) {
    releaseAll(windows: &windows, into: &output)
    closeEpoch(location: predictedLocation(), windows: &windows, into: &output)
    // What is left has a time in the future.
    while !waiting.isEmpty {
      process(waiting.remove(at: 0), mayOpenEpoch: false, windows: &windows, into: &output)
    }
  }

  // MARK: Accelerations

  private mutating func ingest(
    _ series: SensorBatch.Series, at place: Int, windows: inout some WindowProcessor,
    into output: inout LocomotionOutput
  ) {
    let (x, y, z) = (series.x[place], series.y[place], series.z[place])
    let timestamp = series.timestamps[place]
    switch resampler.validate(x: x, y: y, z: z, at: timestamp) {
    case .dropped, .held:
      return
    case .begins:
      let first = resampler.heldTimestamp ?? timestamp
      let isSetBack = ring.count > 0 && first < accelerationsEnd
      // Fixes of the clock that was left.
      if isSetBack {
        releaseAll(windows: &windows, into: &output)
        rotation.resetGrid()
      }
      let before = epoch.index
      advance(to: first, isSetBack: isSetBack, windows: &windows, into: &output)
      if epoch.index == before { epoch.cellsBeforeBreak += cellsOfEpoch() }
      beginStretch()
    case .resumes:
      let first = resampler.heldTimestamp ?? timestamp
      bridgeGap()
      closeEpochs(before: first, windows: &windows, into: &output)
    case .continues:
      break
    }
    resampler.append(x: x, y: y, z: z, at: timestamp, to: &ring)
    advance(to: timestamp, windows: &windows, into: &output)
    waiting.noteAcceleration()
  }

  /// Closes one by one the epochs that a gap spans, whose cells are filled.
  private mutating func closeEpochs(
    before first: Timestamp, windows: inout some WindowProcessor,
    into output: inout LocomotionOutput
  ) {
    let last = Epoch.index(of: first)
    while let index = epoch.index, index < last {
      advance(to: Epoch.start(of: index + 1), windows: &windows, into: &output)
    }
  }

  /// Takes in the samples from `first` on that only continue the current epoch, and returns how
  /// many those are; all come before the time of the next fix and not after `other`, that of the
  /// next rate or pressure.
  private mutating func ingestRun(
    of series: SensorBatch.Series, from first: Int, before fix: Timestamp?, upTo other: Timestamp?
  ) -> Int {
    guard let index = epoch.index, series.timestamps[first] >= Epoch.start(of: index) else {
      return 0
    }
    var limit = Epoch.end(of: index)
    if let fix { limit = min(limit, fix) }
    if let other { limit = min(limit, other.advanced(byNanoseconds: 1)) }
    let range = first..<series.count
    let taken = resampler.appendRun(
      x: series.x[range].span, y: series.y[range].span, z: series.z[range].span,
      at: series.timestamps[range].span,
      before: limit, to: &ring)
    if taken > 0 { waiting.noteAcceleration() }
    return taken
  }

  /// The time up to which accelerations are on the grid.
  private var accelerationsEnd: Timestamp {
    Timestamp(nanoseconds: resampler.nextCell * settings.resampler.period)
  }

  /// Makes the epoch of `timestamp` the current one, unless a fix ended it a moment ago.
  private mutating func advance(
    to timestamp: Timestamp, isSetBack: Bool = false, windows: inout some WindowProcessor,
    into output: inout LocomotionOutput
  ) {
    let index = Epoch.index(of: timestamp)
    guard epoch.index != index else { return }
    if let current = epoch.index, index < current, !isSetBack {
      let lateness = Epoch.start(of: current).nanoseconds(since: timestamp)
      guard lateness > settings.longestAccelerationDelay else { return }
    }
    release(through: index - 1, windows: &windows, into: &output)
    if epoch.index != index {
      openEpoch(index, location: predictedLocation(), windows: &windows, into: &output)
    }
    release(through: index, windows: &windows, into: &output)
  }

  // MARK: Fixes

  private mutating func ingest(
    _ fix: LocationFix, windows: inout some WindowProcessor, into output: inout LocomotionOutput
  ) {
    waiting.noteArrival(of: fix, delay: settings.longestAccelerationDelay)
    guard mayWait(fix) else {
      if !areAccelerationsLive { releaseAll(windows: &windows, into: &output) }
      return process(fix, windows: &windows, into: &output)
    }
    if waiting.isFull {
      process(waiting.remove(at: 0), mayOpenEpoch: false, windows: &windows, into: &output)
    }
    waiting.append(fix)
  }

  /// Whether accelerations of the time before `fix` may still arrive.
  private func mayWait(_ fix: LocationFix) -> Bool {
    guard let current = epoch.index, fix.timestamp.isPlausible, areAccelerationsLive else {
      return false
    }
    let index = Epoch.index(of: fix.timestamp)
    return index > current && accelerationsEnd < Epoch.start(of: index)
  }

  /// Whether there are accelerations, and fixes have not gone on without them for long.
  private var areAccelerationsLive: Bool {
    ring.count > 0 && !waiting.showsSilence(of: settings.longestAccelerationDelay)
  }

  /// Whether the epoch of an accepted fix becomes the current one: an earlier one only when fixes
  /// are on their own, so that their clock is the one that was set back.
  func opensEpoch(_ index: Int64) -> Bool {
    guard let current = epoch.index, index <= current else { return true }
    let lead = Epoch.start(of: current).nanoseconds(since: accelerationsEnd)
    return index < current && (ring.count == 0 || lead > settings.resampler.longestGap)
  }

  /// Processes the waiting fixes of epochs up to `last`; those before it open theirs.
  private mutating func release(
    through last: Int64, windows: inout some WindowProcessor, into output: inout LocomotionOutput
  ) {
    var position = 0
    while position < waiting.fixes.count {
      if Epoch.index(of: waiting.fixes[position].timestamp) <= last {
        process(waiting.remove(at: position), windows: &windows, into: &output)
      } else {
        position += 1
      }
    }
  }

  /// Processes the waiting fixes, but for those that accelerations showed to be from the future.
  private mutating func releaseAll(
    windows: inout some WindowProcessor, into output: inout LocomotionOutput
  ) {
    let latest = accelerationsEnd.advanced(byNanoseconds: settings.longestAccelerationDelay)
    var position = 0
    while position < waiting.fixes.count {
      if waiting.isNewerThanAccelerations(position)
        || waiting.fixes[position].timestamp <= latest
      {
        process(waiting.remove(at: position), windows: &windows, into: &output)
      } else {
        position += 1
      }
    }
  }
}

// When the events of a batch take their turn. A time later than the next one of its sensor is a
// fault, or the last before a clock was set back: waiting for it would hold up what comes after.

/// The earlier of the times of a sample and the next one; nil behind the last.
private func dueTime(_ index: Int, of timestamps: [Timestamp]) -> Timestamp? {
  guard index < timestamps.count else { return nil }
  return min(timestamps[index], timestamps[min(index + 1, timestamps.count - 1)])
}

private func earlier(_ a: Timestamp?, _ b: Timestamp?) -> Timestamp? {
  guard let a, let b else { return a ?? b }
  return min(a, b)
}

extension SensorBatch {
  /// The earlier of the times of a fix and the next one; nil behind the last.
  fileprivate func dueTimeOfFix(_ index: Int) -> Timestamp? {
    guard index < fixes.count else { return nil }
    return min(fixes[index].timestamp, fixes[min(index + 1, fixes.count - 1)].timestamp)
  }
}
