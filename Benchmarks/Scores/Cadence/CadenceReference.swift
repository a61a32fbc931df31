import LocomotionRecordings
import LocomotionSensing

/// Times of foot contacts in seconds, with the faults of foot switches corrected, and rates from
/// them.
struct CadenceReference: Sendable {
  /// The contacts in order.
  let times: [Double]
  /// The contacts as recorded, faults included.
  private let recorded: [Double]

  /// Drops bounces and fills single misses.
  ///
  /// A contact sooner than 0.65 of the local median interval is a bounce; an interval of about two
  /// medians has missed one contact. Longer ones are pauses.
  init(_ contacts: [Double]) {
    let contacts = contacts.sorted()
    recorded = contacts
    var kept: [Double] = []
    for time in contacts {
      if let last = kept.last, time - last < 0.65 * Self.interval(around: time, in: contacts) {
        continue
      }
      kept.append(time)
    }
    var filled: [Double] = []
    for time in kept {
      if let last = filled.last {
        let ratio = (time - last) / Self.interval(around: time, in: contacts)
        if ratio > 1.6 && ratio < 2.4 { filled.append((last + time) / 2) }
      }
      filled.append(time)
    }
    times = filled
  }

  /// The rate from the contacts between two instants.
  struct Rate: Sendable {
    /// Steps per minute between the first and the last contact.
    var stepsPerMinute: Double
    /// The same with fractions of steps, interpolated at both instants; nil at a recording's ends.
    ///
    /// The difference of the two is the uncertainty of the reference.
    var interpolatedStepsPerMinute: Double?
    /// Whether no contact was dropped or filled here or a second around.
    ///
    /// All recorded intervals are within 0.7 to 1.4 of their median.
    var isRegular: Bool
  }

  /// The rate between two instants; nil when the person paused or contacts are missing.
  func rate(from start: Double, to end: Double) -> Rate? {
    let inside = times.filter { $0 >= start && $0 < end }
    guard let first = inside.first, let last = inside.last, inside.count >= 3,
      first - start < 1.2, end - last < 1.2
    else { return nil }
    guard zip(inside, inside.dropFirst()).allSatisfy({ $1 - $0 < 1.6 }) else { return nil }
    let near = recorded.filter { $0 >= start - 1 && $0 < end + 1 }
    let intervals = zip(near, near.dropFirst()).map { $1 - $0 }
    let median = Quantile.of(intervals, fraction: 0.5) ?? 0
    var rate = Rate(
      stepsPerMinute: 60 * Double(inside.count - 1) / (last - first),
      isRegular: intervals.allSatisfy { $0 > 0.7 * median && $0 < 1.4 * median })
    if let before = steps(at: start), let after = steps(at: end) {
      rate.interpolatedStepsPerMinute = 60 * (after - before) / (end - start)
    }
    return rate
  }

  /// Steps, with a fraction, up to an instant between two contacts.
  private func steps(at time: Double) -> Double? {
    guard let next = times.firstIndex(where: { $0 > time }), next > 0 else { return nil }
    return Double(next - 1) + (time - times[next - 1]) / (times[next] - times[next - 1])
  }

  /// The number of contacts from one instant through another.
  func count(from start: Double, through end: Double) -> Int {
    times.count { $0 >= start && $0 <= end }
  }

  private static func interval(around time: Double, in times: [Double]) -> Double {
    let all = Array(zip(times, times.dropFirst()))
    let near = all.filter { abs($1 - time) < 4 }.map { $1 - $0 }
    return Quantile.of(near.count >= 4 ? near : all.map { $1 - $0 }, fraction: 0.5) ?? 0
  }
}

/// The steps of a recording as one instrument timed them, rows of a data set's `steps.csv`.
///
/// Its columns are `recording,t`, one row for each step of either foot, and `system` where several
/// instruments counted.
struct TimedSteps: Sendable {
  /// The instrument, empty when the set has only one.
  let system: String
  /// The time of each foot strike in seconds, in the file's order.
  private(set) var times: [Double] = []

  /// The steps of a recording by instrument, in the file's order; none without the file.
  static func read(
    of recording: String, in dataset: LabelledDataset
  ) throws(RecordingError) -> [TimedSteps] {
    guard let path = RecordingPath("\(dataset.folder)/steps.csv").sibling("") else { return [] }
    var rows = try TableRows(LineReader(path: path))
    let columns = try rows.positions(of: ["recording", "t"], expected: "recording,t[,system]")
    let systemColumn = rows.position(of: "system")
    var steps: [TimedSteps] = []
    while try rows.next() {
      guard rows.text(at: columns[0]) == recording,
        let timestamp = try rows.timestamp(at: columns[1])
      else { continue }
      let system = rows.text(at: systemColumn)
      if !steps.contains(where: { $0.system == system }) { steps.append(.init(system: system)) }
      for index in steps.indices where steps[index].system == system {
        steps[index].times.append(timestamp.seconds)
      }
    }
    return steps
  }
}
