import Foundation
import LocomotionFormats
import LocomotionJournal
import LocomotionRecordings
import LocomotionSensing
import LocomotionServing

extension FuzzTarget {
  /// The parsers of bytes from the network and from `locomotion record`'s standard input.
  static let server: [FuzzTarget] = [
    FuzzTarget(name: "message") { bytes in
      let (kind, body) = bytes.headAndTail
      let apps: [LiveMessage.App?] = [nil, .overland, .sensorlogger]
      return rejected { () throws(RecordingError) in
        let message = try LiveMessage(
          body, app: apps[Int(kind) % 3], isApple: kind.isMultiple(of: 2))
        let report = message.report
        precondition(report.read == report.kept + report.droppedCount, "unaccounted for")
        let fixes = message.batches.reduce(0) { $0 + $1.fixes.count }
        precondition(fixes == report.fixes, "fixes that the report does not know of")
      }
    },
    FuzzTarget(name: "line") { bytes in
      do throws(LineDefect) {
        let batch = try RecordedLine(bytes).batch
        let places = batch.fixes.allSatisfy { abs($0.latitude) <= 90 && abs($0.longitude) <= 360 }
        return places ? nil : "a fix that is nowhere"
      } catch {
        return error.reason.isEmpty ? "no reason" : nil
      }
    },
    FuzzTarget(name: "tokens") { bytes in
      var tokens = AccessTokens()
      guard (try? tokens.add(contentsOf: bytes, named: "tokens")) != nil else { return nil }
      let given = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
      for token in given {
        guard let user = tokens.user(of: String(token)) else { continue }
        guard tokens.users.indices.contains(user) else { return "a user that there is not" }
      }
      return nil
    },
    FuzzTarget(name: "request") { bytes in Requests.shared.run(bytes) },
  ]
}

/// Requests to an endpoint, as the HTTP library delivers them.
private final class Requests: @unchecked Sendable {
  static let shared = Requests()

  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("requests-\(UUID().uuidString)")
  private var endpoint: RecordingEndpoint?
  private var count = 0
  private let lock = NSLock()

  /// The journal is recreated after this many requests, because each would scan a longer one.
  private static let requestsPerJournal = 2_000
  private static let known = [200, 400, 401, 404, 405, 411, 413, 415, 422, 429]

  /// Runs one request.
  ///
  /// The first line has its method and path, the next ones header fields and, after a question
  /// mark, query parameters; the body follows the first empty line.
  func run(_ bytes: [UInt8]) -> String? {
    lock.withLock {
      do {
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
              to: request.granted(to: owner),
              with: endpoint.reading(of: request, body: body)())
          case .refused(let answer), .answered(let answer): answer
          }
        guard Self.known.contains(answer.status) else { return "status \(answer.status)" }
        let refused = endpoint.refused - refusedBefore
        let kept = endpoint.counts.messages - before.messages
        return refused + kept == 1 ? nil : "\(kept) kept and \(refused) refused"
      } catch {
        return "\(error)"
      }
    }
  }

  private func renew() throws {
    endpoint = nil
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var tokens = AccessTokens()
    try tokens.add("ada's", for: "ada")
    try tokens.add("bob's", for: "bob")
    endpoint = try RecordingEndpoint(
      Journal(path: folder.appendingPathComponent("journal").path), tokens, limits: HTTPLimits(),
      requestsPerMinute: 1 << 40
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
