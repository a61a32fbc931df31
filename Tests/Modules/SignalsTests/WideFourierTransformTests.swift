import LocomotionSignals
import TestSupport
import Testing

/// Four windows at once give the same bits as one by one, in vectors of any width.
struct WideFourierTransformTests {
  static let lengths = [32, 64, 128, 256, 512, 1024, 2048]
  /// A width beyond the machine's is reduced to it.
  static let widths = [4, 8, 16]
  /// The windows overlap, and one occurs twice.
  static let starts = SIMD4(3, 103, 103, 40)
  static let means = SIMD16<Float>((0..<16).map { Float($0) / 7 - 1 })

  private static func window(_ wide: [SIMD16<Float>], _ window: Int) -> [SIMD4<Float>] {
    wide.map { SIMD4($0[4 * window], $0[4 * window + 1], $0[4 * window + 2], $0[4 * window + 3]) }
  }

  private static func expectSameBits(
    _ wide: [SIMD16<Float>], _ window: Int, _ twin: [SIMD4<Float>], _ note: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let differing = zip(Self.window(wide, window), twin).enumerated().filter { _, pair in
      (0..<4).contains { pair.0[$0].bitPattern != pair.1[$0].bitPattern }
    }
    #expect(
      wide.count == twin.count && differing.isEmpty,
      "window \(window) of \(note): \(differing.first.map { "\($0)" } ?? "")",
      sourceLocation: sourceLocation)
  }

  @Test func theMachineSupportsAKnownWidth() {
    #expect(Self.widths.contains(WideFourierTransform(length: 32).width))
    for width in Self.widths {
      #expect(WideFourierTransform(length: 32, width: width).width <= width)
    }
    #expect(WideFourierTransform(length: 32, width: 4).width == 4)
  }

  @Test(arguments: lengths, widths)
  func powersEqualThoseOfEachWindow(length: Int, width: Int) {
    let signal = RealFourierTransformTests.signal(count: length + 110, seed: 1)
    var transform = WideFourierTransform(length: length, width: width)
    var twin = RealFourierTransform(length: length)
    for count in [length / 2 + 1, length / 3, length / 9, 0] {
      var wide = ContiguousArray<SIMD16<Float>>(repeating: .zero, count: count)
      var output = wide.mutableSpan
      transform.powers(of: signal.slice.span, from: Self.starts, into: &output)
      for index in 0..<4 {
        let start = Self.starts[index]
        var powers = ContiguousArray<SIMD4<Float>>(repeating: .zero, count: count)
        var output = powers.mutableSpan
        twin.powers(of: signal[start..<start + length].span, into: &output)
        Self.expectSameBits(Array(wide), index, Array(powers), "\(count) powers of \(length)")
      }
    }
  }

  @Test(arguments: lengths, widths)
  func hannAndPairPowersEqualThoseOfEachWindow(length: Int, width: Int) {
    let signal = RealFourierTransformTests.signal(count: length + 110, seed: 4)
    var transform = WideFourierTransform(length: length, width: width)
    var twin = RealFourierTransform(length: length)
    for (count, pairCount) in [(length / 2, length / 4 + 1), (length * 77 / 512, length / 5)] {
      var wide = ContiguousArray<SIMD16<Float>>(repeating: .zero, count: count)
      var widePairs = ContiguousArray<SIMD16<Float>>(repeating: .zero, count: pairCount)
      var first = wide.mutableSpan
      var second = widePairs.mutableSpan
      transform.powers(
        of: signal.slice.span, from: Self.starts, less: Self.means, underHann: &first,
        ofPairs: &second)
      for index in 0..<4 {
        let start = Self.starts[index]
        var powers = ContiguousArray<SIMD4<Float>>(repeating: .zero, count: count)
        var pairs = ContiguousArray<SIMD4<Float>>(repeating: .zero, count: pairCount)
        var first = powers.mutableSpan
        var second = pairs.mutableSpan
        twin.powers(
          of: signal[start..<start + length].span,
          less: Self.window([Self.means], index)[0], underHann: &first, ofPairs: &second)
        Self.expectSameBits(Array(wide), index, Array(powers), "\(length) under Hann's window")
        Self.expectSameBits(Array(widePairs), index, Array(pairs), "pairs of \(length)")
      }
    }
  }

  @Test(arguments: lengths, widths)
  func autocorrelationsEqualThoseOfEachWindow(length: Int, width: Int) {
    let lanes = RealFourierTransformTests.signal(count: 4 * (length / 2 + 1), seed: 5)
    let powers = (0...length / 2).map { bin in
      let first = SIMD8(lowHalf: lanes[4 * bin], highHalf: lanes[4 * bin + 1])
      let second = SIMD8(lowHalf: lanes[4 * bin + 2], highHalf: lanes[4 * bin + 3])
      return SIMD16(lowHalf: first, highHalf: second)
    }
    var transform = WideFourierTransform(length: length, width: width)
    var twin = RealFourierTransform(length: length)
    for count in [length / 2 + 1, length * 2 / 5, 3] {
      var wide = ContiguousArray<SIMD16<Float>>(repeating: .zero, count: count)
      var output = wide.mutableSpan
      transform.autocorrelate(powers: powers.slice.span, into: &output)
      for index in 0..<4 {
        let own = Self.window(powers, index)
        var products = ContiguousArray<SIMD4<Float>>(repeating: .zero, count: count)
        var output = products.mutableSpan
        twin.autocorrelate(powers: own.slice.span, into: &output)
        Self.expectSameBits(Array(wide), index, Array(products), "\(count) lags of \(length)")
      }
    }
  }

  /// Invalid values in one window don't affect the others.
  @Test(arguments: widths)
  func everyWindowIsIndependent(width: Int) {
    var signal = RealFourierTransformTests.signal(count: 512, seed: 6)
    var transform = WideFourierTransform(length: 128, width: width)
    func powers() -> [SIMD16<Float>] {
      var powers = ContiguousArray<SIMD16<Float>>(repeating: .zero, count: 65)
      var output = powers.mutableSpan
      transform.powers(of: signal.slice.span, from: SIMD4(0, 128, 256, 384), into: &output)
      return Array(powers)
    }
    let sound = powers()
    signal[130] = SIMD4(repeating: .nan)
    signal[300] = SIMD4(repeating: .infinity)
    let spoiled = powers()
    for window in [0, 3] {
      #expect(Self.window(sound, window) == Self.window(spoiled, window))
    }
    #expect(Self.window(spoiled, 1).allSatisfy { !$0.x.isFinite })
    #expect(Self.window(spoiled, 2).allSatisfy { !$0.x.isFinite })
  }
}
