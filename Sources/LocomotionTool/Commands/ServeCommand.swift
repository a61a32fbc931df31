import Foundation
import LocomotionJournal
import LocomotionRecordings

extension Command {
  static let serve = Command(
    name: "serve",
    synopsis: "--store FILE (--user USER --token TOKEN | --token-file FILE) [--port N]"
      + " [--certificate FILE --private-key FILE] [--page [FOLDER]]",
    summary: "Takes what the apps Overland and Sensor Logger send, and keeps it in a journal.",
    operandCount: 0...0,
    options: [
      Option(name: "store", value: "FILE", help: "the journal; made when there is none"),
      .keyFile,
      Option(name: "user", value: "USER", help: "whose recording it is"),
      Option(
        name: "token", value: "TOKEN",
        help: "the user's secret, for 'Authorization: Bearer TOKEN' or '?token=TOKEN'"),
      Option(
        name: "token-file", value: "FILE",
        help: "a user and a token per line, instead of both; not seen by other programs"),
      Option(
        name: "certificate", value: "FILE",
        help: "speaks HTTPS with this certificate, its chain behind it, in PEM"),
      Option(name: "private-key", value: "FILE", help: "of the certificate, in PEM"),
      Option(
        name: "page", value: "[FOLDER]",
        help: "answers browsers with the page that Sources/LocomotionWeb/build.sh leaves in FOLDER "
          + "(default: locomotion-web in a folder above the command's own); browsers give sensors "
          + "to it over HTTPS and on localhost only"),
      Option(
        name: "insecure", value: nil,
        help: "allows another address than this machine's own without a certificate"),
      Option(name: "address", value: "ADDRESS", help: "where to listen (default 127.0.0.1)"),
      Option(name: "port", value: "N", help: "the port; 0 takes a free one (default 8080)"),
      Option(name: "largest-body", value: "BYTES", help: "of one request (default 8388608)"),
      Option(
        name: "requests-per-minute", value: "N", help: "of each user (default 1200)"),
      Option(name: "connections", value: "N", help: "at a time, up to 900 (default 512)"),
      Option(
        name: "seconds", value: "N", help: "that a request may take to come in (default 30)"),
    ],
    run: runServe)

  private static func runServe(_ arguments: Arguments) throws {
    let tokens = try tokens(arguments)
    let limits = try limits(arguments)
    let rate = try arguments.number("requests-per-minute", default: 1_200, in: 1...1e6)
    let port = try arguments.number("port", default: 8_080, in: 0...65_535)
    let address = arguments.value("address") ?? "127.0.0.1"
    let credentials = try credentials(arguments)
    let page = try arguments.value("page").map {
      try PageFiles(folder: $0.isEmpty ? PageFiles.usualFolder() : $0)
    }
    guard credentials != nil || isOwn(address) || arguments.has("insecure") else {
      throw UsageError(
        "'--address \(address)' without '--certificate' and '--private-key' sends tokens and "
          + "locations in the clear; '--insecure' allows it")
    }

    let journal = try Journal(
      path: arguments.required("store"), settings: arguments.journalSettings())
    if journal.undidUnfinishedTransaction {
      StandardError.write("locomotion: an unacknowledged batch of an earlier run was undone\n")
    }
    let endpoint = try RecordingEndpoint(
      journal, tokens, limits: limits, page: page, requestsPerMinute: Int(rate)
    ) { StandardError.write("locomotion: serve: \($0)\n") }
    let server = try HTTPServer(
      address: address, port: Int(port), limits: limits, credentials: credentials,
      service: endpoint)
    if tokens.hasWeakToken {
      StandardError.write(
        "locomotion: a token has fewer than \(AccessTokens.shortest) characters: it can be guessed"
          + "\n")
    }
    if credentials == nil, !isOwn(address) {
      StandardError.write("locomotion: tokens and locations travel in the clear\n")
    }
    var output = TextOutput.standard
    let host = address.contains(":") ? "[\(address)]" : address
    try output.write(
      "listening on \(credentials == nil ? "http" : "https")://\(host):\(server.port)/\n")
    try output.finish()
    try server.run()
    let counts = endpoint.counts
    StandardError.write(
      "locomotion: stopped; \(counts.messages) messages kept with \(counts.samples) samples and "
        + "\(counts.fixes) fixes, \(counts.known) of both known already, "
        + "\(counts.impossible) of an impossible time dropped, \(endpoint.refused) requests "
        + "refused\n")
  }

  private static func limits(_ arguments: Arguments) throws -> HTTPLimits {
    var limits = HTTPLimits()
    limits.largestBody = Int(
      try arguments.number("largest-body", default: Double(limits.largestBody), in: 1...1e9))
    limits.largestBodies = max(limits.largestBodies, limits.largestBody)
    limits.connections = Int(
      try arguments.number("connections", default: Double(limits.connections), in: 1...900))
    limits.secondsPerRequest = try arguments.number(
      "seconds", default: limits.secondsPerRequest, in: 0.1...3_600)
    return limits
  }

  private static func tokens(_ arguments: Arguments) throws -> AccessTokens {
    var tokens = AccessTokens()
    guard let path = arguments.value("token-file") else {
      try tokens.add(arguments.required("token"), for: arguments.required("user"))
      return tokens
    }
    guard !arguments.has("token"), !arguments.has("user") else {
      throw UsageError("'serve' takes either '--token-file' or '--user' with '--token'")
    }
    let file: SecretFile
    do throws(RecordingError) {
      file = try SecretFile(path: path, option: "token-file")
    } catch {
      throw UsageError(error.description)
    }
    warn(of: file, path)
    try tokens.add(contentsOf: file.bytes, named: path)
    guard !tokens.users.isEmpty else {
      throw UsageError("'--token-file \(path)': expected a user and a token, found none")
    }
    return tokens
  }

  /// The certificate and its key, when given.
  private static func credentials(_ arguments: Arguments) throws -> HTTPCredentials? {
    let (certificate, key) = (arguments.value("certificate"), arguments.value("private-key"))
    if certificate == nil, key == nil { return nil }
    guard let certificate, let key else {
      throw UsageError("'serve' takes '--certificate' and '--private-key' together")
    }
    let chain = try SecretFile(path: certificate, option: "certificate")
    let secret = try SecretFile(path: key, option: "private-key")
    warn(of: secret, key)
    for (file, option, path, mark) in [
      (chain, "certificate", certificate, "-----BEGIN CERTIFICATE-----"),
      (secret, "private-key", key, "PRIVATE KEY-----"),
    ] where !String(decoding: file.bytes, as: UTF8.self).contains(mark) {
      throw HTTPServerError(
        description: "'--\(option) \(path)': expected PEM with '\(mark)', found none",
        isInputRejection: true)
    }
    return HTTPCredentials(certificate: chain.bytes, key: secret.bytes)
  }

  private static func warn(of file: SecretFile, _ path: String) {
    if file.isOpenToAll {
      StandardError.write("locomotion: \(path): every user of this machine can read it\n")
    }
  }

  /// Whether an address is reachable from this machine only.
  private static func isOwn(_ address: String) -> Bool {
    let numbers = address.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    return ["::1", "localhost"].contains(address)
      || (numbers.count == 4 && numbers[0] == 127 && !numbers.contains(nil))
  }
}
