import Foundation

/// The users who may record, with their access tokens.
struct AccessTokens: Sendable {
  /// The users' names, in the order in which they were given.
  private(set) var users: [String] = []
  private var tokens: [[UInt8]] = []
  /// The shortest token that cannot be guessed in the time that a server runs, bytes.
  static let shortest = 16

  /// Nobody.
  init() {}

  /// Whether a token is short enough to be guessed.
  var hasWeakToken: Bool { tokens.contains { $0.count < Self.shortest } }

  /// Adds a user with a token; both must be new.
  ///
  /// - Throws: `ServerError`, whose message contains neither of them.
  mutating func add(_ token: String, for user: String) throws(ServerError) {
    guard 1...128 ~= user.utf8.count,
      !user.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
    else {
      throw .rejected("expected a user's name of up to 128 bytes without control characters")
    }
    let bytes = Array(token.utf8)
    // The characters allowed in a header field (RFC 6750), and unescaped in a query.
    guard !bytes.isEmpty, bytes.count <= 512, bytes.allSatisfy({ 0x21...0x7E ~= $0 }) else {
      throw .rejected("expected a token of up to 512 characters of ASCII without blanks")
    }
    // The message does not contain the name: it may be a token, if the two were exchanged.
    guard !users.contains(user) else {
      throw .rejected("expected one token for each user, found another for the same user")
    }
    guard !tokens.contains(bytes) else {
      throw .rejected("expected a token of its own for each user, found that of another user")
    }
    users.append(user)
    tokens.append(bytes)
  }

  /// Reads a file with a user and a token in each line.
  ///
  /// They are separated by blanks or tabs, which are also allowed around them; `#` begins a
  /// comment. Lines end with LF, CR LF or CR. An error gives the line number but no content, which
  /// may be a token.
  mutating func add(contentsOf bytes: [UInt8], named path: String) throws(ServerError) {
    var rest = bytes[...]
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
    var number = 0
    // Bytes, because CR LF is one Character, which is not equal to LF.
    while !rest.isEmpty {
      let line = rest.prefix { $0 != Self.lineFeed && $0 != Self.carriageReturn }
      rest = rest.dropFirst(line.count)
      let end = rest.first
      rest = rest.dropFirst()
      if end == Self.carriageReturn, rest.first == Self.lineFeed { rest = rest.dropFirst() }
      number += 1
      let place = "'--token-file \(path)', line \(number)"
      let words = line.split { $0 == 0x20 || $0 == 0x09 }
      guard let first = words.first, first.first != UInt8(ascii: "#") else { continue }
      guard words.count == 2, let user = String(bytes: first, encoding: .utf8) else {
        throw .rejected("\(place): expected a user, blanks and a token in UTF-8")
      }
      do throws(ServerError) {
        try add(String(decoding: words[1], as: UTF8.self), for: user)
      } catch {
        throw .rejected("\(place): \(error.description)")
      }
    }
  }

  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")

  /// The index of the user with this token.
  ///
  /// Each token is compared completely, so that the time does not depend on how much of a guess is
  /// right.
  func user(of token: String) -> Int? {
    let given = Array(token.utf8)
    var found: Int?
    for (index, expected) in tokens.enumerated() {
      var difference = given.count ^ expected.count
      for place in expected.indices {
        difference |= Int(expected[place] ^ (place < given.count ? given[place] : 0))
      }
      if difference == 0 { found = index }
    }
    return found
  }
}

/// A rate limit by a token bucket: an amount per minute, with bursts of a minute's amount or more.
struct RateLimit: Sendable {
  private let perMinute: Double
  private let most: Double
  private var left: Double
  private var last: ContinuousClock.Instant

  init(perMinute: Double, atOnce: Int = 0, now: ContinuousClock.Instant) {
    self.perMinute = perMinute
    most = max(self.perMinute, Double(atOnce))
    left = most
    last = now
  }

  /// Consumes an amount, if the limit allows it now.
  ///
  /// - Parameters:
  ///   - amount: The amount; more than the size of the bucket is never allowed.
  ///   - now: The time.
  /// - Returns: Nil when it was consumed, else the seconds to wait.
  mutating func secondsToWait(_ amount: Double = 1, now: ContinuousClock.Instant) -> Int? {
    refill(now)
    guard left >= amount else {
      return max(1, Int(((amount - left) * 60 / perMinute).rounded(.up)))
    }
    left -= amount
    return nil
  }

  /// Consumes an amount that is known only afterwards, if need be of the time to come.
  mutating func charge(_ amount: Double, now: ContinuousClock.Instant) {
    refill(now)
    left -= amount
  }

  private mutating func refill(_ now: ContinuousClock.Instant) {
    left = min(most, left + (now - last) / .seconds(60) * perMinute)
    last = now
  }
}
