import Foundation
import LocomotionRecordings
@_spi(Server) import LocomotionTool

extension Command {
  static let collect = Command(
    name: "collect",
    synopsis: "--database CONNINFO --objects FOLDER|s3://BUCKET[/PREFIX] --cache FOLDER"
      + " (--token-file FILE | --jwks FILE --issuer NAME --audience NAME) [--port N]"
      + " [--certificate FILE --private-key FILE]",
    summary: "Takes what 'sync' sends into an archive, and derives each user's days.",
    options: archivePlaces + [
      Option(
        name: "token-file", value: "FILE", help: "a user and a token per line"),
      Option(
        name: "jwks", value: "FILE",
        help: "the keys of an issuer of JSON Web Tokens (HS256, RS256); read again when it changes"),
      Option(name: "issuer", value: "NAME", help: "what 'iss' of a token must be"),
      Option(name: "audience", value: "NAME", help: "what 'aud' of a token must be or contain"),
      Option(
        name: "time-zone", value: "NAME",
        help: "time zone of the days, such as Europe/Berlin (default UTC)", alias: "zone"),
      Option(
        name: "metrics", value: "USER",
        help: "answers 'GET /metrics' for Prometheus, to the token of this user alone"),
    ] + serverOptions,
    run: runCollect)

  /// The options that say where the archive is.
  static let archivePlaces = [
    Option(
      name: "database", value: "CONNINFO",
      help: "PostgreSQL's connection string, such as 'host=/run/postgresql dbname=archive "
        + "user=locomotion_collector'"),
    Option(
      name: "objects", value: "FOLDER|URL",
      help: "where raw units are: a folder, or s3://BUCKET[/PREFIX] with AWS_ACCESS_KEY_ID, "
        + "AWS_SECRET_ACCESS_KEY and AWS_REGION in the environment"),
    Option(
      name: "s3-endpoint", value: "URL",
      help: "the S3 service (default https://s3.REGION.amazonaws.com)"),
    Option(
      name: "cache", value: "FOLDER",
      help: "for working journals, which are made anew from the units when it is deleted"),
  ]
}

extension Command {
  /// The requests at a time that wait for the disk and the database.
  private static let readers = [HTTPLane.changes: 4, .questions: 2]

  private static func runCollect(_ arguments: Arguments) throws {
    let log = { @Sendable (text: String) in
      StandardError.write("locomotion-server: collect: \(text)\n")
    }
    let access = try arguments.tokenAccess(report: log)
    var limits = try arguments.serverLimits()
    limits.readers = readers
    let place = try arguments.serverPlace()
    let archive = try ArchivePlaces(arguments)
    let objects = CountedObjectStore(try archive.objects)
    let cache = try archive.cache()
    // At once, so that a database that is not migrated is noticed before anything is taken.
    try archive.connections.use { database throws(DatabaseError) in try database.checkVersion() }
    try EarlierSpool.check(in: cache)

    let metrics = CollectMetrics()
    let calendar = try arguments.calendar()
    let journals = WorkingJournals(folder: cache, objects: objects)
    var settings = ArchiveDerivation.Settings()
    settings.calendar = calendar
    let derivation = ArchiveDerivation(
      journals: journals, connections: archive.connections, settings: settings)
    let intake = UnitIntake(objects: objects, connections: archive.connections) {
      derivation.noteChange(of: $0, device: $1)
    }
    let answers = ArchiveAnswers(
      intake: intake, connections: archive.connections, journals: journals, calendar: calendar)
    let gate = RequestGate(
      access, limits: limits, requestsPerMinute: place.requestsPerMinute, log: log)
    let endpoint = CollectEndpoint(
      answers, gate: gate, page: place.page, metrics: metrics)
    let server = try HTTPServer(
      address: place.address, port: place.port, limits: limits,
      credentials: place.credentials, service: endpoint)
    let worker = CollectWorker(
      intake: intake, derivation: derivation,
      publication: DailyPublication(archive.connections), metrics: metrics, log: log)
    endpoint.report = arguments.value("metrics").map {
      MetricsReport(
        reader: $0, metrics: metrics, readings: server.readings, derivation: derivation,
        connections: archive.connections, objects: objects, tokens: access as? IssuedTokens)
    }
    worker.start()
    try place.announce(port: server.port)
    defer { worker.stop() }
    try server.run()
    let counts = metrics.counts
    StandardError.write(
      "locomotion-server: stopped; \(counts.stored) units of \(counts.bytes) bytes stored, "
        + "\(counts.known) known already, \(endpoint.refused) requests refused\n")
  }
}

extension Arguments {
  /// Who may send: by a file of tokens, or by the keys of an issuer, of which `report` gets what
  /// an operator must know later.
  fileprivate func tokenAccess(
    report: @escaping @Sendable (String) -> Void
  ) throws -> any TokenAccess {
    guard let path = value("jwks") else {
      guard !has("issuer"), !has("audience") else {
        throw ServerError.usage("'collect' takes '--issuer' and '--audience' with '--jwks' only")
      }
      guard has("token-file") else {
        throw ServerError.usage("'collect' needs either '--token-file' or '--jwks'")
      }
      let tokens = try accessTokens()
      tokens.warnOfWeakOnes()
      return tokens
    }
    guard !has("token-file") else {
      throw ServerError.usage("'collect' takes either '--token-file' or '--jwks'")
    }
    let (issuer, audience) = (try required("issuer"), try required("audience"))
    do throws(TokenKeyDefect) {
      return try IssuedTokens(
        path: path, issuer: issuer, audience: audience, now: Date().timeIntervalSince1970,
        report: report)
    } catch {
      throw ServerError.usage("'--jwks \(path)': \(error)")
    }
  }
}
