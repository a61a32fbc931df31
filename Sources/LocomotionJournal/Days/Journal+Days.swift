public import LocomotionActivityRecognition
public import LocomotionSensing

extension Journal {
  /// The stays, trips and gaps of an interval, cut at its ends.
  ///
  /// They are the result of the last ``updateDays(of:model:)`` with the user's corrections applied.
  /// A correction turns the time that it covers into a leg of its activity, or into a stay when it
  /// is `.stationary`; of two that overlap the later one holds. A purpose belongs to the stay that
  /// it overlaps by more than half of the shorter of the two.
  ///
  /// - Complexity: O(log n + items found + the user's remarks).
  public func dayItems(
    of user: JournalUser, from start: Timestamp, to end: Timestamp
  ) throws(JournalError) -> [DayItem] {
    try connection.snapshot { () throws(JournalError) in
      let record = try userRecord(user)
      let days = try daysRecord(record)
      let remarks: [RemarkRecord] = try rows(of: record, days.remarks)
      let segments = try segments(of: days, from: start, to: end)
      let corrections = remarks.compactMap { remark in
        ActivityCorrection(remark).map { ($0.start, $0.end, $0.activity) }
      }
      let corrected = DaySegment.correct(segments, by: corrections)
      return try items(
        corrected.compactMap { $0.cut(from: start, to: end) }, days,
        remarks.filter { $0.kind == .purpose })
    }
  }

  /// The start of the first item and the end of the last one; nil without items.
  public func daySpan(
    of user: JournalUser
  ) throws(JournalError) -> (start: Timestamp, end: Timestamp)? {
    try connection.snapshot { () throws(JournalError) in
      let days = try daysRecord(userRecord(user))
      guard days.items.count > 0 else { return nil }
      return (
        try item(0, of: days).segment.start, try item(days.items.count - 1, of: days).segment.end
      )
    }
  }

  /// Stores the user's correction of their activity; no computation ever changes it.
  ///
  /// - Throws: ``JournalError/invalidInterval``.
  public mutating func correctActivity(
    to activity: Activity, from start: Timestamp, to end: Timestamp, for user: JournalUser
  ) throws(JournalError) {
    try add(.activity, activity.name, start, end, user)
  }

  /// Stores the purpose of a stay; an empty text removes it.
  ///
  /// - Throws: ``JournalError/invalidInterval``.
  public mutating func setPurpose(
    _ purpose: String, from start: Timestamp, to end: Timestamp, for user: JournalUser
  ) throws(JournalError) {
    try add(.purpose, purpose.replacing("\0", with: ""), start, end, user)
  }

  /// The user's corrections of their activity without overlaps, in time order.
  ///
  /// Where two overlap the later one holds.
  public func corrections(
    of user: JournalUser
  ) throws(JournalError) -> [ActivityCorrection] {
    try connection.snapshot { () throws(JournalError) in
      let record = try userRecord(user)
      let remarks: [RemarkRecord] = try rows(of: record, daysRecord(record).remarks)
      var result: [ActivityCorrection] = []
      for correction in remarks.compactMap(ActivityCorrection.init) {
        result = result.flatMap { $0.outside(correction) } + [correction]
      }
      return result.sorted { $0.start < $1.start }
    }
  }

  private mutating func add(
    _ kind: RemarkRecord.Kind, _ value: String, _ start: Timestamp, _ end: Timestamp,
    _ user: JournalUser
  ) throws(JournalError) {
    try requireWriting()
    guard start < end, start.isPlausible, end.isPlausible else { throw .invalidInterval }
    try connection.transaction { () throws(JournalError) in
      var days = try daysRecord(userRecord(user))
      let remark = RemarkRecord(
        key: StoreFormat.key(user: days.user, index: days.remarks.count), kind: kind,
        start: start, end: end, value: value)
      days.remarks.add(remark.checksum)
      try remark.write(to: connection)
      try days.write(to: connection)
    }
  }

  // MARK: Rows

  func item(_ index: Int, of days: DaysRecord) throws(JournalError) -> ItemRecord {
    var record: ItemRecord?
    try connection.forEach(
      "SELECT \(ItemRecord.columns) FROM items WHERE id = ?",
      [.integer(StoreFormat.key(user: days.user, index: index))]
    ) { (row: SQLiteRow) throws(JournalError) in
      record = try ItemRecord(row)
      return false
    }
    guard let record else { throw damage("a row of items") }
    return record
  }

  /// The index of the first item that ends after an instant.
  func firstItem(of days: DaysRecord, endingAfter instant: Timestamp) throws(JournalError) -> Int {
    var (low, high) = (0, days.items.count)
    while low < high {
      let middle = (low + high) / 2
      if try item(middle, of: days).segment.end <= instant {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  /// The stored segments that overlap an interval, not cut.
  private func segments(
    of days: DaysRecord, from start: Timestamp, to end: Timestamp
  ) throws(JournalError) -> [DaySegment] {
    var result: [DaySegment] = []
    var index = try firstItem(of: days, endingAfter: start)
    while index < days.items.count {
      let segment = try item(index, of: days).segment
      guard segment.start < end else { break }
      guard result.last?.end ?? segment.start == segment.start else { throw damage("items") }
      result.append(segment)
      index += 1
    }
    return result
  }

  private func items(
    _ segments: [DaySegment], _ days: DaysRecord, _ purposes: [RemarkRecord]
  ) throws(JournalError) -> [DayItem] {
    var result: [DayItem] = []
    var legs: [DayLeg] = []
    func add(_ content: DayItem.Content, _ start: Timestamp, _ end: Timestamp) {
      let isPartial = days.finalEnd.map { end > $0 } ?? true
      result.append(DayItem(start: start, end: end, content: content, isPartial: isPartial))
    }
    func endTrip() {
      guard let first = legs.first, let last = legs.last else { return }
      add(.trip(legs), first.start, last.end)
      legs = []
    }
    for segment in segments {
      switch segment.kind {
      case .leg:
        legs.append(
          DayLeg(
            start: segment.start, end: segment.end, activity: segment.activity,
            distance: segment.distance, steps: segment.steps, isCorrected: segment.isCorrected))
      case .gap:
        endTrip()
        add(.gap, segment.start, segment.end)
      case .stay:
        endTrip()
        var place: Place?
        if let id = segment.place {
          do throws(JournalError) {
            place = try self.place(id, of: days).place
          } catch .unknownPlace {
            // The user has removed it.
          }
        }
        let purpose = purposes.last { $0.isAbout(segment) }?.value
        add(
          .stay(
            DayStay(
              location: segment.location, place: place,
              purpose: purpose.flatMap { $0.isEmpty ? nil : $0 })), segment.start, segment.end)
      }
    }
    endTrip()
    return result
  }
}

extension RemarkRecord {
  /// Whether the remark overlaps a segment by more than half of the shorter of the two.
  fileprivate func isAbout(_ segment: DaySegment) -> Bool {
    let common = min(end, segment.end).seconds(since: max(start, segment.start))
    let shorter = min(end.seconds(since: start), segment.end.seconds(since: segment.start))
    return common > shorter / 2
  }
}

extension ActivityCorrection {
  init?(_ remark: RemarkRecord) {
    guard remark.kind == .activity, let activity = Activity(name: remark.value) else { return nil }
    self.init(start: remark.start, end: remark.end, activity: activity)
  }

  /// The parts of the correction outside `other`.
  fileprivate func outside(_ other: ActivityCorrection) -> [ActivityCorrection] {
    guard other.start < end, start < other.end else { return [self] }
    return [
      ActivityCorrection(start: start, end: other.start, activity: activity),
      ActivityCorrection(start: other.end, end: end, activity: activity),
    ].filter { $0.start < $0.end }
  }
}
