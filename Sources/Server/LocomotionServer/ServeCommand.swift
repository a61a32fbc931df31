import Foundation
import LocomotionJournal
import LocomotionRecordings
@_spi(Server) import LocomotionTool

extension Command {
  static let serve = Command(
    name: "serve",
    synopsis: "--store FILE (--user USER --token TOKEN | --token-file FILE) [--port N]"
      + " [--certificate FILE --private-key FILE] [--page [FOLDER]]",
    summary: "Takes what the apps Overland and Sensor Logger send, and keeps it in a journal.",
    options: [
      Option(name: "store", value: "FILE", help: "the journal; made when there is none"),
      Option(name: "user", value: "USER", help: "whose recording it is"),
      Option(
        name: "token", value: "TOKEN",
        help: "the user's secret, for 'Authorization: Bearer TOKEN' or '?token=TOKEN'"),
      Option(
        name: "token-file", value: "FILE",
        help: "a user and a token per line, instead of both; not seen by other programs"),
      Option(
        name: "time-zone", value: "NAME", help: "of the days at /days/DATE (default: the system's)"),
    ] + serverOptions,
    run: runServe)

  private static func runServe(_ arguments: Arguments) throws {
    let tokens = try arguments.accessTokens()
    let limits = try arguments.serverLimits()
    let place = try arguments.serverPlace()

    let journal = try Journal(path: arguments.required("store"))
    let endpoint = try RecordingEndpoint(
      journal, tokens, limits: limits, page: place.page,
      calendar: arguments.calendar(), requestsPerMinute: place.requestsPerMinute
    ) { StandardError.write("locomotion-server: serve: \($0)\n") }
    let server = try HTTPServer(
      address: place.address, port: place.port, limits: limits, credentials: place.credentials,
      service: endpoint)
    tokens.warnOfWeakOnes()
    try place.announce(port: server.port)
    try server.run()
    let counts = endpoint.counts
    StandardError.write(
      "locomotion-server: stopped; \(counts.messages) messages kept with \(counts.samples) samples and "
        + "\(counts.fixes) fixes, \(counts.known) of both known already, "
        + "\(counts.impossible) of an impossible time dropped, \(endpoint.refused) requests "
        + "refused\n")
  }
}
