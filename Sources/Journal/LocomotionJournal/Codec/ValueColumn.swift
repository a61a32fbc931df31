/// Codec of one axis of a block, exact to the bit, NaN and the sign of zero included.
///
/// Numbers on a ``ValueGrid`` are stored as an ``IntegerColumn`` of grid indices, and the few that
/// are off the grid beside it. Without a grid zlib compresses the bytes in planes, the lowest bytes
/// of all numbers first, because signs and exponents of successive numbers are alike.
enum ValueColumn {
  /// How a column is stored; the smaller values are the kinds of ``ValueGrid``.
  private enum Kind {
    static let floats: UInt8 = 8
    static let doubles: UInt8 = 9
  }

  static func encode(_ values: [Double], into bytes: inout [UInt8]) {
    guard let grid = ValueGrid(fitting: values) else {
      encodeBytes(of: values, into: &bytes)
      return
    }
    var places: [Int64] = []
    places.reserveCapacity(values.count)
    var others: [(index: Int, value: Double)] = []
    for (index, value) in values.enumerated() {
      if let place = grid.place(of: value) {
        places.append(place)
      } else {
        others.append((index, value))
        places.append(places.last ?? 0)
      }
    }
    guard others.count <= values.count / 8 else {
      encodeBytes(of: values, into: &bytes)
      return
    }
    grid.encode(into: &bytes)
    IntegerColumn.encode(places, into: &bytes)
    bytes.append(variable: UInt64(others.count))
    var last = 0
    for (index, value) in others {
      bytes.append(variable: UInt64(index - last))
      bytes.append(littleEndian: value.bitPattern, byteCount: 8)
      last = index
    }
  }

  static func decode(
    _ count: Int, from reader: inout ByteReader
  ) throws(UnitError) -> [Double] {
    let kind = try reader.byte()
    guard kind < Kind.floats else {
      return try decodeBytes(count, isFloat: kind == Kind.floats, from: &reader)
    }
    guard kind <= 3 else { throw .undecodable }
    let grid = try ValueGrid(kind: kind, from: &reader)
    var values = try IntegerColumn.decode(count, from: &reader).map(grid.value)
    var index = 0
    for _ in 0..<(try reader.count(limit: count)) {
      index += try reader.count(limit: count)
      guard index < count else { throw .undecodable }
      values[index] = Double(bitPattern: try reader.littleEndian(byteCount: 8))
    }
    return values
  }

  private static func encodeBytes(of values: [Double], into bytes: inout [UInt8]) {
    let isFloat = values.allSatisfy { value in
      Double(Float(value)).bitPattern == value.bitPattern
    }
    let width = isFloat ? 4 : 8
    let patterns = values.map { isFloat ? UInt64(Float($0).bitPattern) : $0.bitPattern }
    var planes: [UInt8] = []
    planes.reserveCapacity(width * values.count)
    for place in 0..<width {
      for pattern in patterns { planes.append(UInt8(truncatingIfNeeded: pattern >> (8 * place))) }
    }
    let compressed = Deflate.compressed(planes)
    bytes.append(isFloat ? Kind.floats : Kind.doubles)
    bytes.append(variable: UInt64(compressed.count))
    bytes += compressed
  }

  private static func decodeBytes(
    _ count: Int, isFloat: Bool, from reader: inout ByteReader
  ) throws(UnitError) -> [Double] {
    let length = try reader.count(limit: reader.remaining)
    let compressed = try reader.take(length)
    let width = isFloat ? 4 : 8
    // Deflate compresses by at most 1,032 to 1.
    guard count * width <= 1_100 * (length + 1),
      let planes = Deflate.expanded(compressed, count: count * width)
    else { throw .undecodable }
    return (0..<count).map { index in
      var pattern: UInt64 = 0
      for place in 0..<width { pattern |= UInt64(planes[place * count + index]) << (8 * place) }
      return isFloat
        ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: pattern)))
        : Double(bitPattern: pattern)
    }
  }
}
