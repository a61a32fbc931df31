import Foundation

/// Who may record, by their tokens.
struct AccessTokens: Sendable {
  /// The users' names, in the order in which they were given.
  private(set) var users: [String] = []
  private var tokens: [[UInt8]] = []
  /// Below this a token can be guessed in the time that a server runs.
  static let shortest = 16

  /// Whether a token is short enough to be guessed.
  var hasWeakToken: Bool { tokens.contains { $0.count < Self.shortest } }

  /// Gives a user a token; both must be new.
  mutating func add(_ token: String, for user: String) throws(UsageError) {
    let bytes = Array(token.utf8)
    // What a header field can carry (RFC 6750), and a query without being written in percents.
    guard !bytes.isEmpty, bytes.count <= 512, bytes.allSatisfy({ 0x21...0x7E ~= $0 }) else {
      throw UsageError(
        "the token of '\(user)': expected up to 512 characters of ASCII without blanks")
    }
    guard !users.contains(user) else { throw UsageError("'\(user)' has two tokens") }
    guard !tokens.contains(bytes) else {
      throw UsageError("'\(user)' has the token of another user")
    }
    users.append(user)
    tokens.append(bytes)
  }

  /// Reads a file with a user and a token in each line; `#` begins a comment.
  mutating func add(contentsOf path: String) throws {
    let text: String
    do {
      text = try String(contentsOfFile: path, encoding: .utf8)
    } catch {
      throw UsageError("'--token-file \(path)': cannot be read as text")
    }
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let words = line.split(whereSeparator: \.isWhitespace)
      guard let first = words.first, !first.hasPrefix("#") else { continue }
      guard words.count >= 2, let token = words.last else {
        throw UsageError("'--token-file \(path)', line \(index + 1): expected a user and a token")
      }
      try add(String(token), for: words.dropLast().joined(separator: " "))
    }
  }

  /// The index of the user with this token.
  ///
  /// All tokens are compared with all of it, so that the time tells nothing about how much of a
  /// guess is right.
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

/// So many events a minute, with a minute's worth at once.
struct RateLimit: Sendable {
  private let perMinute: Double
  private var left: Double
  private var last: ContinuousClock.Instant

  init(perMinute: Int, now: ContinuousClock.Instant) {
    self.perMinute = Double(max(perMinute, 1))
    left = self.perMinute
    last = now
  }

  /// Nil when the event may happen, else how many seconds later one may.
  mutating func secondsToWait(now: ContinuousClock.Instant) -> Int? {
    left = min(perMinute, left + (now - last) / .seconds(60) * perMinute)
    last = now
    guard left >= 1 else { return max(1, Int(((1 - left) * 60 / perMinute).rounded(.up))) }
    left -= 1
    return nil
  }
}
