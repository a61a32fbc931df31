/// An integer of 128 bits in two's complement, of which only sums and negations are needed.
///
/// In place of the standard library's `Int128`, which iOS 17 and the other systems of its year
/// lack. In memory the lower word comes first, as the Python package reads it.
package struct WideInteger: Hashable, Sendable, BitwiseCopyable {
  /// The lower 64 bits.
  package let low: UInt64
  /// The upper 64 bits, with the sign.
  package let high: Int64

  /// The integer `high` · 2⁶⁴ + `low`.
  package init(high: Int64, low: UInt64) {
    (self.low, self.high) = (low, high)
  }

  /// Zero.
  package static var zero: WideInteger { WideInteger(high: 0, low: 0) }
  /// The least integer, −2¹²⁷.
  package static var min: WideInteger { WideInteger(high: .min, low: 0) }

  /// The sum modulo 2¹²⁸, and whether the exact one does not fit.
  package func addingReportingOverflow(
    _ other: WideInteger
  ) -> (partialValue: WideInteger, overflow: Bool) {
    let (low, carries) = self.low.addingReportingOverflow(other.low)
    let (partial, first) = high.addingReportingOverflow(other.high)
    let (high, second) = partial.addingReportingOverflow(carries ? 1 : 0)
    // A carry can bring a sum that overflowed back into the range.
    return (WideInteger(high: high, low: low), first != second)
  }

  /// The sum.
  ///
  /// - Precondition: it fits.
  package static func + (lhs: WideInteger, rhs: WideInteger) -> WideInteger {
    let (sum, isTooLarge) = lhs.addingReportingOverflow(rhs)
    precondition(!isTooLarge, "expected a sum of at most 128 bits")
    return sum
  }

  /// The negation.
  ///
  /// - Precondition: the integer is not the least.
  package static prefix func - (value: WideInteger) -> WideInteger {
    precondition(value != .min, "expected an integer whose negation fits")
    return value.negated
  }

  /// The negation modulo 2¹²⁸.
  private var negated: WideInteger {
    let low = ~self.low &+ 1
    return WideInteger(high: ~high &+ (low == 0 ? 1 : 0), low: low)
  }

  /// The magnitude as `high` · 2⁶⁴ + `low`.
  package var magnitude: (high: UInt64, low: UInt64) {
    let value = high < 0 ? negated : self
    return (UInt64(bitPattern: value.high), value.low)
  }
}
