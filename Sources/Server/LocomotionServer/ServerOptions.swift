import LocomotionRecordings
@_spi(Server) import LocomotionTool

/// Where a server listens, and what it shows and takes there.
struct ServerPlace {
  let address: String
  let port: Int
  let credentials: HTTPCredentials?
  let page: PageFiles?
  let requestsPerMinute: Int

  /// Says on standard output where the server listens, and where its page is.
  func announce(port: Int) throws {
    if credentials == nil, !ServerPlace.isOwn(address) {
      StandardError.write("locomotion-server: tokens and locations travel in the clear\n")
    }
    var output = TextOutput.standard
    let host = address.contains(":") ? "[\(address)]" : address
    let scheme = credentials == nil ? "http" : "https"
    try output.write("listening on \(scheme)://\(host):\(port)/\n")
    if page != nil {
      // A browser opens no address that stands for all.
      let place = ["0.0.0.0", "[::]"].contains(host) ? "localhost" : host
      try output.write("the page is at \(scheme)://\(place):\(port)/\n")
    }
    try output.finish()
  }

  /// Whether an address is reachable from this machine only.
  static func isOwn(_ address: String) -> Bool {
    let numbers = address.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    return ["::1", "localhost"].contains(address)
      || (numbers.count == 4 && numbers[0] == 127 && !numbers.contains(nil))
  }
}

extension AccessTokens {
  /// Says on standard error when a token can be guessed.
  func warnOfWeakOnes() {
    guard hasWeakToken else { return }
    StandardError.write(
      "locomotion-server: a token has fewer than \(Self.shortest) characters: it can be guessed\n")
  }
}

extension Command {
  /// The options of 'serve' and 'collect' about where they listen and what they take.
  static let serverOptions = [
    Option(
      name: "certificate", value: "FILE",
      help: "speaks HTTPS with this certificate, its chain behind it, in PEM"),
    Option(name: "private-key", value: "FILE", help: "of the certificate, in PEM"),
    Option(
      name: "page", value: "[FOLDER]",
      help: "answers browsers with the page that Sources/Bindings/LocomotionWeb/build.sh leaves in "
        + "FOLDER (default: locomotion-web in a folder above the command's own); browsers give sensors "
        + "to it over HTTPS and on localhost only"),
    Option(
      name: "insecure", value: nil,
      help: "allows another address than this machine's own without a certificate"),
    Option(name: "address", value: "ADDRESS", help: "where to listen (default 127.0.0.1)"),
    Option(name: "port", value: "N", help: "the port; 0 takes a free one (default 8080)"),
    Option(name: "largest-body", value: "BYTES", help: "of one request (default 8388608)"),
    Option(
      name: "requests-per-minute", value: "N", help: "of each user (default 1200)"),
    Option(
      name: "processor-seconds", value: "N",
      help: "a minute of processor time for the requests of each user (default 10)"),
    Option(name: "connections", value: "N", help: "at a time, up to 900 (default 512)"),
    Option(
      name: "seconds", value: "N", help: "that a request may take to come in (default 30)"),
  ]
}

extension Arguments {
  /// Where the server listens.
  func serverPlace() throws -> ServerPlace {
    let rate = try number("requests-per-minute", default: 1_200, in: 1...1e6)
    let port = try number("port", default: 8_080, in: 0...65_535)
    let address = value("address") ?? "127.0.0.1"
    let credentials = try serverCredentials()
    let page = try value("page").map {
      try PageFiles(folder: $0.isEmpty ? PageFiles.usualFolder() : $0)
    }
    guard credentials != nil || ServerPlace.isOwn(address) || has("insecure") else {
      throw ServerError.usage(
        "'--address \(address)' without '--certificate' and '--private-key' sends tokens and "
          + "locations in the clear; '--insecure' allows it")
    }
    return ServerPlace(
      address: address, port: Int(port), credentials: credentials, page: page,
      requestsPerMinute: Int(rate))
  }

  /// The limits for clients.
  func serverLimits() throws -> HTTPLimits {
    var limits = HTTPLimits()
    limits.largestBody = Int(
      try number("largest-body", default: Double(limits.largestBody), in: 1...1e9))
    limits.largestBodies = max(limits.largestBodies, limits.largestBody)
    limits.connections = Int(
      try number("connections", default: Double(limits.connections), in: 1...900))
    limits.secondsPerRequest = try number(
      "seconds", default: limits.secondsPerRequest, in: 0.1...3_600)
    limits.processorSecondsPerMinute = try number(
      "processor-seconds", default: limits.processorSecondsPerMinute, in: 0.001...60)
    return limits
  }

  /// Runs `body`, whose refusals are those of the command line.
  private static func asUsage(
    _ body: () throws(ServerError) -> Void
  ) throws(ServerError) {
    do throws(ServerError) { try body() } catch { throw .usage(error.description) }
  }

  /// The users and their tokens.
  func accessTokens() throws -> AccessTokens {
    var tokens = AccessTokens()
    guard let path = value("token-file") else {
      let (token, user) = (try required("token"), try required("user"))
      try Self.asUsage { () throws(ServerError) in try tokens.add(token, for: user) }
      return tokens
    }
    guard !has("token"), !has("user") else {
      throw ServerError.usage(
        "'\(commandName)' takes either '--token-file' or '--user' with '--token'")
    }
    let file: SecretFile
    do throws(RecordingError) {
      file = try SecretFile(path: path, option: "token-file")
    } catch {
      throw ServerError.usage(error.description)
    }
    warn(of: file, path)
    try Self.asUsage { () throws(ServerError) in
      try tokens.add(contentsOf: file.bytes, named: path)
    }
    guard !tokens.users.isEmpty else {
      throw ServerError.usage("'--token-file \(path)': expected a user and a token, found none")
    }
    return tokens
  }

  /// The certificate and its key, when given.
  private func serverCredentials() throws -> HTTPCredentials? {
    let (certificate, key) = (value("certificate"), value("private-key"))
    if certificate == nil, key == nil { return nil }
    guard let certificate, let key else {
      throw ServerError.usage("'\(commandName)' takes '--certificate' and '--private-key' together")
    }
    let chain = try SecretFile(path: certificate, option: "certificate")
    let secret = try SecretFile(path: key, option: "private-key")
    warn(of: secret, key)
    for (file, option, path, mark) in [
      (chain, "certificate", certificate, "-----BEGIN CERTIFICATE-----"),
      (secret, "private-key", key, "PRIVATE KEY-----"),
    ] where !String(decoding: file.bytes, as: UTF8.self).contains(mark) {
      throw ServerError.rejected(
        "'--\(option) \(path)': expected PEM with '\(mark)', found none")
    }
    return HTTPCredentials(certificate: chain.bytes, key: secret.bytes)
  }

  private func warn(of file: SecretFile, _ path: String) {
    if file.isOpenToAll {
      StandardError.write("locomotion-server: \(path): every user of this machine can read it\n")
    }
  }
}
