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
    if let nanoseconds { appendFixed(nanoseconds, decimals: 9, isTrimmed: true) }
  }

  /// Adds a number with a fixed number of decimals, at most nine.
  public mutating func add(_ value: Double?, decimals: Int) {
    separate()
    guard let value, value.isFinite else { return }
    let scaled = (value * Self.powersOfTen[decimals]).rounded()
    if abs(scaled) < 9e18 {
      appendFixed(Int64(scaled), decimals: decimals, isTrimmed: false)
    } else {
      bytes += "\(value)".utf8
    }
  }

  mutating func add(_ value: Float?, decimals: Int) {
    add(value.map { Double($0) }, decimals: decimals)
  }

  private static let powersOfTen: [Double] = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]

  private mutating func separate() {
    if fieldCount > 0 { bytes.append(UInt8(ascii: ",")) }
    fieldCount += 1
  }

  /// Appends `value` / 10^`decimals`, without trailing zeros when `isTrimmed`.
  private mutating func appendFixed(_ value: Int64, decimals: Int, isTrimmed: Bool) {
    var (digits, decimals) = (value.magnitude, decimals)
    while isTrimmed, decimals > 0, digits % 10 == 0 {
      digits /= 10
      decimals -= 1
    }
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    let text = String(digits).utf8
    let padding = max(0, decimals + 1 - text.count)
    let whole = text.count + padding - decimals
    for (place, digit) in (repeatElement(UInt8(ascii: "0"), count: padding) + Array(text))
      .enumerated()
    {
      if place == whole { bytes.append(UInt8(ascii: ".")) }
      bytes.append(digit)
    }
  }
}
