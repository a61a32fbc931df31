public import Locomotion

extension UserJournal {
  /// The stays, trips and gaps of an interval, cut at its ends.
  ///
  /// They are the result of the last ``updateDays(model:)`` with the user's edits applied in the
  /// order in which they were made; see <doc:Days>.
  ///
  /// - Complexity: O(log n + items found + the user's edits).
  public func dayItems(from start: Timestamp, to end: Timestamp) throws(JournalError)
    -> [TimelineItem]
  {
    try reading { (user) throws(JournalError) in
      let days = try daysRecord(user)
      let edits = try storedEdits()
      // Merged items are read whole, so that every part of a day sees the same item.
      let merged = edits.filter { $0.change == .stay || $0.change == .trip }
        .filter { $0.start < end && start < $0.end }
      let first = merged.map(\.start).min().map { min($0, start) } ?? start
      let last = merged.map(\.end).max().map { max($0, end) } ?? end
      var segments = DayEdit.apply(
        edits, to: try segments(of: days, from: first, to: last))
      try habitualModes(of: days, edits).infer(in: &segments)
      return try DaySegment.items(
        segments.compactMap { $0.cut(from: start, to: end) }, edits, finalEnd: days.finalEnd
      ) { (number) throws(JournalError) in try placeIfAny(number)?.place }
    }
  }

  /// The start of the first item and the end of the last one; nil without items.
  public func daySpan() throws(JournalError) -> (start: Timestamp, end: Timestamp)? {
    try reading { (user) throws(JournalError) in
      let days = try daysRecord(user)
      guard days.items > 0 else { return nil }
      return (try item(0).segment.start, try item(days.items - 1).segment.end)
    }
  }

  /// The first instant from `instant` on at which a day holds more than a gap; nil when none does.
  ///
  /// That is where anything was recorded, or where an edit begins: in the first month of an edit,
  /// which may be as long as it likes.
  public func nextItem(from instant: Timestamp) throws(JournalError) -> Timestamp? {
    try reading { (user) throws(JournalError) in
      let days = try daysRecord(user)
      var index = try firstItem(of: days, endingAfter: instant)
      var next: Timestamp?
      while next == nil, index < days.items {
        let segment = try item(index).segment
        if segment.kind != .gap { next = max(segment.start, instant) }
        index += 1
      }
      for edit in try storedEdits() {
        let end = min(edit.end, edit.start.advanced(byNanoseconds: Self.longestEmptyEdit))
        guard end > instant else { continue }
        next = min(next ?? edit.start, edit.start)
      }
      return next.map { max($0, instant) }
    }
  }

  /// 31 days.
  private static var longestEmptyEdit: Int64 { 31 * 86_400_000_000_000 }

  // MARK: Rows

  func item(_ index: Int) throws(JournalError) -> ItemRecord {
    try connection.row(StoreFormat.key(user: number, index: index), orElse: "a row of items")
  }

  func firstItem(of days: DaysRecord, endingAfter instant: Timestamp) throws(JournalError) -> Int {
    try (0..<days.items).partitioningIndex { (index: Int) throws(JournalError) in
      try item(index).segment.end > instant
    }
  }

  /// The stored segments that overlap an interval, not cut; and those before and after them, to
  /// a stay or a gap, so that the places at both ends of each trip are known.
  func segments(
    of days: DaysRecord, from start: Timestamp, to end: Timestamp
  ) throws(JournalError) -> [DaySegment] {
    var result: [DaySegment] = []
    var index = try firstItem(of: days, endingAfter: start)
    while index > 0 {
      index -= 1
      guard try item(index).segment.kind == .leg else { break }
    }
    while index < days.items {
      let segment = try item(index).segment
      if segment.start >= end {
        guard result.last?.kind == .leg else { break }
      }
      guard result.last?.end ?? segment.start == segment.start else { throw damage("items") }
      result.append(segment)
      index += 1
    }
    return result
  }
}
