/// The fields of a state in a fixed order, as bytes without names: written, read, or described.
///
/// A type lists its fields once, in ``StateArchivable/pass(through:)``, and the list serves all
/// three. Embedded Swift, which has no `Codable`, has this too: every build reads what another one
/// wrote.
///
/// Numbers are little-endian and of fixed width. Reading never traps and allocates no more than the
/// bytes justify: the first impossible value makes the archive damaged, after which nothing is
/// read.
package struct StateArchive: Sendable {
  /// What happens to a field that is passed.
  enum Mode: Sendable {
    /// Its value is appended to ``StateArchive/bytes``.
    case writing
    /// Its value is replaced by the one in ``StateArchive/bytes``.
    case reading
    /// Its type enters ``StateArchive/layout``.
    case describing
  }

  /// What happens to the fields.
  let mode: Mode
  /// What was written, or is read.
  package private(set) var bytes: [UInt8]
  /// The place of the next byte to read.
  package private(set) var offset: Int
  /// Whether something impossible was read.
  package private(set) var isDamaged = false
  /// A digest of the types of the fields that were described, by FNV-1a.
  private(set) var layout: UInt32 = 0x811C_9DC5

  private init(_ mode: Mode, bytes: [UInt8] = [], offset: Int = 0) {
    self.mode = mode
    self.bytes = bytes
    self.offset = offset
  }

  /// An archive that appends to `bytes`.
  package static func writing(after bytes: [UInt8] = []) -> StateArchive {
    StateArchive(.writing, bytes: bytes)
  }

  /// An archive that reads `bytes` from `offset` on.
  package static func reading(_ bytes: [UInt8], from offset: Int = 0) -> StateArchive {
    StateArchive(.reading, bytes: bytes, offset: offset)
  }

  /// An archive that describes the types of what is passed.
  static func describing() -> StateArchive { StateArchive(.describing) }

  package var isReading: Bool { mode == .reading }

  /// Passes one field.
  package mutating func pass(_ field: inout some StateArchivable) {
    field.pass(through: &self)
  }

  /// Passes two fields in the order of the arguments.
  package mutating func pass(
    _ a: inout some StateArchivable, _ b: inout some StateArchivable
  ) {
    pass(&a)
    pass(&b)
  }

  /// Passes three fields in the order of the arguments.
  package mutating func pass(
    _ a: inout some StateArchivable, _ b: inout some StateArchivable,
    _ c: inout some StateArchivable
  ) {
    pass(&a, &b)
    pass(&c)
  }

  /// Passes four fields in the order of the arguments.
  package mutating func pass(
    _ a: inout some StateArchivable, _ b: inout some StateArchivable,
    _ c: inout some StateArchivable, _ d: inout some StateArchivable
  ) {
    pass(&a, &b)
    pass(&c, &d)
  }

  /// Passes five fields in the order of the arguments.
  package mutating func pass(
    _ a: inout some StateArchivable, _ b: inout some StateArchivable,
    _ c: inout some StateArchivable, _ d: inout some StateArchivable,
    _ e: inout some StateArchivable
  ) {
    pass(&a, &b, &c)
    pass(&d, &e)
  }

  /// Passes a whole number; one outside `range` is damage.
  package mutating func pass<Number: FixedWidthInteger>(
    _ field: inout Number, in range: ClosedRange<Number>
  ) {
    let bits = pass(UInt64(truncatingIfNeeded: field), width: 8, as: .integer)
    guard isReading, !isDamaged else { return }
    guard let value = Number(exactly: Int64(bitPattern: bits)), range.contains(value) else {
      return noteDamage()
    }
    field = value
  }

  /// Passes a number that may be infinite or none at all, as a sensor's may.
  mutating func pass(anyValue field: inout Double) {
    let bits = pass(field.bitPattern, width: 8, as: .anyDouble)
    if isReading, !isDamaged { field = Double(bitPattern: bits) }
  }

  /// Passes one of few cases, as its place among all of them.
  package mutating func pass<Case: CaseIterable & Equatable>(caseOf field: inout Case) {
    let cases = Array(Case.allCases)
    let place = cases.firstIndex(of: field) ?? 0
    let bits = pass(UInt64(place), width: 1, as: .choice(of: cases.count))
    guard isReading, !isDamaged else { return }
    guard bits < UInt64(cases.count) else { return noteDamage() }
    field = cases[Int(bits)]
  }

  /// Passes one of few cases or none.
  package mutating func pass<Case: CaseIterable & Equatable>(caseOf field: inout Case?) {
    guard let first = Case.allCases.first else { return }
    var isThere = field != nil
    pass(&isThere)
    var value = field ?? first
    if isThere || mode == .describing { pass(caseOf: &value) }
    if isReading { field = isThere && !isDamaged ? value : nil }
  }

  /// Passes bytes as they are.
  package mutating func pass(bytes field: inout [UInt8]) {
    let count = pass(count: field.count)
    switch mode {
    case .writing: bytes += field
    case .reading:
      field = Array(bytes[offset..<offset + count])
      offset += count
    case .describing: break
    }
  }

  /// Passes a text; bytes that are no UTF-8 are damage.
  package mutating func pass(text field: inout String) {
    var encoded = Array(field.utf8)
    pass(bytes: &encoded)
    guard isReading else { return }
    field = String(decoding: encoded, as: UTF8.self)
    // Decoding replaces invalid bytes: then the result differs.
    require(field.utf8.elementsEqual(encoded))
  }

  /// Something read is impossible.
  package mutating func noteDamage() { isDamaged = true }

  /// Something read is impossible unless `condition` holds.
  package mutating func require(_ condition: @autoclosure () -> Bool) {
    if isReading, !isDamaged, !condition() { noteDamage() }
  }

  // MARK: Bytes

  fileprivate enum Kind {
    case integer, double, anyDouble, float, flag, optional, list
    case choice(of: Int)

    var code: UInt32 {
      switch self {
      case .integer: 1
      case .double: 2
      case .anyDouble: 3
      case .float: 4
      case .flag: 5
      case .optional: 6
      case .list: 7
      case .choice(let count): 16 + UInt32(truncatingIfNeeded: count)
      }
    }
  }

  /// Writes the lowest `width` bytes of `bits`, or reads as many.
  ///
  /// Not inlined: there are hundreds of fields.
  @inline(never)
  fileprivate mutating func pass(_ bits: UInt64, width: Int, as kind: Kind) -> UInt64 {
    switch mode {
    case .writing:
      for place in 0..<width {
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt64(8 * place)))
      }
      return bits
    case .reading:
      guard !isDamaged, width <= bytes.count - offset else {
        noteDamage()
        return bits
      }
      var read: UInt64 = 0
      for place in 0..<width { read |= UInt64(bytes[offset + place]) << UInt64(8 * place) }
      offset += width
      return read
    case .describing:
      layout = (layout ^ kind.code) &* 0x0100_0193
      return bits
    }
  }

  /// Passes the number of elements of a list, of which each has a byte at least.
  fileprivate mutating func pass(count: Int) -> Int {
    let bits = pass(UInt64(count), width: 8, as: .list)
    guard isReading else { return count }
    guard !isDamaged, bits <= UInt64(bytes.count - offset) else {
      noteDamage()
      return 0
    }
    return Int(bits)
  }

  fileprivate mutating func pass(flag: Bool, as kind: Kind) -> Bool {
    let bits = pass(flag ? 1 : 0, width: 1, as: kind)
    guard isReading else { return flag }
    if bits > 1 { noteDamage() }
    return bits == 1 && !isDamaged
  }
}

/// A state whose fields go through a ``StateArchive``.
package protocol StateArchivable {
  /// Passes every field, in an order that never depends on the mode.
  mutating func pass(through archive: inout StateArchive)
}

/// A state that may be missing or one of several: it has a value to read over.
package protocol StateElement: StateArchivable {
  /// A value without meaning.
  static var blank: Self { get }
}

extension AdditiveArithmetic where Self: StateElement {
  /// Zero.
  package static var blank: Self { .zero }
}

extension Int64: StateElement {
  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&self, in: .min ... .max)
  }
}

extension Int: StateElement {
  /// A count: neither negative nor so large that counting on overflows.
  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&self, in: 0...(Int.max / 4))
  }
}

extension UInt8: StateElement {
  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&self, in: .min ... .max)
  }
}

extension Bool: StateElement {
  package static var blank: Bool { false }
  package mutating func pass(through archive: inout StateArchive) {
    let flag = archive.pass(flag: self, as: .flag)
    if archive.isReading { self = flag }
  }
}

extension Double: StateElement {
  /// A finite number.
  package mutating func pass(through archive: inout StateArchive) {
    let value = Double(bitPattern: archive.pass(bitPattern, width: 8, as: .double))
    archive.require(value.isFinite)
    if archive.isReading, !archive.isDamaged { self = value }
  }
}

extension Float: StateElement {
  /// A finite number.
  package mutating func pass(through archive: inout StateArchive) {
    let bits = archive.pass(UInt64(bitPattern), width: 4, as: .float)
    let value = Float(bitPattern: UInt32(truncatingIfNeeded: bits))
    archive.require(value.isFinite)
    if archive.isReading, !archive.isDamaged { self = value }
  }
}

extension SIMD where Scalar: StateElement {
  /// That of every lane.
  package static var blank: Self { Self(repeating: .blank) }
  /// The lanes in their order.
  package mutating func pass(through archive: inout StateArchive) {
    for lane in 0..<Self.scalarCount {
      var scalar = self[lane]
      archive.pass(&scalar)
      self[lane] = scalar
    }
  }
}

extension SIMD2: StateArchivable, StateElement where Scalar: StateElement {}
extension SIMD3: StateArchivable, StateElement where Scalar: StateElement {}
extension SIMD4: StateArchivable, StateElement where Scalar: StateElement {}
extension SIMD8: StateArchivable, StateElement where Scalar: StateElement {}
extension SIMD32: StateArchivable, StateElement where Scalar: StateElement {}

extension Optional: StateArchivable, StateElement where Wrapped: StateElement {
  package static var blank: Wrapped? { nil }
  package mutating func pass(through archive: inout StateArchive) {
    let isThere = archive.pass(flag: self != nil, as: .optional)
    guard isThere || archive.mode == .describing else {
      if archive.isReading { self = nil }
      return
    }
    // With its type: the blank of an optional is none.
    var value: Wrapped = archive.isReading ? .blank : self ?? .blank
    archive.pass(&value)
    if archive.isReading { self = archive.isDamaged ? nil : value }
  }
}

extension Array: StateArchivable, StateElement where Element: StateElement {
  package static var blank: [Element] { [] }
  package mutating func pass(through archive: inout StateArchive) {
    let count = archive.pass(count: count)
    switch archive.mode {
    case .writing:
      for index in indices { archive.pass(&self[index]) }
    case .reading:
      removeAll(keepingCapacity: true)
      for _ in 0..<count where !archive.isDamaged {
        var element = Element.blank
        archive.pass(&element)
        append(element)
      }
    case .describing:
      var element = Element.blank
      archive.pass(&element)
    }
  }
}

// MARK: Measurements

extension Timestamp: StateElement {
  package static var blank: Timestamp { Timestamp(nanoseconds: 0) }
  package mutating func pass(through archive: inout StateArchive) { archive.pass(&nanoseconds) }
}

extension LocationFix: StateElement {
  package static var blank: LocationFix {
    LocationFix(timestamp: .blank, latitude: 0, longitude: 0)
  }

  /// As it came: its properties may have been set to anything.
  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&timestamp)
    archive.pass(anyValue: &latitude)
    archive.pass(anyValue: &longitude)
    archive.pass(anyValue: &altitude)
    archive.pass(anyValue: &horizontalAccuracy)
    archive.pass(anyValue: &verticalAccuracy)
    archive.pass(anyValue: &speed)
    archive.pass(anyValue: &speedAccuracy)
    archive.pass(anyValue: &course)
    archive.pass(anyValue: &courseAccuracy)
  }
}

extension StateArchive {
  fileprivate mutating func pass(anyValue field: inout Double?) {
    let isThere = pass(flag: field != nil, as: .optional)
    var value = field ?? 0
    if isThere || mode == .describing { pass(anyValue: &value) }
    if isReading { field = isThere && !isDamaged ? value : nil }
  }
}
