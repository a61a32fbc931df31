import Foundation
import LocomotionJournal
import LocomotionServing
import Testing

/// Requests and files of tokens as the fuzzer has found them, and many changes of them.
@Suite struct RequestTests {
  /// The inputs in a file of `Corpus`, one per line in Base64.
  private static func inputs(_ name: String) throws -> [[UInt8]] {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Corpus/\(name).txt")
    let inputs = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
      [UInt8](try #require(Data(base64Encoded: String($0))))
    }
    return inputs + [[]] + mutated(inputs)
  }

  /// Each input with some bytes changed, removed or doubled, in ways that are the same every time.
  private static func mutated(_ inputs: [[UInt8]]) -> [[UInt8]] {
    var state: UInt64 = 1
    func random(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % limit
    }
    return inputs.filter { !$0.isEmpty }.flatMap { input in
      (0..<40).map { _ in
        var bytes = input
        for _ in 0...random(3) where !bytes.isEmpty {
          let place = random(bytes.count)
          switch random(4) {
          case 0: bytes[place] = UInt8(random(256))
          case 1: bytes.remove(at: place)
          case 2: bytes.insert(contentsOf: bytes[place...].prefix(random(20)), at: place)
          default: bytes[place] ^= 1 << random(8)
          }
        }
        return bytes
      }
    }
  }

  @Test func everyRequestIsKeptOrRefused() throws {
    let requests = Requests()
    for input in try Self.inputs("request") {
      if let broken = try requests.run(input) {
        Issue.record("\(Data(input).base64EncodedString()): \(broken)")
      }
    }
  }

  @Test func aTokenOfAFileIsAUsers() throws {
    for input in try Self.inputs("tokens") {
      var tokens = AccessTokens()
      guard (try? tokens.add(contentsOf: input, named: "tokens")) != nil else { continue }
      let given = String(decoding: input, as: UTF8.self).split(whereSeparator: \.isWhitespace)
      for token in given {
        guard let user = tokens.user(of: String(token)) else { continue }
        #expect(tokens.users.indices.contains(user))
      }
    }
  }
}

/// Requests to an endpoint, as the HTTP library delivers them.
private final class Requests {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("requests-\(UUID().uuidString)")
  private var endpoint: RecordingEndpoint?
  private var count = 0

  /// The journal is recreated after this many requests, because each would scan a longer one.
  private static let requestsPerJournal = 2_000
  private static let known = [200, 400, 401, 404, 405, 411, 413, 415, 422, 429]

  /// Runs one request.
  ///
  /// The first line has its method and path, the next ones header fields and, after a question
  /// mark, query parameters; the body follows the first empty line.
  func run(_ bytes: [UInt8]) throws -> String? {
    if count.isMultiple(of: Self.requestsPerJournal) { try renew() }
    count += 1
    guard let endpoint else { return "no endpoint" }
    let (request, body) = Self.parsed(bytes, endpoint)
    let before = endpoint.counts
    let refusedBefore = endpoint.refused
    let answer =
      switch endpoint.admission(of: request) {
      case .granted(let owner):
        endpoint.answer(
          to: request.granted(to: owner), with: endpoint.reading(of: request, body: body)())
      case .refused(let answer), .answered(let answer): answer
      }
    guard Self.known.contains(answer.status) else { return "status \(answer.status)" }
    let refused = endpoint.refused - refusedBefore
    let kept = endpoint.counts.messages - before.messages
    return refused + kept == 1 ? nil : "\(kept) kept and \(refused) refused"
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func renew() throws {
    endpoint = nil
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var tokens = AccessTokens()
    try tokens.add("ada's", for: "ada")
    try tokens.add("bob's", for: "bob")
    endpoint = try RecordingEndpoint(
      Journal(path: folder.appendingPathComponent("journal").path), tokens, limits: HTTPLimits(),
      calendar: Calendar(identifier: .gregorian), requestsPerMinute: 1 << 40
    ) { _ in }
  }

  private static func parsed(
    _ bytes: [UInt8], _ endpoint: RecordingEndpoint
  ) -> (HTTPRequest, body: [UInt8]) {
    let lines = bytes.split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
    ).map { String(decoding: $0, as: UTF8.self) }
    let head = lines.prefix { !$0.isEmpty }
    let first = head.first?.split(separator: " ", maxSplits: 1).map(String.init) ?? []
    var request = HTTPRequest(method: first.first ?? "", path: first.dropFirst().first ?? "")
    for line in head.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
      guard parts.count == 2 else { continue }
      let name = parts[0].lowercased()
      if name.hasPrefix("?"), endpoint.queryNames.contains(String(name.dropFirst())) {
        request.query[String(name.dropFirst())] = parts[1]
      } else if endpoint.fieldNames.contains(name) {
        request.fields[name] = parts[1]
      }
    }
    let headLength = head.reduce(0) { $0 + $1.utf8.count + 1 } + 1
    return (request, Array(bytes.dropFirst(headLength)))
  }
}
