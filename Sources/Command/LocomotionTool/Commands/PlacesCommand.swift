import Foundation
package import LocomotionJournal
import LocomotionRecordings
import LocomotionReport
import LocomotionSensing

extension Command {
  static let places = Command(
    name: "places",
    synopsis:
      "add|near|list|visits|rename|merge|split|remove --store FILE --user USER [--lat D --lon D] [--id N]",
    summary: "Remembers places in a journal, and finds those within a radius.",
    operandCount: 1...1,
    options: [
      Option(name: "store", value: "FILE", help: "the journal; 'add' makes it"),
      Option(name: "user", value: "USER", help: "whose places"),
      .keyFile,
      Option(name: "lat", value: "DEGREES", help: "latitude, for add and near"),
      Option(name: "lon", value: "DEGREES", help: "longitude, for add and near"),
      Option(
        name: "radius", value: "METRES",
        help: "near: how far to look (default 200); add: how far the place reaches (default 60)"),
      Option(name: "name", value: "NAME", help: "what the place is called, for add and rename"),
      Option(
        name: "id", value: "NUMBER",
        help: "which place, for rename, merge and remove; also the letters that a report gives it"),
      Option(name: "into", value: "NUMBER", help: "merge: the place that it is"),
      Option(name: "start", value: "TIME", help: "split: the stay that is at a place of its own"),
      Option(name: "end", value: "TIME", help: "split: the first instant after it"),
      .timeZone,
      Option(name: "json", value: nil, help: "JSON instead of CSV"),
    ],
    run: runPlaces)

  private enum PlacesVerb: String, CaseIterable {
    case add, near, list, visits, rename, merge, split, remove
  }

  private static func runPlaces(_ arguments: Arguments) throws {
    guard let verb = PlacesVerb(rawValue: arguments.operands[0]) else {
      let verbs = PlacesVerb.allCases.map(\.rawValue).joined(separator: ", ")
      throw UsageError("'places \(arguments.operands[0])': expected one of \(verbs)")
    }
    let store = try arguments.required("store")
    let settings = try arguments.journalSettings()
    let name = try arguments.required("user")
    func id(_ option: String = "id") throws -> Int {
      let text = try arguments.required(option)
      guard let id = Int(text) ?? ReportPlaces.number(ofLetters: text) else {
        throw UsageError("'--\(option) \(text)': expected a number or the letters of a report")
      }
      return id
    }
    var output = TextOutput.standard
    switch verb {
    case .add:
      let place = PlaceDescription(
        name: arguments.value("name") ?? "", latitude: try arguments.degrees("lat", 90),
        longitude: try arguments.degrees("lon", 180),
        radius: try arguments.number("radius", default: 60, in: 0...1_000))
      // A request that is refused must not leave a new journal.
      try place.validate()
      try Journal.validate(newUserName: name)
      let journal = try Journal(path: store, settings: settings)
      let added = try journal.user(name).addPlace(place)
      try write([(added, nil)], arguments, &output)
    case .near:
      let latitude = try arguments.degrees("lat", 90)
      let longitude = try arguments.degrees("lon", 180)
      let radius = try arguments.number("radius", default: 200, in: 0...3e7)
      let journal = try Journal(path: store, access: .reading, settings: settings)
      let found = try journal.existing(name).places(
        within: radius, ofLatitude: latitude, longitude: longitude)
      try write(found.map { ($0.place, $0.distance) }, arguments, &output)
    case .list:
      let journal = try Journal(path: store, access: .reading, settings: settings)
      try write(journal.existing(name).places().map { ($0, nil) }, arguments, &output)
    case .rename:
      let (id, newName) = (try id(), try arguments.required("name"))
      let journal = try Journal.writingExisting(store, settings)
      try journal.existing(name).renamePlace(id, to: newName)
    case .visits:
      let journal = try Journal(path: store, access: .reading, settings: settings)
      try writeVisits(
        journal.existing(name).placeSummaries(in: arguments.calendar()), &output)
    case .merge:
      let (id, other) = (try id(), try id("into"))
      try Journal.writingExisting(store, settings).existing(name).mergePlace(id, into: other)
    case .split:
      let (start, end) = (try arguments.instant("start"), try arguments.instant("end"))
      let place = try Journal.writingExisting(store, settings).existing(name).splitPlace(
        atStayFrom: start, to: end, name: arguments.value("name"))
      try write([(place, nil)], arguments, &output)
    case .remove:
      let id = try id()
      let journal = try Journal.writingExisting(store, settings)
      try journal.existing(name).removePlace(id)
    }
    try output.finish()
  }

  private static func writeVisits(
    _ summaries: [PlaceSummary], _ output: inout TextOutput
  ) throws {
    try output.write("id,name,visits,seconds,first,last,role,probability\n")
    for summary in summaries {
      var line = CSVLine()
      line.add("\(summary.place.id)")
      line.add(CSVLine.quoted(summary.place.name ?? ""))
      line.add("\(summary.visits)")
      line.add(summary.duration, decimals: 0)
      if let span = summary.span {
        line.add(nanoseconds: span.lowerBound.nanoseconds)
        line.add(nanoseconds: span.upperBound.nanoseconds)
      } else {
        line.add(nil)
        line.add(nil)
      }
      line.add(summary.role?.kind.rawValue ?? "")
      line.add(summary.role?.probability, decimals: 3)
      try output.write(line)
    }
  }

  private static func write(
    _ places: [(place: Place, distance: Double?)], _ arguments: Arguments,
    _ output: inout TextOutput
  ) throws {
    guard !arguments.has("json") else {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      let rows = places.map { PlaceDocument($0.place, distance: $0.distance) }
      try output.write(String(decoding: try encoder.encode(rows), as: UTF8.self) + "\n")
      return
    }
    try output.write("id,name,lat,lon,radius,learned,distance\n")
    for (place, distance) in places {
      var line = CSVLine()
      line.add("\(place.id)")
      line.add(CSVLine.quoted(place.name ?? ""))
      line.add(place.latitude, decimals: 8)
      line.add(place.longitude, decimals: 8)
      line.add(place.radius, decimals: 1)
      line.add(place.isLearned ? "1" : "0")
      line.add(distance, decimals: 3)
      try output.write(line)
    }
  }
}

/// A place in the schema of `places --json`: degrees and metres.
struct PlaceDocument: Encodable {
  let id: Int
  let name: String
  let lat: Double
  let lon: Double
  let radius: Double
  let learned: Bool
  let distance: Double?

  init(_ place: Place, distance: Double? = nil) {
    id = place.id
    name = place.name ?? ""
    lat = place.latitude
    lon = place.longitude
    radius = place.radius
    learned = place.isLearned
    self.distance = distance
  }
}

extension Arguments {
  /// The value of a required option in degrees.
  fileprivate func degrees(_ name: String, _ limit: Double) throws -> Double {
    _ = try required(name)
    return try number(name, default: 0, in: -limit...limit)
  }
}

extension Journal {
  /// An existing user; none is added.
  package func existing(_ name: String?) throws(JournalError) -> UserJournal {
    guard let name, let user = try existingUser(name) else { throw .unknownUser }
    return user
  }

  /// An existing journal, opened for writing, of whatever version.
  static func writingExisting(
    _ path: String, _ settings: Settings
  ) throws(JournalError) -> Journal {
    guard FileManager.default.fileExists(atPath: path) else { throw .notFound(path: path) }
    return try Journal(path: path, settings: settings)
  }
}
