internal import Locomotion
public import LocomotionActivityRecognition
public import LocomotionSensing

/// The user's correction of their activity in an interval.
public struct ActivityCorrection: Hashable, Sendable, Codable {
  /// The first instant of it.
  public let start: Timestamp
  /// The first instant after it.
  public let end: Timestamp
  /// What the user was doing.
  public let activity: Activity

  fileprivate func outside(_ other: DayEdit) -> [ActivityCorrection] {
    guard other.start < end, start < other.end else { return [self] }
    return [
      ActivityCorrection(start: start, end: other.start, activity: activity),
      ActivityCorrection(start: other.end, end: end, activity: activity),
    ].filter { $0.start < $0.end }
  }
}

extension UserJournal {
  /// Stores the user's correction of their activity; no computation ever changes it.
  ///
  /// The time that it covers becomes a leg of the activity, or a stay for `.stationary`.
  ///
  /// - Throws: ``JournalError/invalidInterval``.
  public func correctActivity(
    to activity: Activity, from start: Timestamp, to end: Timestamp
  ) throws(JournalError) {
    try add(.activity(activity), start, end)
  }

  /// Stores that the user was doing an activity of their own, such as skiing or a scooter ride.
  ///
  /// The time that it covers becomes a leg of what the activity behaves like, or one whose activity
  /// is unknown; or a stay, when it behaves like being stationary.
  ///
  /// - Throws: ``JournalError/invalidInterval``.
  public func correctActivity(
    to activity: CustomActivity, from start: Timestamp, to end: Timestamp
  ) throws(JournalError) {
    try add(.customActivity(activity), start, end)
  }

  /// Stores the purpose of a stay; an empty text removes it.
  ///
  /// It belongs to the stay that it overlaps by more than half of the shorter of the two.
  ///
  /// - Throws: ``JournalError/invalidInterval``.
  public func setPurpose(
    _ purpose: String, from start: Timestamp, to end: Timestamp
  ) throws(JournalError) {
    try add(.purpose(purpose), start, end)
  }

  /// Stores at which place a stay was.
  ///
  /// It belongs to the stay that it overlaps by more than half of the shorter of the two.
  ///
  /// - Throws: ``JournalError/unknownPlace``, ``JournalError/invalidInterval``.
  public func setPlace(_ id: Int, from start: Timestamp, to end: Timestamp) throws(JournalError) {
    _ = try place(id)
    try add(.place(id), start, end)
  }

  /// Makes one item of all that lie in an interval by more than half of their length, or of its.
  ///
  /// As a stay it is where the longest of them was. As a trip it has their legs, each of which
  /// reaches to the next one.
  ///
  /// - Parameters:
  ///   - isStay: Whether the item is a stay, else it is a trip.
  ///   - start: The first instant, such as the start of the first item.
  ///   - end: The first instant after it, such as the end of the last item.
  /// - Throws: ``JournalError/invalidInterval``; ``JournalError/invalidEdit(reason:)`` when there
  ///   is nothing to merge, or no leg for a trip.
  public func mergeItems(
    asStay isStay: Bool, from start: Timestamp, to end: Timestamp
  ) throws(JournalError) {
    let items = try dayItems(from: start, to: end)
    guard items.count > 1 else { throw .invalidEdit(reason: "there are no two items to merge") }
    let hasLeg = items.contains { if case .trip = $0 { true } else { false } }
    guard isStay || hasLeg else {
      throw .invalidEdit(reason: "a trip needs a leg: correct the activity instead")
    }
    try add(isStay ? .stay : .trip, start, end)
  }

  /// Splits the stay or trip at an instant in two.
  ///
  /// - Throws: ``JournalError/invalidEdit(reason:)`` when no stay or trip goes on at that instant.
  public func splitItem(at instant: Timestamp) throws(JournalError) {
    guard instant.isPlausible else { throw .invalidInterval }
    let items = try dayItems(
      from: instant.advanced(byNanoseconds: -1), to: instant.advanced(byNanoseconds: 1))
    guard items.count == 1, !items[0].isGap else {
      throw .invalidEdit(reason: "no stay or trip goes on before and after that instant")
    }
    try add(.split, instant, instant)
  }

  /// Moves the edge between two items, so that one of them takes time from the other.
  ///
  /// - Parameters:
  ///   - edge: The end of one item, which is the start of the next.
  ///   - instant: Where the edge is moved to; what lies between belongs to the item that grows.
  /// - Throws: ``JournalError/invalidEdit(reason:)`` when no item begins at `edge`, or a gap would
  ///   grow; ``JournalError/invalidInterval``.
  public func moveEdge(from edge: Timestamp, to instant: Timestamp) throws(JournalError) {
    guard edge.isPlausible else { throw .invalidInterval }
    let around = try dayItems(
      from: edge.advanced(byNanoseconds: -1), to: edge.advanced(byNanoseconds: 1))
    guard around.count == 2 else { throw .invalidEdit(reason: "no item begins at that instant") }
    let isLater = instant > edge
    let change: DayEdit.Change
    switch around[isLater ? 0 : 1] {
    case .stay: change = .extent(.stationary, nil)
    case .trip(let trip):
      let leg = isLater ? trip.legs.last : trip.legs.first
      change = .extent(leg?.activity, leg?.customActivity)
    case .gap: throw .invalidEdit(reason: "a gap cannot grow: erase what is recorded instead")
    }
    try add(change, min(edge, instant), max(edge, instant))
  }

  /// All edits of the user, in the order in which they were made.
  public func edits() throws(JournalError) -> [DayEdit] {
    try reading { (_) throws(JournalError) in try storedEdits() }
  }

  /// Takes an edit back; what it changed is again as it was computed.
  ///
  /// The last one of ``edits()`` is undone in this way.
  ///
  /// - Throws: ``JournalError/unknownEdit`` when the user has no such edit any more.
  public func removeEdit(_ edit: DayEdit) throws(JournalError) {
    try writing { (_) throws(JournalError) in
      // By content too: the number of the newest edit is given again after its removal.
      guard let record = try rows(EditRecord.self).first(where: { DayEdit($0) == edit }) else {
        throw .unknownEdit
      }
      try remove(record)
    }
    try noteChange(of: edit.change, from: edit.start, to: edit.end)
  }

  /// Notes what an edit changes: with an activity also what is habitual from then on.
  private func noteChange(
    of change: DayEdit.Change, from start: Timestamp, to end: Timestamp
  ) throws(JournalError) {
    var end = end
    if change.statesActivity, let last = try daySpan()?.end { end = max(end, last) }
    noteChange(from: start, to: end)
  }

  /// The user's corrections of their activity without overlaps, in time order.
  ///
  /// Where two overlap the later one holds. One to an activity of the user's own counts as what
  /// that behaves like, and is missing when that is none of the six.
  public func corrections() throws(JournalError) -> [ActivityCorrection] {
    try statedStretches().sorted { $0.start < $1.start }
  }

  /// The same in the order in which they were made.
  func statedStretches() throws(JournalError) -> [ActivityCorrection] {
    var result: [ActivityCorrection] = []
    for edit in try edits() {
      guard edit.change.statesActivity else { continue }
      result = result.flatMap { $0.outside(edit) }
      guard let activity = edit.change.activity else { continue }
      result.append(ActivityCorrection(start: edit.start, end: edit.end, activity: activity))
    }
    return result
  }

  // MARK: Rows

  func storedEdits() throws(JournalError) -> [DayEdit] {
    try connection.rows(StoreFormat.keys(ofUser: number, EditRecord.edits))
      .compactMap(DayEdit.init)
  }

  func add(
    _ change: DayEdit.Change, _ start: Timestamp, _ end: Timestamp
  ) throws(JournalError) {
    let (kind, value) = change.stored
    try writing { (_) throws(JournalError) in
      guard start < end || change == .split, start.isPlausible, end.isPlausible else {
        throw .invalidInterval
      }
      try add(EditRecord(kind, from: start, to: end, value: value))
    }
    try noteChange(of: change, from: start, to: end)
  }

  /// Adds a row; its key is the next one.
  func add(_ edit: EditRecord) throws(JournalError) {
    let indices = edit.kind == .statement ? EditRecord.statements : EditRecord.edits
    let keys = StoreFormat.keys(ofUser: number, indices)
    let last = try connection.integer("SELECT max(id) FROM remarks WHERE id >= ? AND id < ?", keys)
    var record = edit
    record.key = last.map { $0 + 1 } ?? StoreFormat.key(user: number, index: indices.lowerBound)
    try record.write(to: connection)
  }
}
