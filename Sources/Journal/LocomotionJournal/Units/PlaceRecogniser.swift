internal import Locomotion
internal import LocomotionPositioning
internal import LocomotionSensing

/// Finds the place of a stay among the user's places, with the rules of
/// ``UserJournal/updateDays(model:)`` and nothing but the places as they are now.
struct PlaceRecogniser {
  /// The radius within which places are looked for, metres.
  static let widest = 1_000.0

  private var places: [(place: Place, point: SIMD3<Double>)] = []

  init(_ places: [Place]) {
    for place in places { add(place) }
  }

  mutating func add(_ place: Place) {
    places.append(
      (place, WGS84.earthCentred(latitude: place.latitude, longitude: place.longitude)))
  }

  /// The number of the nearest place that reaches a stay; nil when none does.
  func place(of segment: DaySegment) -> Int? {
    guard segment.kind == .stay, let location = segment.location else { return nil }
    let centre = WGS84.earthCentred(
      latitude: location.latitude, longitude: location.longitude)
    var best: (distance: Double, id: Int)?
    for (place, point) in places {
      let reach = max(place.radius, DayComputation.placeReach)
      let chord = point - centre
      // A geodesic is at least as long as its chord.
      guard (chord * chord).sum().squareRoot() <= reach + 1e-6 else { continue }
      let distance = Geodesic(
        from: (location.latitude, location.longitude), to: (place.latitude, place.longitude)
      ).distance
      guard distance <= min(reach, Self.widest) else { continue }
      if best.map({ (distance, place.id) < $0 }) ?? true { best = (distance, place.id) }
    }
    return best?.id
  }

  /// Whether a stay is at one of the places.
  func reaches(_ segment: DaySegment) -> Bool { place(of: segment) != nil }

  /// The description of the place that a stay creates when no place reaches it; nil for none.
  static func learned(from segment: DaySegment) -> PlaceDescription? {
    guard segment.kind == .stay, let location = segment.location,
      segment.end.seconds(since: segment.start) >= DayComputation.shortestRemembered
    else { return nil }
    return PlaceDescription(
      name: nil, latitude: location.latitude, longitude: location.longitude,
      radius: min(max(location.radius68, DayComputation.placeReach), widest))
  }
}

extension UserJournal {
  /// The user's edits and places, and the stays whose place ``PlaceRecogniser`` does not find.
  func annotations(of user: UserRecord) throws(JournalError) -> UnitAnnotations {
    let days = try daysRecord(user)
    var result = UnitAnnotations()
    result.nextPlace = days.nextPlace
    let places: [PlaceRecord] = try rows(days.places)
    result.places = places.map(\.place)
    let remarks: [RemarkRecord] = try rows(days.remarks)
    // What the accelerations of a window look like is nobody else's business.
    result.remarks = remarks.filter { $0.kind != .window }.map {
      UnitAnnotations.Remark(
        index: Int($0.key & (1 << StoreFormat.indexBits - 1)), kind: $0.kindNumber,
        start: $0.start, end: $0.end, value: $0.value)
    }
    let recogniser = PlaceRecogniser(result.places)
    let items: [ItemRecord] = try rows(days.items)
    for segment in items.map(\.segment) where segment.kind == .stay {
      let found = recogniser.place(of: segment)
      guard found != segment.place || found == nil && PlaceRecogniser.learned(from: segment) != nil
      else { continue }
      result.exceptions.append(
        StayException(start: segment.start, end: segment.end, place: segment.place))
    }
    return result
  }

  /// Finds the places of all stays again in a journal to which a device's units were appended.
  ///
  /// So the places depend on the recording and on what the device told last, and not on when the
  /// days were updated. The user's record is changed but not written.
  func recogniseAll(in days: inout DaysRecord, _ source: SourcePlaces) throws(JournalError) {
    let stored: [PlaceRecord] = try rows(days.places)
    var recogniser = PlaceRecogniser([])
    for record in stored {
      if record.place.id < source.next {
        recogniser.add(record.place)
      } else {
        try remove(record, from: &days)
      }
    }
    days.nextPlace = source.next
    var exceptions: [ClosedRange<Timestamp>: StayException] = [:]
    for exception in source.exceptions where exception.start <= exception.end {
      exceptions[exception.start...exception.end] = exception
    }
    let items: [ItemRecord] = try rows(days.items)
    for item in items where item.segment.kind == .stay {
      var segment = item.segment
      if let exception = exceptions[segment.start...segment.end] {
        segment.place = exception.place
      } else if let found = recogniser.place(of: segment) {
        segment.place = found
      } else if let description = PlaceRecogniser.learned(from: segment) {
        let place = try add(description, isLearned: true, to: &days)
        recogniser.add(place)
        segment.place = place.id
      } else {
        segment.place = nil
      }
      guard segment.place != item.segment.place else { continue }
      let row = ItemRecord(
        user: days.user, index: Int(item.key & (1 << StoreFormat.indexBits - 1)), segment)
      days.items.remove(item.checksum)
      days.items.add(row.checksum)
      try row.write(to: connection)
    }
  }
}
