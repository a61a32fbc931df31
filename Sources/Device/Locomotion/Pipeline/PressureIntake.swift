/// The pressures of the air: validated, counted and condensed to one mean for each second.
///
/// Barometers deliver 1 to 100 values per second; their mean is less noisy, and a day costs the
/// same whatever the rate. The seconds are those of the pressures' own times, so that it doesn't
/// matter when the accelerations of that time come.
struct PressureIntake: Sendable, StateArchivable {
  /// What phones meet, hPa: from 15 km of altitude to a deep mine.
  static let range: ClosedRange<Float> = 100...1_200
  /// Seconds by which a pressure may be late before it counts as one of a clock that was set back.
  private static let longestDelay: Int64 = 10

  /// The mean pressure of a second.
  struct Mean {
    var hectopascals: Double
    /// The middle of the second.
    var timestamp: Timestamp
  }

  private(set) var counts = IntakeCounts()
  private var second: Int64?
  private var sum = 0.0
  private var count = 0.0

  /// Takes in a pressure, hPa, and returns the mean of the second before when it is the first of
  /// another one.
  mutating func append(_ pressure: Float, at timestamp: Timestamp) -> Mean? {
    guard pressure.isFinite else {
      counts.count(.notFinite)
      return nil
    }
    guard Self.range.contains(pressure), timestamp.isPlausible else {
      counts.count(.outOfRange)
      return nil
    }
    let index = Epoch.index(of: timestamp)
    if let second, index < second, second - index <= Self.longestDelay {
      counts.count(.outOfOrder)
      return nil
    }
    counts.count(nil)
    let completed = index == second ? nil : mean
    if index != second { (second, sum, count) = (index, 0, 0) }
    sum += Double(pressure)
    count += 1
    return completed
  }

  private var mean: Mean? {
    guard let second, count > 0 else { return nil }
    return Mean(
      hectopascals: sum / count,
      timestamp: Epoch.start(of: second).advanced(byNanoseconds: 500_000_000))
  }

  mutating func reset() {
    self = PressureIntake()
  }

  mutating func pass(through archive: inout StateArchive) {
    archive.pass(&counts)
    archive.pass(epoch: &second)
    archive.pass(&sum, &count)
  }
}
