public import Locomotion
internal import LocomotionPositioning
public import LocomotionSensing

extension UserJournal {
  /// Says that a place is another one: the stays there are at that other one, also later ones.
  ///
  /// It is an edit, which ``removeEdit(_:)`` takes back. ``places()`` leaves the merged place out.
  ///
  /// - Throws: ``JournalError/unknownPlace``; ``JournalError/invalidEdit(reason:)`` for a place and
  ///   itself, and before there is an item.
  public func mergePlace(_ id: Int, into other: Int) throws(JournalError) {
    _ = try (userRecord(), place(id), place(other))
    let merged = try mergedPlaces()
    guard id != other, merged[other] == nil else {
      throw .invalidEdit(reason: "a place cannot be merged into itself or a merged one")
    }
    guard let span = try daySpan() else {
      throw .invalidEdit(reason: "there is no stay yet: remove the place instead")
    }
    try add(.samePlace(id, as: other), span.start, span.end)
  }

  /// Says that a stay is at a place of its own, with those of its place that are nearer to it.
  ///
  /// Adds the place, and an edit for each of the stays. Later stays are at the nearer of the two.
  ///
  /// - Parameters:
  ///   - start: The first instant of a part of the stay.
  ///   - end: The first instant after it.
  ///   - name: The name of the new place; nil for none.
  /// - Returns: The new place.
  /// - Throws: ``JournalError/invalidEdit(reason:)`` when no stay with a location and a place takes
  ///   most of that time.
  @discardableResult
  public func splitPlace(
    atStayFrom start: Timestamp, to end: Timestamp, name: String? = nil
  ) throws(JournalError) -> Place {
    _ = try userRecord()
    let segments = try rows(ItemRecord.self).map(\.segment)
    let stays = DayEdit.apply(try storedEdits(), to: segments).filter { $0.kind == .stay }
    let stay = stays.first { stay in
      let common = min(end, stay.end).seconds(since: max(start, stay.start))
      return common > end.seconds(since: start) / 2
    }
    guard let stay, let location = stay.location, let old = stay.place else {
      throw .invalidEdit(reason: "no stay with a location at a place takes most of that time")
    }
    let centre = try place(old).place
    func distance(_ place: Place, _ location: Stay.Location) -> Double {
      Geodesic(
        from: (place.latitude, place.longitude), to: (location.latitude, location.longitude)
      ).distance
    }
    let apart = distance(centre, location)
    let new = try addPlace(
      PlaceDescription(
        name: name, latitude: location.latitude, longitude: location.longitude,
        radius: min(apart / 2, PlaceRecogniser.ownReach)))
    for other in stays where other.place == old {
      guard let location = other.location else { continue }
      let isNearer = distance(new, location) < distance(centre, location)
      if isNearer || other == stay { try setPlace(new.id, from: other.start, to: other.end) }
    }
    return new
  }

  /// The places that are others, by the user's edits.
  func mergedPlaces() throws(JournalError) -> [Int: Int] {
    var result: [Int: Int] = [:]
    for edit in try storedEdits() {
      if case .samePlace(let number, let other) = edit.change { result[number] = other }
    }
    return result
  }
}
