import Foundation
import Locomotion
import LocomotionJournal
import LocomotionRecordings
import LocomotionReport

extension Command {
  static let places = Command(
    name: "places",
    synopsis: "NAME --store FILE --user USER …",
    summary: "Remembers places in a journal, and finds those within a radius.",
    subcommands: placesCommands)

  private static let placesCommands = [
    places(
      "add", "--lat DEGREES --lon DEGREES [--name NAME]", "Adds a place; makes the journal.",
      coordinates + [
        Option(
          name: "radius", value: "METRES", help: "how far the place reaches (default 60)"),
        Option(name: "name", value: "NAME", help: "what the place is called"), json,
      ], example: near + " --name home", addPlace),
    places(
      "near", "--lat DEGREES --lon DEGREES [--radius METRES]",
      "Prints the places around a point, nearest first.",
      coordinates + [
        Option(name: "radius", value: "METRES", help: "how far to look (default 200)"), json,
      ], example: near
    ) { arguments in
      let latitude = try arguments.degrees("lat", 90)
      let longitude = try arguments.degrees("lon", 180)
      let radius = try arguments.number("radius", default: 200, in: 0...3e7)
      let found = try arguments.readingDays().places(
        within: radius, ofLatitude: latitude, longitude: longitude)
      try write(found.map { ($0.place, $0.distance) }, arguments)
    },
    places("list", "", "Prints all places.", [json]) { arguments in
      try write(arguments.readingDays().places().map { ($0, nil) }, arguments)
    },
    places(
      "visits", "", "Prints how often and how long the user was at each place.", [.timeZone]
    ) { arguments in
      try writeVisits(arguments.readingDays().placeSummaries(in: arguments.calendar()))
    },
    places(
      "rename", "--id NUMBER --name NAME", "Gives a place another name.",
      [id, Option(name: "name", value: "NAME", help: "the new name")],
      example: "--id 3 --name work"
    ) { arguments in
      let (id, name) = (try arguments.placeNumber("id"), try arguments.required("name"))
      try arguments.writing().renamePlace(id, to: name)
    },
    places(
      "merge", "--id NUMBER --into NUMBER", "Makes one place of two.",
      [id, Option(name: "into", value: "NUMBER", help: "the place that it is")],
      example: "--id 3 --into 1"
    ) { arguments in
      let (id, other) = (try arguments.placeNumber("id"), try arguments.placeNumber("into"))
      try arguments.writing().mergePlace(id, into: other)
    },
    places(
      "split", "--start TIME --end TIME [--name NAME]", "Gives a stay a place of its own.",
      [
        Option(name: "start", value: "TIME", help: "the stay that is at a place of its own"),
        Option(name: "end", value: "TIME", help: "the first instant after it"),
        Option(name: "name", value: "NAME", help: "what the new place is called"), .timeZone, json,
      ], example: exampleSpan + " --name gym"
    ) { arguments in
      let (start, end) = (try arguments.instant("start"), try arguments.instant("end"))
      let place = try arguments.writing().splitPlace(
        atStayFrom: start, to: end, name: arguments.value("name"))
      try write([(place, nil)], arguments)
    },
    places("remove", "--id NUMBER", "Forgets a place.", [id], example: "--id 3") { arguments in
      let id = try arguments.placeNumber("id")
      try arguments.writing().removePlace(id)
    },
  ]

  /// One verb of `places`, with the options that all of them have and its own.
  private static func places(
    _ verb: String, _ synopsis: String, _ summary: String, _ options: [Option],
    example: String = "", _ run: @escaping @Sendable (Arguments) throws -> Void
  ) -> Command {
    ofStore(
      "places \(verb)", "--user USER " + synopsis, summary, user: "whose places", options,
      example: "--user ada " + example, run)
  }

  private static let near = "--lat 48.1374 --lon 11.5755"
  private static let id = Option(name: "id", value: "NUMBER", help: "which place")
  private static let json = Option(name: "json", value: nil, help: "JSON instead of CSV")
  private static let coordinates = [
    Option(name: "lat", value: "DEGREES", help: "latitude"),
    Option(name: "lon", value: "DEGREES", help: "longitude"),
  ]

  private static func addPlace(_ arguments: Arguments) throws {
    let place = Place(
      name: arguments.value("name") ?? "", latitude: try arguments.degrees("lat", 90),
      longitude: try arguments.degrees("lon", 180),
      radius: try arguments.number("radius", default: 60, in: 0...1_000))
    // A request that is refused must not leave a new journal.
    try place.validate()
    try write([(arguments.making().addPlace(place), nil)], arguments)
  }

  private static func writeVisits(_ summaries: [PlaceSummary]) throws {
    let header = "id,name,visits,seconds,first,last,role,probability"
    try CSVTable.print(summaries, header: header) { summary, line in
      line.add("\(summary.place.id)")
      line.add(CSVLine.quoted(summary.place.name ?? ""))
      line.add("\(summary.visits)")
      line.add(summary.duration, decimals: 0)
      line.add(nanoseconds: summary.span?.lowerBound.nanoseconds)
      line.add(nanoseconds: summary.span?.upperBound.nanoseconds)
      line.add(summary.role?.kind.rawValue ?? "")
      line.add(summary.role?.probability, decimals: 3)
    }
  }

  private static func write(
    _ places: [(place: Place, distance: Double?)], _ arguments: Arguments
  ) throws {
    guard !arguments.has("json") else {
      // Degrees and metres.
      let rows = places.map { place, distance in
        JSONObject(known: [
          "id": place.id, "name": place.name ?? "", "lat": place.latitude, "lon": place.longitude,
          "radius": place.radius, "learned": place.isLearned, "distance": distance,
        ])
      }
      return try TextOutput.print(JSONText.compact(rows) + "\n")
    }
    let header = "id,name,lat,lon,radius,learned,distance"
    try CSVTable.print(places, header: header) { row, line in
      let (place, distance) = row
      line.add("\(place.id)")
      line.add(CSVLine.quoted(place.name ?? ""))
      line.add(place.latitude, decimals: 8)
      line.add(place.longitude, decimals: 8)
      line.add(place.radius, decimals: 1)
      line.add(place.isLearned ? "1" : "0")
      line.add(distance, decimals: 3)
    }
  }
}

extension Arguments {
  /// The user's part of the journal with the places of all that is recorded; nothing is stored, for
  /// the model that the user's days are computed by may be another one.
  fileprivate func readingDays() throws -> UserJournal { try updatedInMemory(.default) }

  /// The number of a place in a required option, also as the letters that a report gives it.
  fileprivate func placeNumber(_ option: String) throws -> Int {
    let text = try required(option)
    guard let number = Int(text) ?? ReportPlaces.number(ofLetters: text) else {
      throw UsageError("'--\(option) \(text)': expected a number or the letters of a report")
    }
    return number
  }

  /// The value of a required option in degrees.
  fileprivate func degrees(_ name: String, _ limit: Double) throws -> Double {
    _ = try required(name)
    return try number(name, default: 0, in: -limit...limit)
  }
}

extension Journal {
  /// An existing user; none is added.
  func existing(_ name: String?) throws(JournalError) -> UserJournal {
    guard let name, let user = try existingUser(name) else { throw .unknownUser }
    return user
  }

  /// An existing journal, opened for writing, of whatever version.
  static func writingExisting(
    _ path: String, _ settings: Settings = .init()
  ) throws(JournalError) -> Journal {
    guard FileManager.default.fileExists(atPath: path) else { throw .notFound(path: path) }
    return try Journal(path: path, settings: settings)
  }
}
