public import Foundation
public import Locomotion

/// Where a person travelled in one leg of a trip.
public struct DayTrack: Equatable, Sendable {
  /// The leg: its times, activity, distance and steps.
  public let leg: Trip.Leg
  /// The positions at the fixes of the leg, smoothed, in the order of time.
  ///
  /// The horizontal accuracy is the radius that is claimed to hold the person with probability
  /// 0.68.
  public let points: [LocationFix]
}

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

  /// The totals of an interval.
  ///
  /// What the interval cuts counts with the part of its distance and steps inside it.
  ///
  /// - Throws: ``JournalError/invalidInterval``.
  public func totals(from start: Timestamp, to end: Timestamp) throws(JournalError) -> Totals {
    guard start < end else { throw .invalidInterval }
    return Totals(of: try dayItems(from: start, to: end), from: start, to: end)
  }

  /// The totals of each day, week or month that overlaps an interval.
  ///
  /// - Parameters:
  ///   - period: The length of each, such as a day, 23 to 25 hours where the clocks are changed, a
  ///     week of the year, which begins on the calendar's first weekday, or a month.
  ///   - start: An instant in the first period.
  ///   - end: The first instant after the interval.
  ///   - calendar: It has the person's time zone and first weekday.
  /// - Returns: One total per period, whole ones at both ends, in the order of time.
  /// - Throws: ``JournalError/invalidInterval``.
  public func totals(
    by period: Calendar.Component, from start: Timestamp, to end: Timestamp, in calendar: Calendar
  ) throws(JournalError) -> [Totals] {
    guard start < end, start.isPlausible, end.isPlausible else { throw .invalidInterval }
    var result: [Totals] = []
    var instant = Date(start)
    while instant < Date(end) {
      guard let interval = calendar.dateInterval(of: period, for: instant),
        let from = Timestamp(interval.start), let to = Timestamp(interval.end), from < to
      else { throw .invalidInterval }
      result.append(try totals(from: from, to: to))
      instant = interval.end
    }
    return result
  }

  /// The paths of items in the order of time, one after the other: one track per leg of a trip that
  /// has positions, none of a stay or gap.
  ///
  /// - Throws: ``JournalError/damaged(path:what:)`` when the stored data are damaged.
  /// - Complexity: O(number of the user's fixes).
  public func tracks(of items: [TimelineItem]) throws(JournalError) -> [DayTrack] {
    guard let first = items.first, let last = items.last else { return [] }
    // Smoothing a leg needs what comes before and after it.
    let margin = DayComputation.lead
    var track = Self.smoothed(
      try fixes(
        from: first.start.advanced(byNanoseconds: -margin),
        to: last.end.advanced(byNanoseconds: margin)))[...]
    return items.flatMap { item -> [DayTrack] in
      guard case .trip(let trip) = item else { return [] }
      return trip.legs.compactMap { leg in
        track = track.drop { $0.timestamp < leg.start }
        let points = Array(track.prefix { $0.timestamp < leg.end })
        return points.isEmpty ? nil : DayTrack(leg: leg, points: points)
      }
    }
  }

  private static func smoothed(_ fixes: [LocationFix]) -> [LocationFix] {
    LocationSmoother().estimates(for: fixes, mode: .smoothed).compactMap { report in
      guard let location = report.location, report.status.isUsed else { return nil }
      return LocationFix(location, at: report.fix.timestamp)
    }
  }

  /// The seconds of an interval, each smoothed with the data before and after it.
  ///
  /// - Parameters:
  ///   - start: The first instant; the two minutes before it are read too, to initialize the
  ///     pipeline.
  ///   - end: The first instant after the interval.
  ///   - model: The activity model.
  /// - Returns: The seconds, and the pipeline's diagnostics.
  /// - Throws: ``JournalError``.
  /// - Complexity: The whole recording is decoded; the interval passes through a pipeline.
  public func daySamples(
    from start: Timestamp, to end: Timestamp, model: ActivityModel = .default
  ) throws(JournalError) -> (
    samples: [LocomotionSample], diagnostics: LocomotionPipeline.Diagnostics
  ) {
    try reading { (user) throws(JournalError) in
      let reading = try TimeOrderedReading(of: user, fromSample: 0, fromFix: 0, in: self)
      var pipeline = LocomotionPipeline(model: model)
      var output = LocomotionOutput()
      _ = try reading.forEachBatch(
        from: start.advanced(byNanoseconds: -DayComputation.lead), to: end, in: self
      ) { (batch: JournalBatch) throws(JournalError) in
        pipeline.ingest(SensorBatch(batch), into: &output)
        return true
      }
      pipeline.finish(into: &output)
      var samples = output.samples
      Hindsight.smooth(&samples, reports: [], model: model)
      samples.removeAll { $0.start < start || $0.start >= end }
      return (samples, pipeline.diagnostics)
    }
  }

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

extension Timestamp {
  /// An instant of a clock that counts from the Unix epoch, to the nearest nanosecond.
  ///
  /// Nil for a date that is more than 146 years from the epoch.
  public init?(_ date: Date) {
    self.init(seconds: date.timeIntervalSince1970)
  }
}

extension Date {
  /// The date of an instant of a clock that counts from the Unix epoch.
  public init(_ timestamp: Timestamp) {
    self.init(timeIntervalSince1970: timestamp.seconds)
  }
}
