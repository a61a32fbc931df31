import LocomotionRecordings
import LocomotionSensing

/// One line of CSV under construction; nil becomes an empty field.
@_spi(Server) public struct CSVLine {
  private(set) var bytes: [UInt8] = []
  private var fieldCount = 0

  /// An empty line.
  public init() {
    bytes.reserveCapacity(128)
  }

  /// A text as a field of CSV that no spreadsheet evaluates as a formula.
  public static func quoted(_ text: String) -> String {
    // By scalars: CR LF is one Character, and so is a comma with a combining accent.
    var scalars = Array(text.unicodeScalars)
    let formulas: [Unicode.Scalar] = ["=", "+", "-", "@", "\t", "\r"]
    if let first = scalars.first, formulas.contains(first) { scalars.insert("'", at: 0) }
    let special: [Unicode.Scalar] = [",", "\"", "\n", "\r"]
    if scalars.contains(where: special.contains) {
      scalars = ["\""] + scalars.flatMap { $0 == "\"" ? [$0, $0] : [$0] } + ["\""]
    }
    return String(String.UnicodeScalarView(scalars))
  }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    fieldCount = 0
  }

  /// Adds a text as it is.
  public mutating func add(_ text: String?) {
    separate()
    if let text { bytes += text.utf8 }
  }

  /// Adds seconds, exactly, without trailing zeros: rows are joined with the input's by their
  /// times.
  mutating func add(nanoseconds: Int64?) {
    separate()
    if let nanoseconds { bytes.append(Timestamp(nanoseconds: nanoseconds)) }
  }

  /// Adds a number with a fixed number of decimals, at most nine.
  public mutating func add(_ value: Double?, decimals: Int) {
    separate()
    guard let value, value.isFinite else { return }
    let scaled = (value * powersOfTen[decimals]).rounded()
    if abs(scaled) < 9e18 {
      bytes.append(Int64(scaled), overPowerOfTen: decimals)
    } else {
      bytes += "\(value)".utf8
    }
  }

  mutating func add(_ value: Float?, decimals: Int) {
    add(value.map { Double($0) }, decimals: decimals)
  }

  private mutating func separate() {
    if fieldCount > 0 { bytes.append(UInt8(ascii: ",")) }
    fieldCount += 1
  }
}
