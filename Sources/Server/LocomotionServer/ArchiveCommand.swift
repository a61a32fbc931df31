import LocomotionRecordings
@_spi(Server) import LocomotionTool

extension Command {
  static let archive = Command(
    name: "archive",
    synopsis: "migrate|publish|users|days|export|erase|readmit|check|report --database CONNINFO"
      + " [--objects …] [--cache FOLDER] [--user USER] …",
    summary: "Shows, checks, exports or erases what 'collect' has stored; prepares its database.",
    operandCount: 1...1,
    options: archivePlaces + [
      Option(
        name: "user", value: "USER",
        help: "whose data (not for migrate, publish and users; check's: default everyone's)"),
      Option(
        name: "date", value: "YYYY-MM-DD", help: "days', report's: which day", alias: "day"),
      Option(
        name: "device", value: "DEVICE",
        help: "days', report's: which device (default: that which recorded most of the day)"),
      Option(
        name: "json", value: nil,
        help:
          "users', days', check's: JSON; days' with '--date' as 'journal day --json' prints it, without "
          + "a line for each day"),
      Option(
        name: "out", value: "FOLDER|FILE",
        help: "export's: the folder, which must be empty or new; report's: the HTML file"),
      Option(
        name: "receipt", value: "FILE",
        help: "erase's: a file for the receipt, which is printed as well"),
      Option(
        name: "repair", value: nil,
        help: "check's: does what the check says; without it nothing is changed"),
    ],
    run: runArchive)

  private enum ArchiveVerb: String, CaseIterable {
    case migrate, publish, users, days, export, erase, readmit, check, report
  }

  private static func runArchive(_ arguments: Arguments) throws {
    guard let verb = ArchiveVerb(rawValue: arguments.operands[0]) else {
      let verbs = ArchiveVerb.allCases.map(\.rawValue).joined(separator: ", ")
      throw ServerError.usage("'archive \(arguments.operands[0])': expected one of \(verbs)")
    }
    try run(verb, arguments)
  }
}

extension Command {
  private static func run(_ verb: ArchiveVerb, _ arguments: Arguments) throws {
    if verb == .migrate {
      try ArchiveDatabase.migrate(arguments.required("database"))
      return StandardError.write(
        "locomotion-server: the database has schema version \(ArchiveDatabase.schemaVersion)\n")
    }
    let archive = try ArchivePlaces(arguments)
    if verb == .publish { return try publish(archive) }
    if verb == .users { return try listUsers(archive, arguments) }
    if verb == .check { return try check(archive, arguments) }
    let user = try userName(arguments.required("user"))
    switch verb {
    case .days: try writeDays(of: user, archive, arguments)
    case .export: try export(user, archive, arguments)
    case .erase: try erase(user, archive, arguments)
    case .readmit: try readmit(user, archive)
    case .report: try report(on: user, archive, arguments)
    case .migrate, .publish, .users, .check: break
    }
  }

  /// `archive publish`, which a collector does once a day.
  private static func publish(_ archive: ArchivePlaces) throws {
    var count = 0
    while try archive.connections.use({ database throws(DatabaseError) in
      try database.publishNext()
    }) { count += 1 }
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
