/// A sum of symmetric matrices that does not depend on their order.
///
/// Each element is rounded once, to a multiple of 2^``exponent``, when a matrix is added; the
/// multiples are summed as integers of 128 bits, which is exact. So what was added can be
/// subtracted without a trace (Kulisch and Miranker 1986, "The arithmetic of the digital computer:
/// a new approach", section 3, in one fixed range).
///
/// Numbers of magnitude below 2^(``exponent`` + 127) fit. When one does not, or is not finite,
/// every element of ``matrix`` is NaN from then on.
package struct FixedPointSum: Hashable, Sendable {
  /// The number of rows, and of columns.
  let order: Int
  /// The binary logarithm of the unit.
  let exponent: Int
  /// The upper triangle in units, row by row; none is the least integer, whose negation would not
  /// fit.
  private var elements: [WideInteger]
  private var isExceeded = false

  /// The sum of nothing.
  ///
  /// - Precondition: `order` is not negative.
  package init(order: Int, exponent: Int) {
    precondition(order >= 0, "expected an order of 0 or more, got \(order)")
    self.order = order
    self.exponent = exponent
    elements = Array(repeating: WideInteger(high: 0, low: 0), count: order * (order + 1) / 2)
  }

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
        if let value = WideInteger(rounding: scale * matrix[row, column]) {
          add(value, at: place)
        } else {
          isExceeded = true
        }
        place += 1
      }
    }
  }

  /// Subtracts another sum: what is left is as if that one had never been added.
  ///
  /// - Precondition: it has the same order and the same unit.
  package mutating func subtract(_ other: FixedPointSum) {
    precondition(
      other.order == order && other.exponent == exponent,
      "expected order \(order) in units of 2^\(exponent), got \(other.order) in 2^\(other.exponent)"
    )
    for place in elements.indices { add(other.elements[place].negated, at: place) }
    isExceeded = isExceeded || other.isExceeded
  }

  private mutating func add(_ value: WideInteger, at place: Int) {
    if let sum = elements[place].adding(value) {
      elements[place] = sum
    } else {
      isExceeded = true
    }
  }

  /// The sum in double precision, each element within an ulp; NaN when a number did not fit.
  package var matrix: SymmetricMatrix {
    let unit =
      isExceeded ? Double.nan : Double(sign: .plus, exponent: exponent, significand: 1)
    var result = SymmetricMatrix(order: order)
    var place = 0
    for row in 0..<order {
      for column in row..<order {
        result[row, column] = unit * elements[place].value
        place += 1
      }
    }
    return result
  }
}

/// The integer `high` · 2⁶⁴ + `low` in two's complement.
///
/// In place of the standard library's `Int128`, which iOS 17 and the other systems of its year
/// lack.
private struct WideInteger: Hashable, Sendable {
  let low: UInt64
  let high: Int64

  init(high: Int64, low: UInt64) {
    (self.low, self.high) = (low, high)
  }

  /// A number rounded to an integer, halves to even; nil when that does not fit.
  init?(rounding value: Double) {
    let rounded = value.magnitude.rounded(.toNearestOrEven)
    guard rounded < 0x1p127 else { return nil }
    let high = (rounded * 0x1p-64).rounded(.down)
    let magnitude = WideInteger(high: Int64(high), low: UInt64(rounded - high * 0x1p64))
    self = value < 0 ? magnitude.negated : magnitude
  }

  /// The sum; nil when it does not fit, or is the least integer.
  func adding(_ other: WideInteger) -> WideInteger? {
    let (low, carries) = self.low.addingReportingOverflow(other.low)
    let (partial, first) = high.addingReportingOverflow(other.high)
    let (high, second) = partial.addingReportingOverflow(carries ? 1 : 0)
    // A carry can bring a sum that overflowed back into the range.
    return first != second || (high == .min && low == 0) ? nil : WideInteger(high: high, low: low)
  }

  /// The negation modulo 2¹²⁸.
  var negated: WideInteger {
    let low = ~self.low &+ 1
    return WideInteger(high: ~high &+ (low == 0 ? 1 : 0), low: low)
  }

  /// The nearest number but for an ulp.
  var value: Double {
    let magnitude = high < 0 ? negated : self
    let result = Double(UInt64(bitPattern: magnitude.high)) * 0x1p64 + Double(magnitude.low)
    return high < 0 ? -result : result
  }
}
