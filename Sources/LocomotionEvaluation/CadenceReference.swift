/// Times of foot contacts in seconds, without the faults of foot switches, and rates from them.
struct CadenceReference: Sendable {
  /// The contacts in order.
  let times: [Double]

  /// Drops bounces and fills single misses.
  ///
  /// A contact sooner than 0.65 of the local median interval is a bounce; an interval of about two
  /// medians has missed one contact. Longer ones are pauses.
  init(_ contacts: [Double]) {
    let contacts = contacts.sorted()
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

  /// What contacts between two instants say.
  struct Rate: Sendable {
    /// Steps per minute between the first and the last contact.
    var stepsPerMinute: Double
    /// Whether every interval is within 0.7 to 1.4 of their median: no sign of a lost contact.
    var isRegular: Bool
  }

  /// The rate between two instants; nil when the person paused or contacts are missing.
  func rate(from start: Double, to end: Double) -> Rate? {
    let inside = times.filter { $0 >= start && $0 < end }
    guard let first = inside.first, let last = inside.last, inside.count >= 3,
      first - start < 1.2, end - last < 1.2
    else { return nil }
    let intervals = zip(inside, inside.dropFirst()).map { $1 - $0 }
    guard intervals.allSatisfy({ $0 < 1.6 }), let median = Quantile.of(intervals, share: 0.5) else {
      return nil
    }
    return Rate(
      stepsPerMinute: 60 * Double(inside.count - 1) / (last - first),
      isRegular: intervals.allSatisfy { $0 > 0.7 * median && $0 < 1.4 * median })
  }

  /// How many contacts there are from one instant through another.
  func count(from start: Double, through end: Double) -> Int {
    times.count { $0 >= start && $0 <= end }
  }

  private static func interval(around time: Double, in times: [Double]) -> Double {
    let all = Array(zip(times, times.dropFirst()))
    let near = all.filter { abs($1 - time) < 4 }.map { $1 - $0 }
    return Quantile.of(near.count >= 4 ? near : all.map { $1 - $0 }, share: 0.5) ?? 0
  }
}
