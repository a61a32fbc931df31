/// Bytes that are not an upload unit: what is wrong, where, and what was expected.
///
/// ``description`` is one line without any content of the unit.
public struct UnitError: Error, Hashable, Sendable {
  /// What is wrong, such as `"the checksum"`.
  public let what: String
  /// The byte at which it shows, counted from 0.
  public let offset: Int
  /// What was expected there.
  public let expected: String
}

extension UnitError: CustomStringConvertible {
  /// The error in one line.
  public var description: String {
    "not an upload unit: \(what) at byte \(offset): expected \(expected)"
  }
}
