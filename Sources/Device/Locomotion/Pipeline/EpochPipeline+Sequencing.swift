// The order of events. A fix comes before the first acceleration that is not earlier than it; one
// that is ahead of the accelerations waits for them.
extension EpochPipeline {
  /// Takes in a batch from `place` on until it closes an epoch, which is returned and whose windows
  /// must be cut before the next call; nil at the end of the batch.
  mutating func nextEpoch(of batch: SensorBatch, from place: inout BatchPlace) -> ClosedEpoch? {
    let (accelerations, rates) = (batch.accelerations, batch.rotationRates)
    let pressures = batch.pressures
    while closed.isEmpty {
      guard place.step == .validate else {
        ingest(accelerations, at: &place)
        continue
      }
      let acceleration = dueTime(place.acceleration, of: accelerations.timestamps)
      let rate = dueTime(place.rate, of: rates.timestamps)
      let pressure = dueTime(place.pressure, of: pressures.timestamps)
      let fix = batch.dueTimeOfFix(place.fix)
      let other = earlier(rate, pressure)
      if let fix, fix <= earlier(acceleration, other) ?? fix {
        ingest(batch.fixes[place.fix])
        place.fix += 1
      } else if let acceleration, acceleration <= other ?? acceleration {
        let run = ingestRun(of: accelerations, from: place.acceleration, before: fix, upTo: other)
        place.acceleration += run
        if run == 0 { ingest(accelerations, at: &place) }
      } else if let rate, rate <= pressure ?? rate {
        rotation.append(
          x: rates.x[place.rate], y: rates.y[place.rate], z: rates.z[place.rate],
          at: rates.timestamps[place.rate])
        place.rate += 1
      } else if pressure != nil {
        ingest(pressures.hectopascals[place.pressure], at: pressures.timestamps[place.pressure])
        place.pressure += 1
      } else {
        return nil
      }
    }
    return takeClosed()
  }

  /// Closes the current epoch and those of the fixes that wait, at the end of a recording.
  mutating func closeLastEpochs() {
    releaseAll()
    closeEpoch(location: predictedLocation())
    // What is left has a time in the future.
    while !waiting.isEmpty { process(waiting.remove(at: 0), mayOpenEpoch: false) }
  }

  // MARK: Accelerations

  /// Takes in an acceleration, or as many steps of that as close no epoch: the next one would
  /// change the cells that are in its window.
  private mutating func ingest(_ series: SensorBatch.Series, at place: inout BatchPlace) {
    let (x, y, z) = (
      series.x[place.acceleration], series.y[place.acceleration], series.z[place.acceleration]
    )
    let timestamp = series.timestamps[place.acceleration]
    let first = grid.heldTimestamp ?? timestamp
    repeat {
      switch place.step {
      case .validate:
        switch grid.validate(x: x, y: y, z: z, at: timestamp) {
        case .dropped, .held: return place.passAcceleration()
        case .continues: place.step = .append
        case .resumes:
          bridgeGap()
          closeEpochs(before: first)
          place.step = .append
        case .begins: place.step = isSetBack(to: first) ? .leaveClock : .endStretch
        }
        // Fixes of the clock that is left.
        if place.step == .leaveClock { releaseAll() }
      case .leaveClock:
        rotation.resetGrid()
        place.step = .endStretch
      case .endStretch:
        let before = epoch.index
        advance(to: first, isSetBack: isSetBack(to: first))
        if epoch.index == before { epoch.cellsBeforeBreak += cellsOfEpoch() }
        place.step = .beginStretch
      case .beginStretch:
        beginStretch()
        place.step = .append
      case .append:
        grid.append(x: x, y: y, z: z, at: timestamp)
        advance(to: timestamp)
        waiting.noteAcceleration()
        return place.passAcceleration()
      }
    } while closed.isEmpty
  }

  /// Whether a stretch that begins at `first` shows that the clock of accelerations was set back.
  private func isSetBack(to first: Timestamp) -> Bool {
    grid.count > 0 && first < accelerationsEnd
  }

  /// Closes one by one the epochs that a gap spans, whose cells are filled.
  private mutating func closeEpochs(before first: Timestamp) {
    let last = Epoch.index(of: first)
    while let index = epoch.index, index < last {
      advance(to: Epoch.start(of: index + 1))
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
    let taken = grid.appendRun(of: series, from: first, before: limit)
    if taken > 0 { waiting.noteAcceleration() }
    return taken
  }

  /// The time up to which accelerations are on the grid.
  private var accelerationsEnd: Timestamp {
    Timestamp(nanoseconds: grid.nextCell * settings.resampler.period)
  }

  /// Makes the epoch of `timestamp` the current one, unless a fix ended it a moment ago.
  private mutating func advance(to timestamp: Timestamp, isSetBack: Bool = false) {
    let index = Epoch.index(of: timestamp)
    guard epoch.index != index else { return }
    if let current = epoch.index, index < current, !isSetBack {
      let lateness = Epoch.start(of: current).nanoseconds(since: timestamp)
      guard lateness > settings.longestAccelerationDelay else { return }
    }
    release(through: index - 1)
    if epoch.index != index { openEpoch(index, location: predictedLocation()) }
    release(through: index)
  }

  // MARK: Fixes

  private mutating func ingest(_ fix: LocationFix) {
    waiting.noteArrival(of: fix, delay: settings.longestAccelerationDelay)
    guard mayWait(fix) else {
      if !areAccelerationsLive { releaseAll() }
      return process(fix)
    }
    if waiting.isFull { process(waiting.remove(at: 0), mayOpenEpoch: false) }
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
    grid.count > 0 && !waiting.showsSilence(of: settings.longestAccelerationDelay)
  }

  /// Whether the epoch of an accepted fix becomes the current one: an earlier one only when fixes
  /// are on their own, so that their clock is the one that was set back.
  func opensEpoch(_ index: Int64) -> Bool {
    guard let current = epoch.index, index <= current else { return true }
    let lead = Epoch.start(of: current).nanoseconds(since: accelerationsEnd)
    return index < current && (grid.count == 0 || lead > settings.resampler.longestGap)
  }

  /// Processes the waiting fixes of epochs up to `last`; those before it open theirs.
  private mutating func release(through last: Int64) {
    var position = 0
    while position < waiting.fixes.count {
      if Epoch.index(of: waiting.fixes[position].timestamp) <= last {
        process(waiting.remove(at: position))
      } else {
        position += 1
      }
    }
  }

  /// Processes the waiting fixes, but for those that accelerations showed to be from the future.
  private mutating func releaseAll() {
    let latest = accelerationsEnd.advanced(byNanoseconds: settings.longestAccelerationDelay)
    var position = 0
    while position < waiting.fixes.count {
      if waiting.isNewerThanAccelerations(position)
        || waiting.fixes[position].timestamp <= latest
      {
        process(waiting.remove(at: position))
      } else {
        position += 1
      }
    }
  }
}

/// Where a batch is: the next event of each sensor.
struct BatchPlace {
  /// What is done next with the next acceleration.
  fileprivate enum Step { case validate, leaveClock, endStretch, beginStretch, append }

  fileprivate var (acceleration, rate, pressure, fix) = (0, 0, 0, 0)
  fileprivate var step = Step.validate

  fileprivate mutating func passAcceleration() {
    acceleration += 1
    step = .validate
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
