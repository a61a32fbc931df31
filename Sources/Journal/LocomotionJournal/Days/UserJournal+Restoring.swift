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
  /// A place keeps its number where none had it, and edits speak of it by its new one. What no
  /// journal takes is left out: places that are nowhere on Earth, impossible times; and edits about
  /// places that aren't among `places`, unless numbers are kept.
  ///
  /// - Returns: How many were added.
  @discardableResult
  package func restore(
    _ places: [Place], _ edits: [EditRecord], keepingNumbers: Bool = false
  ) throws(JournalError) -> (places: Int, edits: Int) {
    try writing { (user) throws(JournalError) in
      var days = try daysRecord(user)
      var known = try rows(PlaceRecord.self).map(\.place)
      var numbers: [Int: Int] = [:]
      let count = known.count
      for place in places {
        let description = PlaceDescription(place)
        guard (try? description.validate()) != nil else { continue }
        if let same = known.first(where: { PlaceDescription($0) == description }) {
          numbers[place.id] = same.id
          continue
        }
        let isTaken = !(days.nextPlace..<Int(Int32.max) ~= place.id)
        let own = Self.place(
          isTaken ? days.nextPlace : place.id, description, isLearned: place.isLearned)
        try insert(PlaceRecord(user: number, own))
        days.nextPlace = max(days.nextPlace, own.id + 1)
        numbers[place.id] = own.id
        known.append(own)
      }
      try days.write(to: connection)
      let own = keepingNumbers ? edits : edits.compactMap { $0.renumbered(numbers) }
      let new = try add(
        new: own.filter { $0.start.isPlausible && $0.end.isPlausible }, of: user)
      return (known.count - count, new.count)
    }
  }

  /// Adds the edits and statements that aren't there yet, whatever their numbers; the days around
  /// new statements are computed again by the next update.
  ///
  /// - Returns: Those that were added.
  func add(new edits: [EditRecord], of user: UserRecord) throws(JournalError) -> [EditRecord] {
    let stored: [EditRecord] = try rows()
    var known = Set(stored.map(\.content))
    let new = edits.filter { known.insert($0.content).inserted }
    for edit in new { try add(edit) }
    if let start = new.filter({ $0.kind == .statement }).map(\.start).min() {
      // Checkpoints of a time without statements hold no seconds.
      let isFirst = !stored.contains { $0.kind == .statement }
      try computeAgain(from: isFirst ? nil : start, of: user)
    }
    return new
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
