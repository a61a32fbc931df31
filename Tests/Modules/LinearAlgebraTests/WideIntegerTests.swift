import LocomotionLinearAlgebra
import TestSupport
import Testing

struct WideIntegerTests {
  /// Words at which carries, borrows and overflows begin, and arbitrary ones.
  private static let words: [UInt64] = {
    var random = SplitMix64(seed: 3)
    return [0, 1, 2, .max, .max - 1, 1 << 63, 1 << 63 - 1, 1 << 63 + 1]
      + (0..<8).map { _ in random.next() }
  }()

  /// All pairs of ``words``.
  private static let integers = words.flatMap { high in
    words.map { WideInteger(high: Int64(bitPattern: high), low: $0) }
  }

  /// The integer in words of 64 bits, the lowest first, with the sign in two more.
  private func words(_ integer: WideInteger) -> [UInt64] {
    let sign: UInt64 = integer.high < 0 ? .max : 0
    return [integer.low, UInt64(bitPattern: integer.high), sign, sign]
  }

  /// The sum, word by word.
  private func sum(_ a: [UInt64], _ b: [UInt64]) -> [UInt64] {
    var carry: UInt64 = 0
    return zip(a, b).map { a, b in
      let (first, isFirst) = a.addingReportingOverflow(b)
      let (second, isSecond) = first.addingReportingOverflow(carry)
      carry = isFirst || isSecond ? 1 : 0
      return second
    }
  }

  @Test func sumsAreThoseOfLongerIntegers() {
    for a in Self.integers {
      for b in Self.integers {
        let (found, overflows) = a.addingReportingOverflow(b)
        let exact = sum(words(a), words(b))
        #expect(Array(words(found)[..<2]) == Array(exact[..<2]), "\(a) + \(b)")
        #expect(overflows == (words(found) != exact), "\(a) + \(b)")
        if !overflows { #expect(a + b == found) }
      }
    }
  }

  @Test func anIntegerAndItsNegationCancelOut() {
    for integer in Self.integers where integer != .min {
      #expect(integer + -integer == .zero)
      let magnitude = integer.magnitude
      let positive = integer.high < 0 ? -integer : integer
      #expect(magnitude.high == UInt64(bitPattern: positive.high) && magnitude.low == positive.low)
    }
    #expect(WideInteger.min.magnitude == (1 << 63, 0))
  }
}
