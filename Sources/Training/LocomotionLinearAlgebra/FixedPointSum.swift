/// A sum of symmetric matrices that depends neither on their order nor on how they are grouped.
///
/// Each element is rounded once, to a multiple of 2^``exponent``, when a matrix is added; the
/// multiples are summed as integers of 128 bits, which is exact and associative. So parts may be
/// summed anywhere and combined in any order, and what was added can be subtracted without a
/// trace (Kulisch and Miranker 1986, "The arithmetic of the digital computer: a new approach",
/// section 3, in one fixed range).
///
/// Numbers of magnitude below 2^(``exponent`` + 127) fit. When one does not, or is not finite,
/// ``isExceeded`` holds from then on and every element of ``matrix`` is NaN.
package struct FixedPointSum: Hashable, Sendable {
  /// The number of rows, and of columns.
  package let order: Int
  /// The binary logarithm of the unit.
  package let exponent: Int
  /// The upper triangle in units, row by row.
  package private(set) var elements: [WideInteger]
  /// Whether a number did not fit.
  package private(set) var isExceeded = false

  /// The sum of nothing.
  ///
  /// - Precondition: `order` is not negative.
  package init(order: Int, exponent: Int) {
    precondition(order >= 0, "expected an order of 0 or more, got \(order)")
    self.order = order
    self.exponent = exponent
    elements = Array(repeating: .zero, count: Self.count(order: order))
  }

  /// A sum from its elements.
  ///
  /// - Precondition: there are as many as ``count(order:)`` says.
  package init(order: Int, exponent: Int, elements: [WideInteger]) {
    precondition(
      elements.count == Self.count(order: order),
      "expected \(Self.count(order: order)) elements, got \(elements.count)")
    self.order = order
    self.exponent = exponent
    self.elements = elements
  }

  /// The number of elements on and above the diagonal.
  package static func count(order: Int) -> Int { order * (order + 1) / 2 }

  /// Adds a matrix, rounded to multiples of the unit, halves to even.
  ///
  /// - Precondition: it has the same order.
  /// - Complexity: O(``order``²); allocates nothing.
  package mutating func add(_ matrix: SymmetricMatrix) {
    precondition(matrix.order == order, "expected order \(order), got \(matrix.order)")
    let scale = Double(sign: .plus, exponent: -exponent, significand: 1)
    var place = 0
    for row in 0..<order {
      for column in row..<order {
        if let value = Self.integer(scale * matrix[row, column]) {
          add(value, at: place)
        } else {
          isExceeded = true
        }
        place += 1
      }
    }
  }

  /// Adds another sum.
  ///
  /// - Precondition: it has the same order and the same unit.
  package mutating func add(_ other: FixedPointSum) {
    expectSameShape(other)
    for place in elements.indices { add(other.elements[place], at: place) }
    isExceeded = isExceeded || other.isExceeded
  }

  /// Subtracts another sum: what is left is as if that one had never been added.
  ///
  /// - Precondition: it has the same order and the same unit.
  package mutating func subtract(_ other: FixedPointSum) {
    expectSameShape(other)
    // No number is the least, whose negation would not fit.
    for place in elements.indices { add(-other.elements[place], at: place) }
    isExceeded = isExceeded || other.isExceeded
  }

  private mutating func add(_ value: WideInteger, at place: Int) {
    let (sum, isTooLarge) = elements[place].addingReportingOverflow(value)
    if isTooLarge || sum == .min {
      isExceeded = true
    } else {
      elements[place] = sum
    }
  }

  private func expectSameShape(_ other: FixedPointSum) {
    precondition(
      other.order == order && other.exponent == exponent,
      "expected order \(order) in units of 2^\(exponent), got \(other.order) in 2^\(other.exponent)"
    )
  }

  /// The sum in double precision, each element within an ulp; NaN when it ``isExceeded``.
  package var matrix: SymmetricMatrix {
    let unit =
      isExceeded ? Double.nan : Double(sign: .plus, exponent: exponent, significand: 1)
    var result = SymmetricMatrix(order: order)
    var place = 0
    for row in 0..<order {
      for column in row..<order {
        result[row, column] = unit * Self.double(elements[place])
        place += 1
      }
    }
    return result
  }

  private static func integer(_ value: Double) -> WideInteger? {
    let rounded = value.magnitude.rounded(.toNearestOrEven)
    guard rounded < 0x1p127 else { return nil }
    let high = (rounded * 0x1p-64).rounded(.down)
    let magnitude = WideInteger(
      high: Int64(high), low: UInt64(rounded - high * 0x1p64))
    return value < 0 ? -magnitude : magnitude
  }

  private static func double(_ value: WideInteger) -> Double {
    let magnitude = value.magnitude
    let result = Double(magnitude.high) * 0x1p64 + Double(magnitude.low)
    return value.high < 0 ? -result : result
  }
}
