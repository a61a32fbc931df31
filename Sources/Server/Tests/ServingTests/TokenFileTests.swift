import Foundation
import Testing

@testable import LocomotionServer

/// Files of tokens as the fuzzer has found them, and many changes of them.
@Suite struct TokenFileTests {
  /// The inputs in `Corpus`, one per line in Base64.
  private static func inputs() throws -> [[UInt8]] {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Corpus/tokens.txt")
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

  @Test func aTokenOfAFileIsAUsers() throws {
    for input in try Self.inputs() {
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
