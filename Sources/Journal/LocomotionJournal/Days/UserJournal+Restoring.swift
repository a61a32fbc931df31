package import Locomotion
internal import LocomotionSensing

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
  /// A place keeps its number where no other one has it, and edits speak of it by its new one.
  ///
  /// - Returns: How many were added.
  /// - Throws: ``JournalError/invalidPlace(reason:)`` or ``JournalError/implausibleTime``; then
  ///   nothing is added.
  @discardableResult
  package func restore(
    _ places: [Place], _ edits: [EditRecord]
  ) throws(JournalError) -> (places: Int, edits: Int) {
    try writing { (user) throws(JournalError) in
      var days = try daysRecord(user)
      var known = try rows(PlaceRecord.self).map(\.place)
      var numbers: [Int: Int] = [:]
      let count = known.count
      for place in places {
        let description = PlaceDescription(place)
        try description.validate()
        if let same = known.first(where: { PlaceDescription($0) == description }) {
          numbers[place.id] = same.id
          continue
        }
        let isTaken = known.contains { $0.id == place.id } || !(0..<Int(Int32.max) ~= place.id)
        let own = Self.place(
          isTaken ? days.nextPlace : place.id, description, isLearned: place.isLearned)
        try insert(PlaceRecord(user: number, own))
        days.nextPlace = max(days.nextPlace, own.id + 1)
        numbers[place.id] = own.id
        known.append(own)
      }
      try days.write(to: connection)
      var stored = Set(try rows(EditRecord.self).map(\.content))
      let editCount = stored.count
      for edit in edits.map({ $0.renumbered(numbers) }) where stored.insert(edit.content).inserted {
        guard edit.start.isPlausible, edit.end.isPlausible else { throw .implausibleTime }
        try add(edit.kindNumber, edit.value, edit.start, edit.end)
      }
      let stated = edits.filter { $0.kind == .statement }.map(\.start)
      if stored.count > editCount, let start = stated.min() {
        try computeAgain(from: start, of: user)
      }
      return (known.count - count, stored.count - editCount)
    }
  }
}

extension EditRecord {
  /// What it says, whatever its number.
  fileprivate struct Content: Hashable {
    var kind: Int64
    var start: Timestamp
    var end: Timestamp
    var value: String
  }

  fileprivate var content: Content {
    Content(kind: kindNumber, start: start, end: end, value: value)
  }

  /// The edit where places have other numbers.
  fileprivate func renumbered(_ numbers: [Int: Int]) -> EditRecord {
    guard kind == .place || kind == .samePlace else { return self }
    var record = self
    record.value = value.split(separator: " ")
      .map { number in Int(number).flatMap { numbers[$0] }.map(String.init) ?? String(number) }
      .joined(separator: " ")
    return record
  }
}
