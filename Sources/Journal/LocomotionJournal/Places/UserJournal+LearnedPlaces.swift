internal import Locomotion

/// What the final stays of a user tell of their places.
struct LearnedPlaces: Sendable {
  /// The number of items that were counted: the final ones.
  var items = 0
  var visits: [Int: PlaceVisits] = [:]
  /// The place that a merged one became.
  var merged: [Int: Int] = [:]
  /// The start of the earliest stay whose place has changed since that was asked for.
  private var earliestChange: Timestamp?

  mutating func noteChange(at start: Timestamp) {
    earliestChange = earliestChange.map { min($0, start) } ?? start
  }

  mutating func takeEarliestChange() -> Timestamp? {
    defer {
      earliestChange = nil
      merged = [:]
    }
    return earliestChange
  }

  mutating func count(_ row: ItemRecord) {
    let segment = row.segment
    items += 1
    guard segment.kind == .stay, let place = segment.place, let location = segment.location else {
      return
    }
    visits[place, default: PlaceVisits()].add(location, from: segment.start)
  }
}

extension UserJournal {
  /// What the items that are left, all of them final, tell of the user's places.
  func learnedPlaces(_ days: DaysRecord) throws(JournalError) -> LearnedPlaces {
    if let known = journal.learnedPlaces[number], known.items == days.items { return known }
    var result = LearnedPlaces()
    for item in try rows(ItemRecord.self) { result.count(item) }
    return result
  }

  /// The number of the place of a stay; a new place is added when there is none.
  func recognise(
    _ segment: DaySegment, _ learned: LearnedPlaces, in days: inout DaysRecord
  ) throws(JournalError) -> Int? {
    guard segment.kind == .stay, let location = segment.location else { return nil }
    let near = try nearby(
      within: PlaceRecogniser.widest, ofLatitude: location.latitude, longitude: location.longitude)
    let candidates = near.map {
      PlaceRecogniser.Candidate(
        place: $0.place, distance: $0.distance,
        visits: learned.visits[$0.place.id] ?? PlaceVisits())
    }
    if let found = PlaceRecogniser.mostProbable(candidates, for: location) { return found }
    guard let place = PlaceRecogniser.learned(from: segment) else { return nil }
    return try add(place, to: &days).id
  }

  /// Puts a learned place at which no stay is final where the first one is by now.
  func settle(_ id: Int, at segment: DaySegment) throws(JournalError) {
    guard let old = try placeIfAny(id)?.place, old.isLearned,
      var moved = PlaceRecogniser.learned(from: segment)?.storable
    else { return }
    moved.id = id
    if moved != old { try PlaceRecord(user: number, moved).write(to: connection) }
  }

  /// Counts a final item; a learned place moves to the mean of its stays, and becomes one with
  /// another if that is more probable than that they are two.
  func learn(
    from row: ItemRecord, _ learned: inout LearnedPlaces
  ) throws(JournalError) {
    learned.count(row)
    let segment = row.segment
    guard segment.kind == .stay, segment.location != nil, let id = segment.place,
      let visits = learned.visits[id]
    else { return }
    guard try place(id).place.isLearned else { return }
    let moved = try move(id, to: visits, &learned)
    let near = try nearby(
      within: PlaceRecogniser.widest, ofLatitude: moved.latitude, longitude: moved.longitude)
    for other in near where other.place.id != id && other.place.isLearned {
      guard let others = learned.visits[other.place.id], PlaceRecogniser.areOne(visits, others)
      else { continue }
      // The one that is known better keeps its number.
      let isOlder = (others.count, id) > (visits.count, other.place.id)
      let pair = isOlder ? (id, other.place.id) : (other.place.id, id)
      try merge(pair.0, into: pair.1, &learned)
      return
    }
  }

  /// Metres.
  private static var leastMove: Double { 5 }

  /// Gives the stays at one learned place to another one.
  private func merge(
    _ id: Int, into goal: Int, _ learned: inout LearnedPlaces
  ) throws(JournalError) {
    guard try !storedEdits().contains(where: { $0.change.place == id }) else { return }
    try remove(place(id))
    learned.merged[id] = goal
    // Counted in the order of time again, so that nothing depends on when places were merged.
    learned.visits[goal] = PlaceVisits()
    learned.visits[id] = nil
    for (index, item) in try rows(ItemRecord.self).enumerated() where item.segment.kind == .stay {
      var segment = item.segment
      if segment.place == id {
        learned.noteChange(at: segment.start)
        segment.place = goal
        try ItemRecord(user: number, index: index, segment).write(to: connection)
      }
      if segment.place == goal, index < learned.items, let location = segment.location {
        learned.visits[goal]?.add(location, from: segment.start)
      }
    }
    guard let visits = learned.visits[goal], visits.count > 0 else { return }
    _ = try move(goal, to: visits, &learned)
  }

  /// Moves a learned place to the mean of its stays, to a centimetre.
  ///
  /// Not for a few metres: all stays there change with it.
  private func move(
    _ id: Int, to visits: PlaceVisits, _ learned: inout LearnedPlaces
  ) throws(JournalError) -> Place {
    func rounded(_ degrees: Double) -> Double {
      let value = (degrees * 1e7).rounded() / 1e7
      return value == 0 ? 0 : value
    }
    let old = try place(id).place
    let centre = WGS84.geodetic(visits.centre)
    var moved = old
    moved.isLearned = true
    (moved.latitude, moved.longitude) = (rounded(centre.latitude), rounded(centre.longitude))
    let step =
      visits.centre - WGS84.earthCentred(latitude: old.latitude, longitude: old.longitude)
    let isFar = (step * step).sum() >= Self.leastMove * Self.leastMove
    // The first final stay replaces what was known before it was final.
    guard moved != old, isFar || visits.count == 1 else { return old }
    learned.noteChange(at: visits.start)
    try PlaceRecord(user: number, moved).write(to: connection)
    return moved
  }
}
