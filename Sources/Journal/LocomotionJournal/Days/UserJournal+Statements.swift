internal import Foundation
internal import Locomotion
internal import LocomotionPositioning
public import LocomotionSensing

extension UserJournal {
  /// What other systems state of the user's time, such as the sessions of watches that came with
  /// imported recordings, in the order in which it was added.
  public func statements() throws(JournalError) -> [StatedInterval] {
    try reading { (_) throws(JournalError) in try storedStatements() }
  }

  /// Adds what other systems state; the days around it are computed again by the next
  /// ``updateDays(model:)``.
  ///
  /// Where a visit has a name by which the user has no place there, the place is added.
  ///
  /// - Returns: How many of them were not there yet.
  /// - Throws: ``JournalError/implausibleTime``; then none is added.
  @discardableResult
  public func addStatements(_ statements: [StatedInterval]) throws(JournalError) -> Int {
    guard statements.allSatisfy({ $0.start.isPlausible && $0.end.isPlausible }) else {
      throw .implausibleTime
    }
    guard !statements.isEmpty else { return 0 }
    return try writing { (user) throws(JournalError) in
      let records = statements.map {
        EditRecord(.statement, from: $0.start, to: $0.end, value: json(of: $0))
      }
      let new = try add(new: records, of: user)
      try addPlaces(named: new.compactMap { decoded(from: $0.value) }, of: user)
      return new.count
    }
  }

  /// Visits within this distance of a place with their name are at it, metres.
  private static var samePlace: Double { 200 }

  private func addPlaces(
    named statements: [StatedInterval], of user: UserRecord
  ) throws(JournalError) {
    var days = try daysRecord(user)
    var known = Dictionary(grouping: try rows(PlaceRecord.self).map(\.place)) { $0.name ?? "" }
    for statement in statements {
      guard let name = statement.place, !name.isEmpty,
        case .visit(let latitude, let longitude, let radius) = statement.kind
      else { continue }
      let isKnown = known[name, default: []].contains { place in
        Geodesic(from: (latitude, longitude), to: (place.latitude, place.longitude)).distance
          <= max(Self.samePlace, place.radius)
      }
      let description = PlaceDescription(
        name: name, latitude: latitude, longitude: longitude, radius: min(radius ?? 60, 1_000))
      guard !isKnown, (try? description.validate()) != nil else { continue }
      known[name, default: []].append(try add(description, isLearned: false, to: &days))
    }
    try days.write(to: connection)
  }

  func storedStatements() throws(JournalError) -> [StatedInterval] {
    let records: [EditRecord] = try connection.rows(
      StoreFormat.keys(ofUser: number, EditRecord.statements))
    return records.compactMap { decoded(from: $0.value) }
  }

  /// How far back a statement may move the end of an item, nanoseconds: three standard deviations
  /// of one that nothing was observed of for a third of a day.
  private static var reach: Int64 { 86_400_000_000_000 }

  /// Makes the next update compute the days from shortly before an instant on, or all of them.
  func computeAgain(from instant: Timestamp?, of user: UserRecord) throws(JournalError) {
    let start = instant?.advanced(byNanoseconds: -Self.reach)
    var days = try daysRecord(user)
    let uploads = try uploadRecord(user)
    var kept = try rows(DayCheckpoint.self).filter { checkpoint in
      start.map { checkpoint.end <= $0 } ?? false
    }
    while let last = kept.last, !last.isAfter(uploads.retainedEnd) { kept.removeLast() }
    for index in kept.indices { kept[index].state = [] }
    try store(kept)
    if let last = kept.last {
      days.finalEnd = last.finalEnd
    } else {
      days.finalEnd = uploads.retainedEnd
      (days.resumeSample, days.resumeFix) = (uploads.retainedSample, uploads.retainedFix)
    }
    // As if the newest were not told yet.
    (days.samples, days.fixes) = (max(0, days.samples - 1), max(0, days.fixes - 1))
    try days.write(to: connection)
    journal.dayComputations[number] = nil
    journal.habits[number] = nil
    journal.learnedPlaces[number] = nil
  }
}

/// A value as one line of JSON with sorted keys.
func json(of value: some Encodable) -> String {
  let encoder = JSONEncoder()
  encoder.outputFormatting = .sortedKeys
  // Nothing in it can fail: its numbers are finite.
  return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
}

/// A value from its JSON; nil for what is none.
func decoded<Value: Decodable>(from text: String) -> Value? {
  try? JSONDecoder().decode(Value.self, from: Data(text.utf8))
}
