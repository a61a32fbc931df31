@_spi(Server) import LocomotionTool

extension Command {
  static let archive = Command(
    name: "archive", synopsis: "NAME --database CONNINFO …",
    summary: "Shows, checks, exports or erases what 'collect' has stored; prepares its database.",
    subcommands: archiveCommands)

  private static let archiveCommands = [
    archive("migrate", "", "Makes the database's tables, or brings them up to date.", of: "owner") {
      archive, _ in
      try ArchiveDatabase.migrate(archive.conninfo)
      StandardError.write(
        "locomotion-server: the database has schema version \(ArchiveDatabase.schemaVersion)\n")
    },
    archive("publish", "", "Publishes what analysts see, as 'collect' does daily.", [], publish),
    archive(
      "users", "[--json]", "Lists the users, and how much they have sent.", of: "owner", [json],
      listUsers),
    ofUser(
      "days", "[--date YYYY-MM-DD] [--device DEVICE] [--json]", "Lists a user's days.",
      [
        date, device,
        Option(
          name: "json", value: nil,
          help: "the days themselves, as 'journal day --storyline' prints them"),
      ], example: "--date 2026-11-21 --json", writeDays),
    ofUser(
      "report", "--objects FOLDER|URL --date YYYY-MM-DD --out FILE [--device DEVICE]",
      "Writes the page about a day.",
      objectPlaces + [date, device, Option(name: "out", value: "FILE", help: "the HTML file")],
      example: objects + " --date 2026-11-21 --out report.html", report),
    ofUser(
      "export", "--objects FOLDER|URL --out FOLDER", "Writes all that the archive has of a user.",
      objectPlaces + [
        Option(name: "out", value: "FOLDER", help: "a folder that is empty or does not exist")
      ], example: objects + " --out ada", export),
    ofUser(
      "erase", "--objects FOLDER|URL --cache FOLDER [--receipt FILE] [--unknown]",
      "Erases all that the archive has of a user, and refuses what they send from then on.",
      archivePlaces.dropFirst() + [
        Option(
          name: "receipt", value: "FILE", help: "where the receipt goes, which is printed as well"),
        Option(
          name: "unknown", value: nil, help: "also a user of whom the archive has nothing"),
      ], example: objects + " --cache /srv/archive/cache --receipt ada.json", erase),
    ofUser("readmit", "", "Takes again what a user sends who was erased.", [], readmit),
    archive(
      "check", "--objects FOLDER|URL [--user USER] [--repair] [--json]",
      "Compares the rows with the objects.", of: "owner",
      objectPlaces + [
        Option(
          name: "user", value: "USER",
          help: "whose units (default everyone's, of which the owner of the tables may ask)"),
        Option(
          name: "repair", value: nil, help: "does what it says; without it nothing is changed"),
        json,
      ], example: objects, check),
  ]

  /// One verb of `archive`, with the option that all of them have and its own; the example is that
  /// of a role.
  private static func archive(
    _ verb: String, _ synopsis: String, _ summary: String, of role: String = "collector",
    _ options: [Option] = [], example: String = "",
    _ run: @escaping @Sendable (ArchivePlaces, Arguments) throws -> Void
  ) -> Command {
    Command(
      name: "archive \(verb)", synopsis: "--database CONNINFO " + synopsis, summary: summary,
      options: archivePlaces.prefix(1) + options,
      example: "--database postgresql://locomotion_\(role)@/locomotion " + example
    ) { try run(ArchivePlaces($0), $0) }
  }

  /// One verb that is about a user.
  private static func ofUser(
    _ verb: String, _ synopsis: String, _ summary: String, _ options: [Option],
    example: String = "",
    _ run: @escaping @Sendable (String, ArchivePlaces, Arguments) throws -> Void
  ) -> Command {
    archive(
      verb, "--user USER " + synopsis, summary,
      [Option(name: "user", value: "USER", help: "whose data")] + options,
      example: "--user ada " + example
    ) { archive, arguments in
      try run(userName(arguments.required("user")), archive, arguments)
    }
  }

  private static let objectPlaces = Array(archivePlaces[1...2])
  private static let objects = "--objects /srv/archive/objects"
  private static let json = Option(name: "json", value: nil, help: "JSON instead of CSV")
  private static let date = Option(
    name: "date", value: "YYYY-MM-DD", help: "which day", alias: "day")
  private static let device = Option(
    name: "device", value: "DEVICE",
    help: "which device (default: that which recorded most of the day)")
}

extension Command {
  /// `archive publish`, which a collector does once a day.
  private static func publish(_ archive: ArchivePlaces, _: Arguments) throws {
    var count = 0
    while try archive.use({ database throws(DatabaseError) in try database.publishNext() }) {
      count += 1
    }
    StandardError.write("locomotion-server: published \(count) weeks and months\n")
  }

  /// A user's name as the archive has it.
  static func userName(_ text: String) throws -> String {
    guard let name = UserName.canonical(text) else {
      throw ServerError.usage(
        "'--user': expected 1 to 128 bytes of text without control characters")
    }
    return name
  }
}
