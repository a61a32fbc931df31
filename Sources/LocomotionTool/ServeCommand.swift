import Foundation
import LocomotionJournal

extension Command {
  static let serve = Command(
    name: "serve",
    synopsis: "--store FILE (--user USER --token TOKEN | --token-file FILE) [--port N]",
    summary: "Takes what the apps Overland and Sensor Logger send, and keeps it in a journal.",
    operandCount: 0...0,
    options: [
      Option(name: "store", value: "FILE", help: "the journal; made when there is none"),
      Option(name: "user", value: "USER", help: "whose recording it is"),
      Option(
        name: "token", value: "TOKEN",
        help: "the user's secret, for 'Authorization: Bearer TOKEN' or '?token=TOKEN'"),
      Option(
        name: "token-file", value: "FILE",
        help: "a user and a token per line, instead of both; not seen by other programs"),
      Option(name: "address", value: "ADDRESS", help: "where to listen (default 127.0.0.1)"),
      Option(name: "port", value: "N", help: "the port; 0 takes a free one (default 8080)"),
      Option(name: "largest-body", value: "BYTES", help: "of one request (default 8388608)"),
      Option(
        name: "requests-per-minute", value: "N", help: "of each user (default 1200)"),
      Option(name: "connections", value: "N", help: "at a time; others wait (default 64)"),
      Option(
        name: "seconds", value: "N", help: "that a request may take to come in (default 30)"),
    ],
    run: runServe)

  private static func runServe(_ arguments: Arguments) throws {
    // A limit on the size of files is an error to report, like a full disk.
    signal(SIGXFSZ, SIG_IGN)
    var tokens = AccessTokens()
    if let path = arguments.value("token-file") {
      guard !arguments.has("token"), !arguments.has("user") else {
        throw UsageError("'serve' takes either '--token-file' or '--user' with '--token'")
      }
      try tokens.add(contentsOf: path)
      guard !tokens.users.isEmpty else {
        throw UsageError("'--token-file \(path)': expected a user and a token, found none")
      }
    } else {
      try tokens.add(arguments.required("token"), for: arguments.required("user"))
    }
    var limits = HTTPLimits()
    limits.largestBody = Int(
      try arguments.number("largest-body", default: Double(limits.largestBody), in: 1...1e9))
    limits.largestBodies = max(limits.largestBodies, limits.largestBody)
    limits.connections = Int(
      try arguments.number("connections", default: Double(limits.connections), in: 1...10_000))
    limits.secondsPerRequest = try arguments.number(
      "seconds", default: limits.secondsPerRequest, in: 0.1...3_600)
    let rate = try arguments.number("requests-per-minute", default: 1_200, in: 1...1e6)
    let port = try arguments.number("port", default: 8_080, in: 0...65_535)
    let address = arguments.value("address") ?? "127.0.0.1"

    let journal = try Journal(path: arguments.required("store"))
    if journal.undidUnfinishedTransaction {
      StandardError.write("locomotion: an unacknowledged batch of an earlier run was undone\n")
    }
    let endpoint = try RecordingEndpoint(
      journal, tokens, limits: limits, requestsPerMinute: Int(rate)
    ) { StandardError.write("locomotion: serve: \($0)\n") }
    let server = try HTTPServer(
      address: address, port: Int(port), limits: limits, service: endpoint)
    if tokens.hasWeakToken {
      StandardError.write(
        "locomotion: a token has fewer than \(AccessTokens.shortest) characters: it can be guessed"
          + "\n")
    }
    if !["127.0.0.1", "::1", "localhost"].contains(address) {
      StandardError.write(
        "locomotion: tokens and locations travel in the clear: put an HTTPS proxy or a VPN before "
          + "it\n")
    }
    var output = TextOutput.standard
    let host = address.contains(":") ? "[\(address)]" : address
    try output.write("listening on http://\(host):\(server.port)/\n")
    try output.finish()
    try server.run()
    let counts = endpoint.counts
    StandardError.write(
      "locomotion: stopped; \(counts.messages) messages kept with \(counts.samples) samples and "
        + "\(counts.fixes) fixes, \(counts.known) of both known already, \(counts.refused) "
        + "requests refused\n")
  }
}
