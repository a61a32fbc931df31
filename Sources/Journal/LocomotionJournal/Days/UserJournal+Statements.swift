internal import Foundation
package import Locomotion
public import LocomotionSensing

extension UserJournal {
  /// All places, also those that are others by now, and all edits and statements but what is
  /// nobody else's business, in the order of their numbers.
  package func annotations() throws(JournalError) -> (places: [Place], edits: [EditRecord]) {
    try reading { (_) throws(JournalError) in
      (try rows(PlaceRecord.self).map(\.place), try rows(EditRecord.self).filter(\.isUploaded))
    }
  }

  /// Adds the places, edits and statements of another journal that aren't there yet.
  ///
  /// A place keeps its number where none had it, and edits speak of it by its new one. What no
  /// journal takes is left out: places that are nowhere on Earth, impossible times; and edits about
  /// places that aren't among `places`.
  ///
  /// - Parameters:
  ///   - places: The places.
  ///   - edits: The edits and statements.
  ///   - areLatest: Whether the edits are the user's last word: one is added again where another
  ///     that isn't among them has come after it.
  /// - Returns: How many were added.
  /// - Throws: `JournalError` of the store.
  @discardableResult
  package func restore(
    _ places: [Place], _ edits: [EditRecord], areLatest: Bool = false
  ) throws(JournalError) -> (places: Int, edits: Int) {
    try writing { (user) throws(JournalError) in
      var days = try daysRecord(user)
      var known = try rows(PlaceRecord.self).map(\.place)
      var numbers: [Int: Int] = [:]
      let count = known.count
      for place in places {
        guard (try? place.validate()) != nil else { continue }
        var own = place.storable
        let same = known.first {
          ($0.name, $0.latitude, $0.longitude, $0.radius)
            == (own.name, own.latitude, own.longitude, own.radius)
        }
        if let same {
          numbers[place.id] = same.id
          continue
        }
        if !(days.nextPlace..<Int(Int32.max) ~= own.id) { own.id = days.nextPlace }
        try PlaceRecord(user: number, own).write(to: connection)
        days.nextPlace = max(days.nextPlace, own.id + 1)
        numbers[place.id] = own.id
        known.append(own)
      }
      try days.write(to: connection)
      let own = edits.compactMap { $0.renumbered(numbers) }
      let new = try add(
        new: own.filter { $0.start.isPlausible && $0.end.isPlausible }, of: user,
        areLatest: areLatest)
      return (known.count - count, new.count)
    }
  }

  /// Adds the edits and statements that aren't there yet, whatever their numbers; the days around
  /// new statements are computed again by the next update.
  ///
  /// - Returns: Those that were added.
  func add(
    new edits: [EditRecord], of user: UserRecord, areLatest: Bool = false
  ) throws(JournalError) -> [EditRecord] {
    let stored: [EditRecord] = try rows()
    var known = Set(stored.map(\.content))
    if areLatest {
      let own = Set(edits.map(\.content))
      for other in stored where !own.contains(other.content) {
        known = known.filter { !($0.start <= other.end && other.start <= $0.end) }
      }
    }
    let new = edits.filter { known.insert($0.content).inserted }
    for edit in new { try add(edit) }
    if let start = new.filter({ $0.kind == .statement }).map(\.start).min() {
      // Checkpoints of a time without statements hold no seconds.
      let isFirst = !stored.contains { $0.kind == .statement }
      try computeAgain(from: isFirst ? nil : start, of: user)
    }
    return new
  }

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

  private func addPlaces(
    named statements: [StatedInterval], of user: UserRecord
  ) throws(JournalError) {
    var days = try daysRecord(user)
    var known = Dictionary(grouping: try rows(PlaceRecord.self).map(\.place)) { $0.name ?? "" }
    for statement in statements {
      guard let name = statement.place, !name.isEmpty,
        case .visit(let latitude, let longitude, let radius) = statement.kind
      else { continue }
      let isKnown = known[name, default: []].contains { $0.isAt(latitude, longitude) }
      let place = Place(
        name: name, latitude: latitude, longitude: longitude, radius: min(radius ?? 60, 1_000))
      guard !isKnown, (try? place.validate()) != nil else { continue }
      known[name, default: []].append(try add(place, to: &days))
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
    journal.forgetComputed(ofUser: number)
  }
}

extension EditRecord {
  /// What it says, whatever its number.
  fileprivate var content: EditRecord {
    var content = self
    content.key = 0
    // An earlier version may have written the same otherwise.
    if kind == .statement, let stated: StatedInterval = decoded(from: value) {
      content.value = json(of: stated)
    }
    return content
  }

  /// The edit where places have other numbers; nil where it is about one that has none, or says
  /// that a place is itself.
  fileprivate func renumbered(_ numbers: [Int: Int]) -> EditRecord? {
    guard kind == .place || kind == .samePlace else { return self }
    let own = value.split(separator: " ").map { Int($0).flatMap { numbers[$0] } }
    let known = own.compactMap(\.self)
    guard known.count == own.count, Set(known).count == known.count else { return nil }
    var record = self
    record.value = known.map(String.init).joined(separator: " ")
    return record
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
