import Foundation
public import LocomotionSensing

/// A fault of real sensor streams; times are seconds since the stream's start.
public enum SensorFault: Sendable, Hashable {
  /// Accelerations of which one component is NaN or infinite.
  case notANumber(probability: Double)
  /// Accelerations that are far too large, m/s².
  case spikes(probability: Double, size: Float)
  /// Nothing is delivered from `from` to `to`.
  case gap(from: Double, to: Double)
  /// Samples and fixes that come twice with the same time.
  case duplicates(probability: Double)
  /// Samples that are swapped with the next one, so that time runs backwards.
  case swaps(probability: Double)
  /// The clock jumps by `by` seconds, forwards or backwards, at `at`.
  case clockStep(at: Double, by: Double)
  /// Every sample from `from` to `to` has the timestamp of the first of them.
  case stuckClock(from: Double, to: Double)
  /// Fixes whose accuracy is unknown.
  case unknownAccuracy(probability: Double)
  /// Fixes at latitude 0, longitude 0.
  case nullIsland(probability: Double)
  /// The receiver drags its position from `from` on, evenly to `metres` towards `bearing` at `to`,
  /// and snaps back in one fix; when `agrees`, its velocity says the same.
  case drag(from: Double, to: Double, metres: Double, bearing: Double, agrees: Bool)
  /// Positions scatter as between high houses, by a Gauss–Markov process of so many metres per axis
  /// and seconds; velocities and reported accuracies stay as they are.
  case scatter(deviation: Double, timeConstant: Double)
  /// Fixes without speeds, courses and accuracies, as most tracks in files have them.
  case positionsOnly
  /// Only one fix in so many seconds.
  case sparse(seconds: Double)
}

/// Injects faults into batches, deterministically by seed.
///
/// Faults are applied in the given order. Swaps act within each
/// batch, so that the result depends on the chunking: inject faults first, then compare chunkings.
public struct FaultInjector: Sendable {
  private var random: RandomStream
  private let start: Timestamp
  private let faults: [SensorFault]
  private var stuckAt: Timestamp?
  /// The scatter of the positions, in its own deviation, and the fix that it was for.
  private var scatter: (east: GaussMarkov, north: GaussMarkov, last: Timestamp)?
  /// The last fix that a sparse track has kept.
  private var kept: Timestamp?

  /// An injector for a stream that starts at `start`.
  public init(_ faults: [SensorFault], seed: UInt64, start: Timestamp) {
    self.faults = faults
    self.start = start
    random = RandomStream(seed: seed, stream: 7)
  }

  private struct Sample {
    var time: Timestamp
    var x: Float, y: Float, z: Float
  }

  /// The batch with faults.
  public mutating func damaged(_ batch: SensorBatch) -> SensorBatch {
    var accelerations = Self.samples(of: batch.accelerations)
    var rotations = Self.samples(of: batch.rotationRates)
    var fixes = batch.fixes
    for fault in faults {
      apply(fault, to: &accelerations, isAcceleration: true)
      apply(fault, to: &rotations, isAcceleration: false)
      apply(fault, to: &fixes)
    }
    var result = SensorBatch()
    for sample in accelerations {
      result.append(Acceleration(x: sample.x, y: sample.y, z: sample.z), at: sample.time)
    }
    for sample in rotations {
      result.append(RotationRate(x: sample.x, y: sample.y, z: sample.z), at: sample.time)
    }
    result.fixes = fixes
    return result
  }

  private static func samples(of series: SensorBatch.Series) -> [Sample] {
    (0..<series.count).map {
      Sample(time: series.timestamps[$0], x: series.x[$0], y: series.y[$0], z: series.z[$0])
    }
  }

  private mutating func apply(
    _ fault: SensorFault, to samples: inout [Sample], isAcceleration: Bool
  ) {
    switch fault {
    case .notANumber(let probability):
      guard isAcceleration else { return }
      for index in samples.indices where random.happens(probability) {
        switch Int(random.uniform() * 3) {
        case 0: samples[index].x = .nan
        case 1: samples[index].y = .infinity
        default: samples[index].z = -.infinity
        }
      }
    case .spikes(let probability, let size):
      guard isAcceleration else { return }
      for index in samples.indices where random.happens(probability) {
        samples[index].z += random.happens(0.5) ? size : -size
      }
    case .gap(let from, let to):
      samples.removeAll { isInside($0.time, from, to) }
    case .duplicates(let probability):
      var doubled: [Sample] = []
      for sample in samples {
        doubled.append(sample)
        if random.happens(probability) { doubled.append(sample) }
      }
      samples = doubled
    case .swaps(let probability):
      for index in samples.indices.dropLast() where random.happens(probability) {
        samples.swapAt(index, index + 1)
      }
    case .clockStep(let at, let by):
      for index in samples.indices where samples[index].time.seconds(since: start) >= at {
        samples[index].time = moved(samples[index].time, by)
      }
    case .stuckClock(let from, let to):
      for index in samples.indices where isInside(samples[index].time, from, to) {
        stuckAt = stuckAt ?? samples[index].time
        samples[index].time = stuckAt ?? samples[index].time
      }
    case .unknownAccuracy, .nullIsland, .drag, .scatter, .positionsOnly, .sparse:
      break
    }
  }

  private mutating func apply(_ fault: SensorFault, to fixes: inout [LocationFix]) {
    switch fault {
    case .gap(let from, let to):
      fixes.removeAll { isInside($0.timestamp, from, to) }
    case .duplicates(let probability):
      fixes = fixes.flatMap { random.happens(probability) ? [$0, $0] : [$0] }
    case .clockStep(let at, let by):
      for index in fixes.indices where fixes[index].timestamp.seconds(since: start) >= at {
        fixes[index].timestamp = moved(fixes[index].timestamp, by)
      }
    case .unknownAccuracy(let probability):
      for index in fixes.indices where random.happens(probability) {
        fixes[index].horizontalAccuracy = nil
      }
    case .nullIsland(let probability):
      for index in fixes.indices where random.happens(probability) {
        fixes[index].latitude = 0
        fixes[index].longitude = 0
      }
    case .drag(let from, let to, let metres, let bearing, let agrees):
      let direction = SIMD2(sin(bearing * .pi / 180), cos(bearing * .pi / 180))
      for index in fixes.indices where isInside(fixes[index].timestamp, from, to) {
        let seconds = fixes[index].timestamp.seconds(since: start) - from
        move(&fixes[index], by: direction * (metres * seconds / (to - from)))
        if agrees { turn(&fixes[index], by: direction * (metres / (to - from))) }
      }
    case .scatter(let deviation, let timeConstant):
      for index in fixes.indices {
        move(&fixes[index], by: deviation * scattered(at: fixes[index].timestamp, timeConstant))
      }
    case .positionsOnly:
      fixes = fixes.map {
        LocationFix(
          timestamp: $0.timestamp, latitude: $0.latitude, longitude: $0.longitude,
          altitude: $0.altitude)
      }
    case .sparse(let seconds):
      fixes = fixes.filter { fix in
        guard kept.map({ fix.timestamp.seconds(since: $0) >= seconds - 0.5 }) ?? true else {
          return false
        }
        kept = fix.timestamp
        return true
      }
    case .notANumber, .spikes, .swaps, .stuckClock:
      break
    }
  }

  /// Moves a fix by metres east and north.
  private func move(_ fix: inout LocationFix, by offset: SIMD2<Double>) {
    let degrees = Trajectory.degrees(offset, at: fix.latitude)
    fix.latitude += degrees.y
    fix.longitude += degrees.x
  }

  /// Adds a velocity, m/s east and north, to that of a fix.
  private func turn(_ fix: inout LocationFix, by wrong: SIMD2<Double>) {
    let angle = (fix.course ?? 0) * .pi / 180
    let velocity = wrong + (fix.speed ?? 0) * SIMD2(sin(angle), cos(angle))
    let course = atan2(velocity.x, velocity.y) * 180 / .pi
    fix.speed = (velocity * velocity).sum().squareRoot()
    fix.course = course < 0 ? course + 360 : course
  }

  private mutating func scattered(at time: Timestamp, _ timeConstant: Double) -> SIMD2<Double> {
    var state = scatter ?? (GaussMarkov(&random), GaussMarkov(&random), time)
    let interval = max(time.seconds(since: state.last), 0)
    let value = SIMD2(
      state.east.advance(interval, timeConstant: timeConstant, &random),
      state.north.advance(interval, timeConstant: timeConstant, &random))
    state.last = time
    scatter = state
    return value
  }

  private func isInside(_ time: Timestamp, _ from: Double, _ to: Double) -> Bool {
    let seconds = time.seconds(since: start)
    return seconds >= from && seconds < to
  }

  private func moved(_ time: Timestamp, _ seconds: Double) -> Timestamp {
    time.advanced(byNanoseconds: Int64((seconds * 1e9).rounded()))
  }
}
