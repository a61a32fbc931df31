internal import LocomotionSensing

/// A value to bind to a statement.
enum PostgresValue: Hashable {
  /// No value.
  case null
  /// An integer of 64 bits.
  case integer(Int64)
  /// A number.
  case real(Double)
  /// True or false.
  case boolean(Bool)
  /// A name or key, in which U+0000 is an error: PostgreSQL stores none.
  case text(String)
  /// A text that a person wrote: what PostgreSQL does not store, U+0000, becomes U+FFFD.
  case prose(String)

  init(_ value: Int?) { self = value.map { .integer(Int64($0)) } ?? .null }

  /// What is not finite is unknown.
  init(_ value: Double?) {
    self = value.flatMap { $0.isFinite ? .real($0) : nil } ?? .null
  }

  init(_ value: Timestamp?) { self = value.map { .integer($0.nanoseconds) } ?? .null }

  init(prose: String?) { self = prose.map { .prose($0) } ?? .null }

  /// The text of PostgreSQL's input syntax, without the 0 at its end; nil for null.
  ///
  /// Nil as well for a text with U+0000, which ``isStorable`` tells.
  var syntax: String? {
    switch self {
    case .null: nil
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .boolean(let flag): flag ? "t" : "f"
    case .text(let text): text
    case .prose(let text):
      String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 }))
    }
  }

  /// Whether PostgreSQL can store it.
  var isStorable: Bool {
    if case .text(let text) = self { return !text.utf8.contains(0) }
    return true
  }
}
