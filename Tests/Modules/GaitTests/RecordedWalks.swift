import Foundation
import LocomotionGait
import LocomotionRecordings
import TestSupport

/// A real recording on a uniform 100 Hz grid, and the estimates for it.
struct RecordedWalk {
  /// The estimate at the end of one second.
  struct Answer {
    var end: Double
    var update: CadenceUpdate
  }

  /// Recording time of the first sample of the grid.
  var start: Double
  var samples: [SIMD4<Float>]

  /// Reads a recording of a data set and interpolates linearly to 100 Hz.
  init(_ name: String, of dataset: LabelledDataset) throws {
    var times: [Double] = []
    var forces: [SIMD3<Double>] = []
    var reader = try RecordingReader(path: "\(dataset.folder)/\(name).csv.gz")
    var batch = SensorBatch()
    while try reader.read(into: &batch) {
      let all = batch.accelerations
      for (index, time) in all.timestamps.map(\.seconds).enumerated() {
        let force = SIMD3(all.x[index], all.y[index], all.z[index])
        guard force.sum().isFinite, time > times.last ?? -.infinity else { continue }
        times.append(time)
        forces.append(SIMD3<Double>(force))
      }
    }
    start = ((times.first ?? 0) * 100).rounded(.up) / 100
    samples = []
    var segment = 0
    var index = 0
    while segment + 1 < times.count {
      let t = start + 0.01 * Double(index)
      while segment + 1 < times.count, times[segment + 1] < t { segment += 1 }
      guard segment + 1 < times.count else { break }
      let fraction = (t - times[segment]) / (times[segment + 1] - times[segment])
      let force = forces[segment] + fraction * (forces[segment + 1] - forces[segment])
      let norm = (force * force).sum().squareRoot()
      samples.append(SIMD4<Float>(SIMD4<Double>(force, norm)))
      index += 1
    }
  }

  /// Feeds the recording second by second, as a phone would.
  func answers(hint: GaitHint = .unknown) -> [Answer] {
    var estimator = CadenceEstimator()
    return (0..<samples.count / 100).map { second in
      let end = (second + 1) * 100
      let window = samples[max(0, end - 600)..<end].span
      return Answer(
        end: start + Double(second + 1), update: estimator.update(window: window, hint: hint))
    }
  }
}

/// Foot-switch times with the switches' faults corrected.
enum FootSwitches {
  /// Drops bounces and fills single misses.
  ///
  /// A contact sooner than 0.65 of the local median interval is a bounce; an interval of about two
  /// medians has missed one contact. Longer ones are pauses.
  static func cleaned(_ times: [Double]) -> [Double] {
    var kept: [Double] = []
    for time in times {
      if let last = kept.last, time - last < 0.65 * interval(around: time, in: times) { continue }
      kept.append(time)
    }
    var filled: [Double] = []
    for time in kept {
      if let last = filled.last {
        let ratio = (time - last) / interval(around: time, in: times)
        if ratio > 1.6 && ratio < 2.4 { filled.append((last + time) / 2) }
      }
      filled.append(time)
    }
    return filled
  }

  /// Steps per minute between `start` and `end`, or nil when the person paused.
  static func rate(of times: [Double], from start: Double, to end: Double) -> Double? {
    let inside = times.filter { $0 >= start && $0 < end }
    guard let first = inside.first, let last = inside.last, inside.count >= 3,
      first - start < 1.2, end - last < 1.2,
      zip(inside, inside.dropFirst()).allSatisfy({ $1 - $0 < 1.6 })
    else { return nil }
    return 60 * Double(inside.count - 1) / (last - first)
  }

  private static func interval(around time: Double, in times: [Double]) -> Double {
    let near = zip(times, times.dropFirst()).filter { abs($1 - time) < 4 }.map { $1 - $0 }
    let intervals = near.count >= 4 ? near : zip(times, times.dropFirst()).map { $1 - $0 }
    return intervals.sorted()[intervals.count / 2]
  }
}

/// The errors of estimates against a reference rate.
struct CadenceScore {
  var errors: [Double] = []
  var gross = 0
  var refused = 0
  var count = 0

  mutating func add(_ estimate: Cadence?, truth: Double) {
    count += 1
    guard let estimate else {
      refused += 1
      return
    }
    let error = abs(Double(estimate.stepsPerMinute) - truth)
    errors.append(error)
    if error > 0.15 * truth { gross += 1 }
  }

  var meanError: Double { errors.reduce(0, +) / Double(max(errors.count, 1)) }
  var refusedPercent: Double { 100 * Double(refused) / Double(max(count, 1)) }
  var grossPercent: Double { 100 * Double(gross) / Double(max(count, 1)) }
}

/// The rates and the count during one label.
struct LabelTally {
  var seconds = 0
  var answered = 0
  var steps: Double = 0
  var inBand = 0

  mutating func add(_ update: CadenceUpdate, band: ClosedRange<Float>) {
    seconds += 1
    steps += Double(update.steps)
    if let cadence = update.cadence {
      answered += 1
      if band.contains(cadence.stepsPerMinute) { inBand += 1 }
    }
  }
  var answeredPercent: Double { 100 * Double(answered) / Double(max(seconds, 1)) }
  var stepsPerMinute: Double { 60 * steps / Double(max(seconds, 1)) }
  var inBandPercent: Double { 100 * Double(inBand) / Double(max(answered, 1)) }
}
