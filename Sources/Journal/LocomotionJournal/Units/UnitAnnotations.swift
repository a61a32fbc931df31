internal import Locomotion
internal import LocomotionSensing

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

  init() {}

  func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(count: nextPlace)
    bytes.append(count: places.count)
    for place in places {
      bytes.append(count: place.id)
      bytes.append(text: place.name ?? "")
      for number in [place.latitude, place.longitude, place.radius] {
        bytes.append(number: number)
      }
      bytes.append(place.isLearned ? 1 : 0)
    }
    bytes.append(count: editRecords.count)
    for editRecord in editRecords {
      bytes.append(count: StoreFormat.index(of: editRecord.key))
      bytes.append(signed: editRecord.kindNumber)
      bytes.append(time: editRecord.start)
      bytes.append(time: editRecord.end)
      bytes.append(text: editRecord.value)
    }
    StayException.encode(exceptions, into: &bytes)
    return bytes
  }

  init(from reader: inout UnitReader) throws(UnitError) {
    nextPlace = try reader.count("the number of the next place")
    // The shortest place takes 27 bytes, the shortest edit 19.
    for _ in 0..<(try reader.rows("the number of places", ofSize: 27)) {
      let id = try reader.count("a place's number")
      guard id < nextPlace, places.last.map({ $0.id < id }) ?? true else {
        throw reader.error("a place's number", "ascending numbers below the next before it")
      }
      let name = try reader.text("a place's name")
      let description = PlaceDescription(
        name: name, latitude: try reader.number("a latitude"),
        longitude: try reader.number("a longitude"), radius: try reader.number("a radius"))
      do throws(JournalError) {
        try description.validate()
      } catch {
        throw reader.error("a place", "one that a journal takes before it")
      }
      places.append(
        Place(
          id: id, name: name.isEmpty ? nil : name, latitude: description.latitude,
          longitude: description.longitude, radius: description.radius,
          isLearned: try reader.byte("the mark of a learned place", upTo: 1) == 1))
    }
    for _ in 0..<(try reader.rows("the number of edits", ofSize: 19)) {
      let index = try reader.count("an edit's number")
      guard editRecords.last.map({ $0.key < Int64(index) }) ?? true else {
        throw reader.error("an edit's number", "ascending numbers before it")
      }
      let kind = try reader.signed("an edit's kind")
      let start = try reader.time("an edit's start")
      let end = try reader.time("an edit's end")
      guard start <= end else {
        throw reader.error("an edit's interval", "an end after its start before it")
      }
      editRecords.append(
        EditRecord(
          key: Int64(index), kind: kind, start: start, end: end,
          value: try reader.text("an edit's text")))
    }
    exceptions = try StayException.decode(from: &reader)
  }
}

/// A stay whose place is not the one that ``PlaceRecogniser`` finds.
struct StayException: Hashable {
  var start: Timestamp
  var end: Timestamp
  /// Nil for a stay that has none.
  var place: Int?

  static func encode(_ exceptions: [StayException], into bytes: inout [UInt8]) {
    bytes.append(count: exceptions.count)
    for exception in exceptions {
      bytes.append(time: exception.start)
      bytes.append(time: exception.end)
      bytes.append(count: exception.place.map { $0 + 1 } ?? 0)
    }
  }

  static func decode(from reader: inout UnitReader) throws(UnitError) -> [StayException] {
    var result: [StayException] = []
    for _ in 0..<(try reader.rows("the number of stays", ofSize: 17)) {
      let start = try reader.time("a stay's start")
      let end = try reader.time("a stay's end")
      let place = try reader.count("a stay's place")
      result.append(StayException(start: start, end: end, place: place == 0 ? nil : place - 1))
    }
    return result
  }
}
