internal import LocomotionJournal

/// A text that is not a policy: the line, what is wrong in it and what was expected.
package struct SyncPolicyError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The number of the line, from 1 on.
  package let line: Int
  /// What was expected, and what was found.
  let reason: String
  /// The error in one line.
  package var description: String { "line \(line): \(reason)" }
}

extension SyncPolicy {
  /// Reads a policy from lines `key = value`; empty ones and those that begin with `#` are nothing.
  ///
  /// | Key | Value | Default |
  /// |---|---|---|
  /// | `cellular` | `yes` or `no` | `no` |
  /// | `roaming` | `yes` or `no` | `no` |
  /// | `cellular-bytes-per-day` | bytes | 20000000 |
  /// | `lowest-battery` | 0 to 1 | 0.2 |
  /// | `first-delay` | seconds | 15 |
  /// | `longest-delay` | seconds | 3600 |
  /// | `closing-interval` | seconds | 600 |
  /// | `keep` | `all`, `none`, or a number of days | `all` |
  ///
  /// - Throws: `SyncPolicyError` for an unknown or repeated key, or a value that is out of range.
  package init(text: String) throws(SyncPolicyError) {
    self.init()
    var seen: Set<String> = []
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      let content = Self.trimmed(line)
      guard !content.isEmpty, !content.hasPrefix("#") else { continue }
      let parts = content.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else {
        throw SyncPolicyError(line: index + 1, reason: "expected 'key = value', found no '='")
      }
      let (key, value) = (Self.trimmed(parts[0]), Self.trimmed(parts[1]))
      guard seen.insert(key).inserted else {
        throw SyncPolicyError(line: index + 1, reason: "expected '\(key)' once, found it again")
      }
      if let expected = set(key, to: value) {
        throw SyncPolicyError(
          line: index + 1, reason: "'\(key)': expected \(expected), found '\(value)'")
      }
    }
  }

  /// Sets one value; what was expected when that isn't possible.
  private mutating func set(_ key: String, to value: String) -> String? {
    let number = Double(value).flatMap { $0.isFinite ? $0 : nil }
    switch (key, value) {
    case ("cellular", "yes"): allowsCellular = true
    case ("cellular", "no"): allowsCellular = false
    case ("roaming", "yes"): allowsRoaming = true
    case ("roaming", "no"): allowsRoaming = false
    case ("cellular", _), ("roaming", _): return "'yes' or 'no'"
    case ("cellular-bytes-per-day", _):
      guard let bytes = Int(value), bytes >= 0 else { return "a number of bytes" }
      cellularBytesPerDay = bytes
    case ("lowest-battery", _):
      guard let number, 0...1 ~= number else { return "a number from 0 to 1" }
      lowestBatteryLevel = number
    case ("first-delay", _):
      guard let number, 0.001...86_400 ~= number else { return "0.001 to 86400 seconds" }
      firstDelay = number
    case ("longest-delay", _):
      guard let number, 0.001...86_400 ~= number else { return "0.001 to 86400 seconds" }
      longestDelay = number
    case ("closing-interval", _):
      guard let number, 0...86_400 ~= number else { return "0 to 86400 seconds" }
      closingInterval = number
    case ("keep", "all"): retention = .all
    case ("keep", "none"): retention = .none
    case ("keep", _):
      guard let days = Int(value), 0...36_500 ~= days else {
        return "'all', 'none' or a number of days"
      }
      retention = .days(days)
    default: return "a key of a policy"
    }
    return nil
  }

  private static func trimmed(_ text: Substring) -> String {
    var rest = text
    while rest.first?.isWhitespace == true { rest.removeFirst() }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return String(rest)
  }
}
