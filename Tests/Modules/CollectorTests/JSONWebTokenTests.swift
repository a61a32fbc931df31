import Foundation
import LocomotionCollector
import TestSupport
import Testing

@Suite struct JSONWebTokenTests {
  /// The tokens that `Tests/Support/Golden/token_golden.py` made by another implementation.
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
      let path = TestFiles.packageRoot.appendingPathComponent(
        "Tests/Support/Golden/token_golden.json")
      return Array(try Data(contentsOf: path))
    }

    /// The issuer's keys as a file.
    static func keys() throws -> [UInt8] {
      let object = try JSONSerialization.jsonObject(with: Data(bytes())) as? [String: Any]
      return Array(try JSONSerialization.data(withJSONObject: #require(object?["keys"])))
    }
  }

  private static let requirements = TokenRequirements(
    issuer: "https://issuer.example", audience: "archive")

  private static func answer(
    _ token: String, _ keys: JSONWebKeySet, now: Double
  ) -> String {
    do throws(TokenRefusal) {
      return try JSONWebToken(verifying: token, with: keys, requirements, now: now).user
    } catch {
      return "\(error)"
    }
  }

  @Test(arguments: Golden.all.tokens)
  func aTokenIsTakenOrRefusedForItsReason(token: Golden.Token) throws {
    let keys = try JSONWebKeySet(Golden.keys())
    #expect(keys.count == 3)
    let found = Self.answer(token.token, keys, now: Golden.all.now)
    // By bytes: two spellings of a letter are one text for Swift.
    #expect(Array(found.utf8) == Array(token.answer.utf8), "\(found)")
  }

  @Test func everyRefusalIsTested() {
    let found = Set(Golden.all.tokens.map(\.answer))
    let missing = TokenRefusal.allCases.filter { !found.contains("\($0)") }
    #expect(missing.isEmpty)
  }

  @Test func noChangeOfOneLetterIsTaken() throws {
    let keys = try JSONWebKeySet(Golden.keys())
    let good = try #require(Golden.all.tokens.first { $0.name == "by the shared secret" }).token
    #expect(Self.answer(good, keys, now: Golden.all.now) == "ada")
    var letters = Array(good.utf8)
    for place in letters.indices where letters[place] != UInt8(ascii: ".") {
      let kept = letters[place]
      for other in [UInt8(ascii: "A"), UInt8(ascii: "_"), kept ^ 1] where other != kept {
        letters[place] = other
        let answer = Self.answer(
          String(decoding: letters, as: UTF8.self), keys, now: Golden.all.now)
        #expect(answer != "ada", "letter \(place)")
      }
      letters[place] = kept
    }
  }

  /// A file with some of the golden keys, and who sends the tokens by the old and the new one.
  private struct KeyFolder {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let tokens: [String]
    private let all: [[String: Any]]

    init() throws {
      let document = try #require(
        JSONSerialization.jsonObject(with: Data(Golden.keys())) as? [String: [[String: Any]]])
      all = try #require(document["keys"])
      tokens = try ["by the old key", "by the new key"].map { name in
        try #require(Golden.all.tokens.first { $0.name == name }).token
      }
    }

    func write(_ numbers: Set<String>) throws {
      let keys = all.filter { numbers.contains($0["kid"] as? String ?? "") }
      try JSONSerialization.data(withJSONObject: ["keys": keys]).write(to: path)
    }

    func answers(_ file: TokenKeyFile, _ later: Double) -> [String]? {
      let now = Golden.all.now
      guard let keys = file.keys(now: now + later) else { return nil }
      return tokens.map { JSONWebTokenTests.answer($0, keys, now: now) }
    }
  }

  @Test func anIssuerChangesItsKeysWhileTheProgramRuns() throws {
    let folder = try KeyFolder()
    defer { try? FileManager.default.removeItem(at: folder.path) }
    try folder.write(["old"])
    let file = try TokenKeyFile(path: folder.path.path, now: Golden.all.now)
    #expect(folder.answers(file, 0) == ["ada", "unknownKey"])
    try folder.write(["old", "new"])
    #expect(folder.answers(file, 0.5) == ["ada", "unknownKey"])
    #expect(folder.answers(file, 2) == ["ada", "ada"])
    try folder.write(["new"])
    #expect(folder.answers(file, 4) == ["unknownKey", "ada"])
    // Half a file leaves what was there.
    try Data("{\"keys\":[".utf8).write(to: folder.path)
    #expect(folder.answers(file, 6) == ["unknownKey", "ada"])
    #expect(file.defect != nil)
    try folder.write(["old", "new"])
    #expect(folder.answers(file, 8) == ["ada", "ada"])
    #expect(file.defect == nil)
  }

  /// What was reported; of one thread, which is all that there is in a test.
  private final class Reports: @unchecked Sendable {
    var all: [String] = []
  }

  @Test(arguments: ["", "{\"keys\":[{\"kty\":\"oct\",\"k\":\"AAAA\"}]}", nil])
  func aKeyThatCannotBeTakenBackIsReportedAndEnds(content: String?) throws {
    let folder = try KeyFolder()
    defer { try? FileManager.default.removeItem(at: folder.path) }
    try folder.write(["old"])
    let reports = Reports()
    let file = try TokenKeyFile(path: folder.path.path, now: Golden.all.now) { report in
      reports.all.append(report)
    }
    #expect(folder.answers(file, 2) == ["ada", "unknownKey"] && reports.all.isEmpty)
    // Another key was to be in it, or none.
    if let content {
      try Data(content.utf8).write(to: folder.path)
    } else {
      try FileManager.default.removeItem(at: folder.path)
    }
    #expect(folder.answers(file, 4) == ["ada", "unknownKey"])
    #expect(reports.all.count == 1 && reports.all[0].contains("in 600 s"))
    // Again after a minute, and not each time somebody asks.
    for later in stride(from: 5.0, through: 603, by: 1) {
      #expect(folder.answers(file, later) == ["ada", "unknownKey"])
    }
    #expect(reports.all.count == 10 && file.failureCount == 600)
    for later in [604.0, 605, 2_000] { #expect(folder.answers(file, later) == nil) }
    #expect(reports.all.count == 12 && reports.all[10].contains("no token is accepted"))
    // A clock that is set back does not make them good for longer.
    #expect(folder.answers(file, -5_000) != nil && folder.answers(file, -4_399) == nil)
    try folder.write(["old"])
    #expect(folder.answers(file, 3_000) == ["ada", "unknownKey"])
    #expect(file.defect == nil && reports.all.last?.contains("read again") == true)
  }

  @Test(arguments: [
    ("", "in JSON"), ("[]", "in JSON"), ("{\"keys\":[]}", "found none"),
    ("{\"keys\":[{\"kty\":\"EC\"}]}", "found none"),
    ("{\"keys\":[{\"kty\":\"oct\",\"k\":\"AAAA\"}]}", "keys[0].k: expected 32 bytes"),
    ("{\"keys\":[{\"kty\":\"oct\"}]}", "keys[0].k"),
    ("{\"keys\":[{\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"AQAB\"}]}", "n of 2048 to 8192 bits"),
    ("{\"keys\":[],\"keys\":[]}", "in JSON"),
  ])
  func aFileWithoutUsableKeysIsRefused(text: String, reason: String) {
    let error = #expect(throws: JSONWebKeySet.Defect.self) {
      try JSONWebKeySet(Array(text.utf8))
    }
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
  }

  @Test func twoKeysOfOneNumberAreRefused() throws {
    let secret = String(repeating: "A", count: 43)
    let key = "{\"kty\":\"oct\",\"kid\":\"a\",\"k\":\"\(secret)\"}"
    let one = "{\"keys\":[\(key)]}"
    #expect(try JSONWebKeySet(Array(one.utf8)).count == 1)
    #expect(throws: JSONWebKeySet.Defect.self) {
      try JSONWebKeySet(Array("{\"keys\":[\(key),\(key)]}".utf8))
    }
  }
}
