/// Points and lines on WGS 84 in the form that PostGIS reads without rounding.
///
/// Well-known binary, extended by PostGIS with the number of the reference system, as hexadecimal
/// digits. Source: OGC 06-103r4, section 8, and PostGIS's manual, section 4.1.2.
enum Geography {
  static func point(_ point: ItemRow.Point) -> String {
    header(type: 1) + coordinates(point)
  }

  /// The line through the points; nil without points.
  ///
  /// A single point is both ends of it.
  static func line(_ points: [ItemRow.Point]) -> String? {
    guard let first = points.first else { return nil }
    let points = points.count == 1 ? [first, first] : points
    return header(type: 2) + hexadecimal(UInt32(points.count))
      + points.map { coordinates($0) }.joined()
  }

  private static func header(type: UInt32) -> String {
    // 1 stands for little-endian, the flag for a reference system, 4326 for WGS 84.
    hexadecimal(UInt8(1)) + hexadecimal(type | 0x2000_0000) + hexadecimal(UInt32(4326))
  }

  private static func coordinates(_ point: ItemRow.Point) -> String {
    hexadecimal(point.longitude.bitPattern) + hexadecimal(point.latitude.bitPattern)
  }

  /// The bytes from the lowest to the highest.
  private static func hexadecimal<Number: FixedWidthInteger & UnsignedInteger>(
    _ number: Number
  ) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    var rest = number
    for _ in 0..<(Number.bitWidth / 8) {
      let byte = Int(UInt8(truncatingIfNeeded: rest))
      text += [digits[byte >> 4], digits[byte & 15]]
      rest = Number.bitWidth > 8 ? rest >> 8 : 0
    }
    return String(decoding: text, as: UTF8.self)
  }
}
