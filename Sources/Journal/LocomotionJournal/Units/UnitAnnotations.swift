internal import Locomotion

/// All edits and places of a user at one time, and at which places stays were found otherwise than
/// the places alone tell.
///
/// Which place a stay has depends on the places that there were when it was computed. Whoever has
/// the places only finds the same for nearly all stays; the others are listed.
struct UnitAnnotations {
  var nextPlace = 0
  var places: [Place] = []
  /// Edits as they are stored; of a key only the number within its user counts.
  var editRecords: [EditRecord] = []
  var exceptions: [StayException] = []

  var isEmpty: Bool {
    nextPlace == 0 && places.isEmpty && editRecords.isEmpty && exceptions.isEmpty
  }
}

extension UnitAnnotations: UnitCodable {
  mutating func pass(through coder: inout UnitCoder) throws(UnitError) {
    try coder.pass(count: &nextPlace, "the number of the next place")
    let (next, nowhere) = (nextPlace, Place(name: nil, latitude: 0, longitude: 0))
    var lastPlace = -1
    // The shortest place takes 27 bytes, the shortest edit 19.
    try coder.pass(rows: &places, "the number of places", ofSize: 27, blank: nowhere) {
      coder, place throws(UnitError) in
      try coder.pass(count: &place.id, "a place's number")
      try coder.require(
        lastPlace < place.id && place.id < next, "a place's number",
        "ascending numbers below the next before it")
      lastPlace = place.id
      var name = place.name ?? ""
      try coder.pass(text: &name, "a place's name")
      place.name = name.isEmpty ? nil : name
      try coder.pass(number: &place.latitude, "a latitude")
      try coder.pass(number: &place.longitude, "a longitude")
      try coder.pass(number: &place.radius, "a radius")
      try coder.require(
        (try? place.validate()) != nil, "a place", "one that a journal takes before it")
      place.isLearned = try coder.pass(mark: place.isLearned, "the mark of a learned place")
    }
    var lastEdit = -1
    try coder.pass(rows: &editRecords, "the number of edits", ofSize: 19, blank: EditRecord()) {
      coder, edit throws(UnitError) in
      var index = StoreFormat.index(of: edit.key)
      try coder.pass(count: &index, "an edit's number")
      try coder.require(lastEdit < index, "an edit's number", "ascending numbers before it")
      lastEdit = index
      edit.key = Int64(index)
      try coder.pass(signed: &edit.kindNumber, "an edit's kind")
      try coder.pass(time: &edit.start, "an edit's start")
      try coder.pass(time: &edit.end, "an edit's end")
      try coder.require(
        edit.start <= edit.end, "an edit's interval", "an end after its start before it")
      try coder.pass(text: &edit.value, "an edit's text")
    }
    try coder.pass(exceptions: &exceptions)
  }
}

/// A stay whose place is not the one that ``PlaceRecogniser`` finds.
struct StayException: Hashable {
  var start: Timestamp
  var end: Timestamp
  /// Nil for a stay that has none.
  var place: Int?
}

extension UnitCoder {
  mutating func pass(exceptions: inout [StayException]) throws(UnitError) {
    let blank = StayException(start: .blank, end: .blank)
    try pass(rows: &exceptions, "the number of stays", ofSize: 17, blank: blank) {
      coder, stay throws(UnitError) in
      try coder.pass(time: &stay.start, "a stay's start")
      try coder.pass(time: &stay.end, "a stay's end")
      try coder.pass(optionalCount: &stay.place, "a stay's place")
    }
  }
}

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
      } else if let learned = PlaceRecogniser.learned(from: segment) {
        let place = try add(learned, to: &days)
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
