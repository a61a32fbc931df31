package import LocomotionSensing

/// When a user's journal has samples and fixes, so that an import takes each outing once.
package struct RecordedTimes: Sendable {
  /// The times of the accelerations of each batch, and of what follows within a second, in order.
  private var spans: [(start: Timestamp, end: Timestamp)] = []
  private var fixes: [Timestamp] = []

  /// Fixes that are not farther apart are of one outing, seconds.
  private static let longestInterval = 60.0

  /// Whether accelerations around a time are there; false without one.
  package func hasSamples(at time: Timestamp?) -> Bool {
    guard let time else { return false }
    let index = spans.partitioningIndex { $0.end >= time }
    return index < spans.count && spans[index].start <= time
  }

  /// Whether a fix at a time is there, or fixes shortly before and after it: those of another
  /// device on the same outing.
  package func hasFix(at time: Timestamp) -> Bool {
    let index = fixes.partitioningIndex { $0 >= time }
    guard index < fixes.count else { return false }
    if fixes[index] == time { return true }
    return index > 0 && fixes[index].seconds(since: fixes[index - 1]) <= Self.longestInterval
  }

  /// Of nothing.
  package init() {}

  /// Adds the accelerations and the fixes of a batch; until ``finish()`` nothing may be asked.
  package mutating func add(samples: [Timestamp], fixes: [Timestamp]) {
    if let start = samples.min(), let end = samples.max() { spans.append((start, end)) }
    self.fixes += fixes
  }

  /// Adds others.
  package mutating func add(_ others: RecordedTimes) {
    spans += others.spans
    fixes += others.fixes
    finish()
  }

  /// Puts what was added in order.
  fileprivate mutating func finish() {
    fixes.sort()
    let sorted = spans.sorted { $0.start < $1.start }
    spans = sorted.reduce(into: []) { joined, span in
      if let last = joined.last, span.start.seconds(since: last.end) <= 1 {
        joined[joined.count - 1].end = max(last.end, span.end)
      } else {
        joined.append(span)
      }
    }
  }
}

extension UserJournal {
  /// When the user's journal has samples and fixes.
  ///
  /// - Throws: ``JournalError/damaged(path:what:)`` when the stored data are damaged.
  /// - Complexity: O(recording).
  package func recordedTimes() throws(JournalError) -> RecordedTimes {
    try reading { (user) throws(JournalError) in
      var times = RecordedTimes()
      let first = try uploadRecord(user).droppedBatches
      try forEachBatch(of: user, from: first) { (batch: BatchRecord) throws(JournalError) in
        times.add(samples: try connection.accelerationTimes(of: batch), fixes: [])
        return true
      }
      times.add(samples: [], fixes: try fixes(of: user, in: 0..<user.fixes).map(\.timestamp))
      times.finish()
      return times
    }
  }
}
