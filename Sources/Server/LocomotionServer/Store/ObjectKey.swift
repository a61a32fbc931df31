internal import Foundation
internal import LocomotionJournal
import LocomotionSensing

/// The name of a raw unit in an object store: whose it is, the day of its first event, its digest.
///
/// As text `user=<name>/day=<YYYY-MM-DD>/<64 hexadecimal digits>.loco`. Only texts of that form are
/// keys, so that no name of a person leads out of the store.
struct ObjectKey: Hashable, Sendable {
  /// The part of a key that is a person's name, in which everything is escaped but `a` to `z`, `0`
  /// to `9`, `-` and `_`.
  ///
  /// Capitals are escaped as well: two names stay apart on a file system that does not tell them
  /// from small letters. A name whose escaped form would be longer than a file's name may be is
  /// replaced by `~` and its SHA-256.
  struct Owner: Hashable, Sendable, Comparable {
    /// The escaped name.
    let text: String
    private static let longest = 200

    /// The owner of this name, which is taken in Unicode's form C.
    init(user: String) {
      let bytes = Array(user.precomposedStringWithCanonicalMapping.utf8)
      let escaped = bytes.map { Self.isPlain($0) ? Self.character($0) : Self.escaped($0) }.joined()
      text =
        escaped.utf8.count <= Self.longest
        ? escaped : "~" + SHA256Digest(of: bytes).hexadecimal
    }

    /// The owner in a key; nil for a text that ``init(user:)`` does not give.
    init?(text: some StringProtocol) {
      let bytes = Array(text.utf8)
      if bytes.first == UInt8(ascii: "~") {
        guard ObjectKey.isDigest(text.dropFirst()) else { return nil }
      } else {
        guard let name = Self.unescaped(bytes), Owner(user: name).text == text else { return nil }
      }
      self.text = String(text)
    }

    /// The person's name; nil when the key only has its digest.
    var user: String? { Self.unescaped(Array(text.utf8)) }

    /// The order of the escaped names.
    static func < (lhs: Owner, rhs: Owner) -> Bool { lhs.text < rhs.text }

    private static func isPlain(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }

    private static func character(_ byte: UInt8) -> String { String(Unicode.Scalar(byte)) }

    private static func escaped(_ byte: UInt8) -> String {
      let digits = String(byte, radix: 16, uppercase: true)
      return digits.utf8.count == 1 ? "%0" + digits : "%" + digits
    }

    private static func unescaped(_ text: [UInt8]) -> String? {
      var bytes: [UInt8] = []
      var rest = text[...]
      while let first = rest.popFirst() {
        guard first == UInt8(ascii: "%") else {
          guard isPlain(first) else { return nil }
          bytes.append(first)
          continue
        }
        guard rest.count >= 2,
          let byte = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
        else { return nil }
        bytes.append(byte)
        rest = rest.dropFirst(2)
      }
      return bytes.isEmpty ? nil : String(validating: bytes, as: UTF8.self)
    }
  }

  /// Whose unit it is.
  let owner: Owner
  /// The day of the unit's first event in UTC, `YYYY-MM-DD`; `0000-00-00` without an event.
  let day: String
  /// The SHA-256 of the unit, 64 lower-case hexadecimal digits.
  let digest: String

  /// The key of a unit.
  init(user: String, firstEvent: Timestamp?, digest: SHA256Digest) {
    owner = Owner(user: user)
    day = firstEvent.map(Self.day) ?? "0000-00-00"
    self.digest = digest.hexadecimal
  }

  /// The key with this text; nil for any other text.
  init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].hasPrefix("user="), parts[1].hasPrefix("day="),
      parts[2].hasSuffix(".loco"), let owner = Owner(text: parts[0].dropFirst(5))
    else { return nil }
    let (day, digest) = (parts[1].dropFirst(4), parts[2].dropLast(5))
    guard Self.isDay(day), Self.isDigest(digest) else { return nil }
    self.owner = owner
    self.day = String(day)
    self.digest = String(digest)
  }

  /// The key as text.
  var text: String { folders.joined(separator: "/") + "/" + file }

  /// The folders of the object, outermost first.
  var folders: [String] { ["user=\(owner.text)", "day=\(day)"] }

  /// The last part of the key.
  var file: String { "\(digest).loco" }

  static func isDigest(_ text: some StringProtocol) -> Bool {
    text.utf8.count == 64
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  static func isDay(_ text: some StringProtocol) -> Bool {
    let bytes = Array(text.utf8)
    return bytes.count == 10
      && bytes.enumerated().allSatisfy { place, byte in
        place == 4 || place == 7 ? byte == UInt8(ascii: "-") : (0x30...0x39).contains(byte)
      }
  }

  /// The day of an instant in UTC, in the calendar of Gregory.
  ///
  /// After E. G. Richards, in the Explanatory Supplement to the Astronomical Almanac (2013),
  /// chapter 15, with the days counted from the first of March of the year 0.
  private static func day(_ instant: Timestamp) -> String {
    let seconds = instant.nanoseconds.flooredDivision(by: 1_000_000_000)
    let days = seconds.flooredDivision(by: 86_400) + 719_468
    let era = days.flooredDivision(by: 146_097)
    let ofEra = days - era * 146_097
    let yearOfEra = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * ofYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    let date = ofYear - (153 * shifted + 2) / 5 + 1
    return [padded(year, 4), padded(month, 2), padded(date, 2)].joined(separator: "-")
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}

extension Int64 {
  fileprivate func flooredDivision(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
