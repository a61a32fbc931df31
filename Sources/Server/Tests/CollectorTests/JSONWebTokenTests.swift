import Foundation
import Testing

@testable import LocomotionServer

@Suite struct JSONWebTokenTests {
  /// The tokens that `token_golden.py` made by another implementation.
  struct Golden: Decodable {
    struct Token: Decodable, Sendable, CustomTestStringConvertible {
      let name: String
      let token: String
      /// The user, or the name of the refusal.
      let answer: String
      var testDescription: String { name }
    }

    let now: Double
    let tokens: [Token]

    static let all: Golden = {
      do {
        return try JSONDecoder().decode(Golden.self, from: Data(Self.bytes()))
      } catch { fatalError("token_golden.json: \(error)") }
    }()

    static func bytes() throws -> [UInt8] {
      let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("token_golden.json")
      return Array(try Data(contentsOf: path))
    }

    /// The issuer's keys as a file.
    static func keys() throws -> [UInt8] {
      let object = try JSONSerialization.jsonObject(with: Data(bytes())) as? [String: Any]
      return Array(try JSONSerialization.data(withJSONObject: #require(object?["keys"])))
    }
  }

  /// A file with the golden keys of some numbers, or all, and who sends tokens by them.
  private final class KeyFile {
    private let path = FileManager.default.temporaryDirectory.appendingPathComponent(
      UUID().uuidString)
    /// What was reported.
    private(set) var reports: [String] = []

    init(_ numbers: Set<String>? = nil) throws { try write(numbers) }

    deinit { try? FileManager.default.removeItem(at: path) }

    func write(_ numbers: Set<String>?) throws {
      let document = try #require(
        JSONSerialization.jsonObject(with: Data(Golden.keys())) as? [String: [[String: Any]]])
      let keys = try #require(document["keys"]).filter {
        numbers?.contains($0["kid"] as? String ?? "") ?? true
      }
      try write(JSONSerialization.data(withJSONObject: ["keys": keys]))
    }

    func write(_ content: Data) throws { try content.write(to: path) }

    func remove() throws { try FileManager.default.removeItem(at: path) }

    func tokens() throws(TokenKeyDefect) -> IssuedTokens {
      try IssuedTokens(
        path: path.path, issuer: "https://issuer.example", audience: "archive",
        now: Golden.all.now
      ) { [unowned self] in reports.append($0) }
    }
  }

  /// The user of a token, or the refusal; nil while there are no keys.
  private static func answer(
    _ token: String, _ tokens: IssuedTokens, after seconds: Double = 0
  ) -> String? {
    do throws(TokenRefusal) {
      return try tokens.user(of: token, now: Golden.all.now + seconds)
    } catch {
      return "\(error)"
    }
  }

  @Test(arguments: Golden.all.tokens)
  func aTokenIsTakenOrRefusedForItsReason(token: Golden.Token) throws {
    let found = Self.answer(token.token, try KeyFile().tokens()) ?? ""
    // By bytes: two spellings of a letter are one text for Swift.
    #expect(Array(found.utf8) == Array(token.answer.utf8), "\(found)")
  }

  @Test func noChangeOfOneLetterIsTaken() throws {
    let file = try KeyFile()
    let tokens = try file.tokens()
    let good = try #require(Golden.all.tokens.first { $0.name == "by the shared secret" }).token
    #expect(Self.answer(good, tokens) == "ada")
    var letters = Array(good.utf8)
    for place in letters.indices where letters[place] != UInt8(ascii: ".") {
      let kept = letters[place]
      for other in [UInt8(ascii: "A"), UInt8(ascii: "_"), kept ^ 1] where other != kept {
        letters[place] = other
        let answer = Self.answer(String(decoding: letters, as: UTF8.self), tokens)
        #expect(answer != "ada", "letter \(place)")
      }
      letters[place] = kept
    }
  }

  /// The answers to the tokens by the old and the new key, some seconds later.
  private static func answers(_ tokens: IssuedTokens, after seconds: Double) throws -> [String?] {
    try ["by the old key", "by the new key"].map { name in
      let token = try #require(Golden.all.tokens.first { $0.name == name })
      return answer(token.token, tokens, after: seconds)
    }
  }

  @Test func anIssuerChangesItsKeysWhileTheProgramRuns() throws {
    let file = try KeyFile(["old"])
    let tokens = try file.tokens()
    #expect(try Self.answers(tokens, after: 0) == ["ada", "unknownKey"])
    try file.write(["old", "new"])
    #expect(try Self.answers(tokens, after: 0.5) == ["ada", "unknownKey"])
    #expect(try Self.answers(tokens, after: 2) == ["ada", "ada"])
    try file.write(["new"])
    #expect(try Self.answers(tokens, after: 4) == ["unknownKey", "ada"])
    #expect(file.reports.isEmpty)
  }

  @Test(arguments: ["", "{\"keys\":[{\"kty\":\"oct\",\"k\":\"AAAA\"}]}", "{\"keys\":[", nil])
  func noTokenIsAcceptedWhileTheFileHasADefect(content: String?) throws {
    let file = try KeyFile(["old"])
    let tokens = try file.tokens()
    if let content { try file.write(Data(content.utf8)) } else { try file.remove() }
    for later in 2...5 { #expect(try Self.answers(tokens, after: Double(later)) == [nil, nil]) }
    #expect(file.reports.count == 1 && file.reports[0].contains("no token is accepted"))
    #expect(tokens.failureCount == 4)
    // Also with a clock that was set back.
    try file.write(["old"])
    #expect(try Self.answers(tokens, after: -5) == ["ada", "unknownKey"])
    #expect(file.reports.count == 2 && file.reports[1].contains("read again"))
  }

  @Test(arguments: [
    ("", "in JSON"), ("[]", "in JSON"), ("{\"keys\":[]}", "found none"),
    ("{\"keys\":[{\"kty\":\"EC\"}]}", "found none"),
    ("{\"keys\":[{\"kty\":\"oct\",\"k\":\"AAAA\"}]}", "keys[0]: expected k of 32 bytes"),
    ("{\"keys\":[{\"kty\":\"oct\"}]}", "keys[0]: expected k"),
    ("{\"keys\":[{\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"AQAB\"}]}", "n of 2048 to 8192 bits"),
    ("{\"keys\":[],\"keys\":[]}", "in JSON"),
  ])
  func aFileWithoutUsableKeysIsRefused(text: String, reason: String) {
    let error = #expect(throws: TokenKeyDefect.self) {
      let file = try KeyFile()
      try file.write(Data(text.utf8))
      return try file.tokens()
    }
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
  }

  @Test func twoKeysOfOneNumberAreRefused() throws {
    let secret = String(repeating: "A", count: 43)
    let key = "{\"kty\":\"oct\",\"kid\":\"a\",\"k\":\"\(secret)\"}"
    let file = try KeyFile()
    try file.write(Data("{\"keys\":[\(key)]}".utf8))
    _ = try file.tokens()
    try file.write(Data("{\"keys\":[\(key),\(key)]}".utf8))
    #expect(throws: TokenKeyDefect.self) { try file.tokens() }
  }
}
