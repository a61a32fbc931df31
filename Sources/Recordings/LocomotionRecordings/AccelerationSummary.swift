internal import Foundation
package import LocomotionSensing

/// The rate, the gaps and the gravity of accelerations, in constant memory.
package struct AccelerationSummary: Sendable {
  /// An interval between accelerations above this is a hole, seconds.
  static let longestInterval = 1.0
  /// Intervals above it.
  private(set) var holes = 0
  /// The sum of those intervals, seconds.
  private(set) var holeSeconds = 0.0
  /// Counts of mean lengths in steps of 0.01 m/s², and of intervals in steps of 0.5 ms.
  private var lengths = [Int](repeating: 0, count: 10_000)
  private var intervals = [Int](repeating: 0, count: 2_001)
  private var last: Timestamp?
  /// The samples since ``windowStart``.
  private var windowStart: Timestamp?
  private var sum = SIMD3<Double>.zero
  private var count = 0.0

  /// The time over which accelerations are averaged, seconds.
  private static let window = 5.0

  /// A summary of nothing.
  package init() {}

  /// Adds samples, m/s²; the first of them when there are more than `most`.
  package mutating func add(_ samples: SensorBatch.Series, atMost most: Int = .max) {
    for index in 0..<min(samples.count, most) {
      add(samples.x[index], samples.y[index], samples.z[index], at: samples.timestamps[index])
    }
  }

  private mutating func add(_ x: Float, _ y: Float, _ z: Float, at time: Timestamp) {
    if windowStart.map({ abs(time.seconds(since: $0)) > Self.window }) ?? true {
      if let length = meanLength { lengths[length] += 1 }
      (sum, count) = (.zero, 0)
      windowStart = time
    }
    if (x + y + z).isFinite {
      sum += SIMD3(Double(x), Double(y), Double(z))
      count += 1
    }
    if let last {
      let seconds = time.seconds(since: last)
      if seconds > Self.longestInterval {
        holes += 1
        holeSeconds += seconds
      } else if seconds > 0 {
        intervals[Int((seconds * 2_000).rounded())] += 1
      }
    }
    last = time
  }

  /// The length of the mean acceleration of the last window, in steps of 0.01 m/s².
  private var meanLength: Int? {
    guard count > 0 else { return nil }
    let length = (sum * sum).sum().squareRoot() / count
    return min(Int((min(length, 1e6) * 100).rounded()), lengths.count - 1)
  }

  /// The inverse of the median interval between accelerations, per second.
  var rate: Double? { Self.median(intervals).map { 2_000 / max($0, 0.5) } }

  /// The length of the mean acceleration of five seconds, the median of them, m/s²: gravity, as
  /// what shakes averages out; nil without any.
  package var gravity: Double? {
    var lengths = lengths
    if let length = meanLength { lengths[length] += 1 }
    return Self.median(lengths).map { $0 / 100 }
  }

  /// What is wrong with accelerations of this gravity, m/s²; nil when it may be the Earth's.
  ///
  /// The swing of a runner's arm adds up to 8 m/s².
  package static func doubt(ofGravity gravity: Double) -> String? {
    guard !(5...20 ~= gravity) else { return nil }
    let text = String(format: abs(gravity) < 10 ? "%.2g" : "%.0f", gravity)
    return "the mean acceleration is \(text) m/s², expected 9.8"
      + (0.85...1.15 ~= gravity ? "; the values look like g" : "")
      + (gravity < 0.85 ? "; the values look like accelerations without gravity" : "")
  }

  private static func median(_ counts: [Int]) -> Double? {
    let total = counts.reduce(0, +)
    var seen = 0
    for (index, count) in counts.enumerated() {
      seen += count
      if count > 0, 2 * seen >= total { return Double(index) }
    }
    return nil
  }
}
