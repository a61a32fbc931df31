import Locomotion
import LocomotionFormats
import LocomotionJournal
import LocomotionRecordings
import LocomotionSensing

/// The places, edits and statements of a user as lines of an export.
struct Annotations {
  private(set) var places: [Place] = []
  private(set) var edits: [EditRecord] = []
  /// The number of those that are none.
  private(set) var unknown = 0

  /// What stands in the lines of an export.
  init(_ values: [JSONValue]) {
    for value in values {
      if let place = Self.place(value) {
        places.append(place)
      } else if let edit = Self.edit(value) {
        edits.append(edit)
      } else {
        unknown += 1
      }
    }
  }

  static func member(_ place: Place) -> String {
    var members = [
      "\"id\":\(place.id)", "\"lat\":\(place.latitude)", "\"lon\":\(place.longitude)",
      "\"radius\":\(place.radius)", "\"learned\":\(place.isLearned)",
    ]
    if let name = place.name { members.append("\"name\":\(JSONText.compact(name))") }
    return "\"place\":{\(members.joined(separator: ","))}"
  }

  static func member(_ edit: EditRecord) -> String {
    let members = [
      "\"kind\":\(JSONText.compact(edit.kindName ?? ""))",
      "\"start\":\(LineJSON.seconds(edit.start))", "\"end\":\(LineJSON.seconds(edit.end))",
      "\"value\":\(JSONText.compact(edit.value))",
    ]
    return "\"edit\":{\(members.joined(separator: ","))}"
  }

  private static func place(_ value: JSONValue) -> Place? {
    guard let id = value["id"]?.number.flatMap({ Int(exactly: $0) }),
      let latitude = value["lat"]?.number, let longitude = value["lon"]?.number,
      let radius = value["radius"]?.number
    else { return nil }
    return Place(
      id: id, name: value["name"]?.string, latitude: latitude, longitude: longitude,
      radius: radius, isLearned: value["learned"]?.isTrue ?? false)
  }

  private static func edit(_ value: JSONValue) -> EditRecord? {
    guard let kind = value["kind"]?.string, let start = value["start"]?.time,
      let end = value["end"]?.time, let text = value["value"]?.string
    else { return nil }
    return EditRecord(kind, from: start, to: end, value: text)
  }
}
