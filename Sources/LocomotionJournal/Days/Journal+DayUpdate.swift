internal import Locomotion
public import LocomotionActivityRecognition
internal import LocomotionSensing

extension Journal {
  /// Brings the items of a user's days up to date with what is recorded.
  ///
  /// The recording is read in time order. It passes through `LocomotionPipeline`, then `Hindsight`,
  /// which smooths earlier seconds with later ones, and `TimelineBuilder`, whose rules define
  /// stays, trips and gaps. Only what can still change is recomputed: from the start of the newest
  /// stay that is certain, or from the very beginning when data arrived late for a time before it.
  ///
  /// A stay is at the nearest stored place whose radius, or 60 m if that is more, reaches its
  /// centre. A stay of five minutes or more without such a place adds a new, nameless one, which is
  /// removed again when the stay turns out not to be one.
  ///
  /// - Returns: Whether anything was computed.
  /// - Complexity: O(recording since the newest certain stay); memory for one sample per second of
  ///   it.
  @discardableResult
  public mutating func updateDays(
    of user: JournalUser, model: ActivityModel = .default
  ) throws(JournalError) -> Bool {
    try requireWriting()
    let record = try userRecord(user)
    var days = try daysRecord(record)
    guard days.samples != record.samples || days.fixes != record.fixes else { return false }
    var computation = try DayComputation(of: record, days, in: self)
    if computation.isLate {
      days.finalEnd = nil
      days.resumeSample = 0
      days.resumeFix = 0
      computation = try DayComputation(of: record, days, in: self)
    }
    try computation.run(model: model, in: self)
    try connection.transaction { () throws(JournalError) in
      try store(computation, in: &days)
      days.samples = record.samples
      days.fixes = record.fixes
      try days.write(to: connection)
    }
    return true
  }

  /// Replaces the items that could change.
  private func store(
    _ computation: DayComputation, in days: inout DaysRecord
  ) throws(JournalError) {
    let first =
      try computation.begin.map { begin throws(JournalError) in
        try firstItem(of: days, endingAfter: begin)
      } ?? 0
    var old: Set<Int> = []
    for index in (first..<max(first, days.items.count)).reversed() {
      let item = try item(index, of: days)
      if let place = item.segment.place { old.insert(place) }
      days.items.remove(item.checksum)
      try connection.run("DELETE FROM items WHERE id = ?", [.integer(item.key)])
    }
    for (offset, segment) in computation.segments.enumerated() {
      var segment = segment
      segment.place = try recognise(segment, in: &days)
      if let place = segment.place { old.remove(place) }
      let row = ItemRecord(user: days.user, index: first + offset, segment)
      days.items.add(row.checksum)
      try row.write(to: connection)
    }
    days.finalEnd = computation.finalEnd
    (days.resumeSample, days.resumeFix) = computation.resume
    try forget(old, in: &days)
  }

  /// The number of the place of a stay; a new place is added when there is none.
  private func recognise(
    _ segment: DaySegment, in days: inout DaysRecord
  ) throws(JournalError) -> Int? {
    guard segment.kind == .stay, let location = segment.location else { return nil }
    let widest = 1_000.0
    let near = try nearby(
      within: widest, ofLatitude: location.latitude, longitude: location.longitude, days)
    let reach = DayComputation.placeReach
    if let found = near.first(where: { $0.distance <= max($0.place.radius, reach) }) {
      return found.place.id
    }
    guard segment.end.seconds(since: segment.start) >= DayComputation.shortestRemembered else {
      return nil
    }
    let description = PlaceDescription(
      name: "", latitude: location.latitude, longitude: location.longitude,
      radius: min(max(location.radius68, reach), widest))
    return try add(description, isLearned: true, to: &days).id
  }

  /// Removes learned places at which no stay is left.
  private func forget(_ places: Set<Int>, in days: inout DaysRecord) throws(JournalError) {
    let keys = [days.user, days.user + 1].map {
      SQLiteValue.integer(StoreFormat.key(user: $0, index: 0))
    }
    for id in places.sorted() {
      let stays = try connection.integer(
        "SELECT count(*) FROM items WHERE id >= ? AND id < ? AND place = ?",
        keys + [.integer(Int64(id))])
      guard stays == 0 else { continue }
      do throws(JournalError) {
        let record = try place(id, of: days)
        if record.place.isLearned { try remove(record, from: &days) }
      } catch .unknownPlace {
        // The user has already removed it.
      }
    }
  }
}
