internal import Locomotion
internal import LocomotionSensing

extension UserJournal {
  /// The user's edits and places, and the stays whose place ``PlaceRecogniser`` does not find.
  func annotations(of user: UserRecord) throws(JournalError) -> UnitAnnotations {
    let days = try daysRecord(user)
    var result = UnitAnnotations()
    result.nextPlace = days.nextPlace
    result.places = try rows(PlaceRecord.self).map(\.place)
    result.editRecords = try rows().filter(\.isUploaded)
    let recogniser = PlaceRecogniser(result.places)
    for segment in try rows(ItemRecord.self).map(\.segment) where segment.kind == .stay {
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
    var recogniser = PlaceRecogniser([])
    for record in try rows(PlaceRecord.self) {
      if record.place.id < source.next {
        recogniser.add(record.place)
      } else {
        try remove(record)
      }
    }
    days.nextPlace = source.next
    var exceptions: [ClosedRange<Timestamp>: StayException] = [:]
    for exception in source.exceptions where exception.start <= exception.end {
      exceptions[exception.start...exception.end] = exception
    }
    for item in try rows(ItemRecord.self) where item.segment.kind == .stay {
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
      try ItemRecord(
        user: days.user, index: StoreFormat.index(of: item.key), segment
      ).write(to: connection)
    }
  }
}
