// What the report uses of Foundation, where there is none: the module has the name of Foundation,
// so that the same sources are compiled in Embedded Swift. `build.sh` alone builds it.

@_exported public import CLocomotionMath

/// An instant of the Unix clock.
public struct Date: Sendable {
  /// Seconds since the beginning of 1970 in UTC.
  public var timeIntervalSince1970: Double

  /// An instant by its seconds since the beginning of 1970 in UTC.
  public init(timeIntervalSince1970: Double) {
    self.timeIntervalSince1970 = timeIntervalSince1970
  }
}

/// A time zone as its offsets to UTC in the time of a recording, which the browser knows.
public struct TimeZone: Sendable {
  /// The name, as "Europe/Berlin".
  public let identifier: String
  /// From when on there is which offset to UTC, seconds, in order of time; the first holds before
  /// it, too.
  private let offsets: [(from: Double, seconds: Int)]

  /// A time zone of these offsets; UTC without one.
  public init(identifier: String, offsets: [(from: Double, seconds: Int)]) {
    self.identifier = identifier
    self.offsets = offsets
  }

  /// Universal time.
  public static let gmt = TimeZone(identifier: "GMT", offsets: [])

  /// The offset to UTC at an instant, seconds.
  public func secondsFromGMT(for date: Date) -> Int {
    let last = offsets.last { $0.from <= date.timeIntervalSince1970 }
    return (last ?? offsets.first)?.seconds ?? 0
  }

  /// The first offset to UTC, seconds.
  public func secondsFromGMT() -> Int { offsets.first?.seconds ?? 0 }
}

extension String {
  /// A number with all of its digits, whatever the format.
  package init(format: String, _ value: Double) { self = "\(value)" }

  /// What makes letters alike.
  public enum CompareOptions {
    case diacriticInsensitive
  }

  /// The text itself: accents are told apart.
  package func folding(options: CompareOptions, locale: Never?) -> String { self }

  /// Whether another text is part of this one.
  package func contains(_ other: String) -> Bool {
    let bytes = Array(utf8)
    return bytes.indices.contains { bytes[$0...].starts(with: other.utf8) }
  }
}
