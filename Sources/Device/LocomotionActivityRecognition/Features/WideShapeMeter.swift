internal import CLocomotionWide
internal import LocomotionSignals

/// The sums of ``ShapeMeter`` for four windows at once, for batch processing.
///
/// A vector of sixteen values holds signal c of window w in lane 4 w + c. The sums are those of
/// ``ShapeMeter`` bit for bit (`WindowLikelihoodTests.fourWindowsAtOnceGiveTheLikelihoodsOfEach`).
///
/// Only this type of the module passes pointers to C: each is that of an array or a span and is
/// valid for one call, and the extents of what the call reads and writes are checked first.
struct WideShapeMeter: Sendable {
  /// The number of values per vector instruction: 16, 8 or 4.
  let width: Int

  private static let length = FeatureExtractor.windowLength
  private static let bandCount = SignalShape.bandEdges.count - 1
  private static let zerosBefore = 7

  private var transform: WideFourierTransform
  private var powers: ContiguousArray<SIMD16<Float>>
  /// The means of adjacent samples, less the mean of all; preceded by zeros.
  private var halved: ContiguousArray<SIMD16<Float>>
  private var halvedTransform: WideFourierTransform
  private var halvedPowers: ContiguousArray<SIMD16<Float>>
  private var products: ContiguousArray<SIMD16<Float>>
  private var results: ContiguousArray<SIMD16<Float>>
  private let bandEdges = SignalShape.bandEdges.map { Int32($0) }

  /// Prepares sums in vectors of at most `width`, as the machine has them.
  init(width: Int = 16) {
    self.width = unsafe Int(locomotion_wide_shape(Int32(width)).pointee.width)
    transform = WideFourierTransform(length: Self.length, width: width)
    halvedTransform = WideFourierTransform(length: Self.length / 2, width: width)
    powers = ContiguousArray(repeating: .zero, count: SignalShape.broadBins.upperBound)
    halved = ContiguousArray(repeating: .zero, count: Self.zerosBefore + Self.length / 2)
    halvedPowers = ContiguousArray(repeating: .zero, count: Self.length / 4 + 1)
    products = ContiguousArray(repeating: .zero, count: SignalShape.lags.upperBound)
    results = ContiguousArray(repeating: .zero, count: max(9, Self.bandCount + 4))
  }

  /// Sums over the four windows of `signals` that begin at `starts` and have these `means`.
  ///
  /// - Precondition: all windows are within `signals`, and there are four sums.
  mutating func measure(
    _ signals: ContiguousArray<SIMD4<Float>>, from starts: SIMD4<Int>, about means: SIMD16<Float>,
    into sums: inout [ShapeSums]
  ) {
    precondition(sums.count == 4, "expected sums for four windows, got \(sums.count)")
    measureSpread(of: signals, from: starts, about: means, into: &sums)
    Self.transform(
      signals, from: starts, less: means, with: &transform, into: &powers, &halvedPowers)
    measureSpectrum(into: &sums)
    measurePeriodicity(into: &sums)
  }

  private mutating func measureSpread(
    of signals: ContiguousArray<SIMD4<Float>>, from starts: SIMD4<Int>, about means: SIMD16<Float>,
    into sums: inout [ShapeSums]
  ) {
    for lane in 0..<4 {
      precondition(
        starts[lane] >= 0 && starts[lane] <= signals.count - Self.length,
        "no \(Self.length) values from \(starts[lane]) on among \(signals.count)")
    }
    unsafe signals.withUnsafeBytes { bytes in
      guard let values = unsafe bytes.baseAddress?.assumingMemoryBound(to: Float.self) else {
        return
      }
      unsafe withUnsafeBytes(of: means) { means in
        unsafe results.withUnsafeMutableBytes { results in
          unsafe halved.withUnsafeMutableBytes { halved in
            let pairs = unsafe halved.baseAddress?.advanced(by: Self.zerosBefore * 64)
              .assumingMemoryBound(to: Float.self)
            var input = unsafe LocomotionSignals(
              windows: (
                values + 4 * starts.x, values + 4 * starts.y, values + 4 * starts.z,
                values + 4 * starts.w
              ), count: Self.length, means: means.baseAddress?.assumingMemoryBound(to: Float.self))
            unsafe locomotion_wide_shape(Int32(width)).pointee.spread(
              &input, results.baseAddress?.assumingMemoryBound(to: Float.self), pairs)
          }
        }
      }
    }
    for window in 0..<4 {
      for quarter in 0..<4 {
        sums[window].squares[quarter] = results[quarter].window(window)
        sums[window].squareSteps[quarter] = results[4 + quarter].window(window)
      }
      sums[window].crossings = SIMD4<Int32>(results[8].window(window))
    }
  }

  private static func transform(
    _ signals: ContiguousArray<SIMD4<Float>>, from starts: SIMD4<Int>, less means: SIMD16<Float>,
    with transform: inout WideFourierTransform, into powers: inout ContiguousArray<SIMD16<Float>>,
    _ halvedPowers: inout ContiguousArray<SIMD16<Float>>
  ) {
    var powers = powers.mutableSpan
    var halvedPowers = halvedPowers.mutableSpan
    transform.powers(
      of: signals.span, from: starts, less: means, underHann: &powers, ofPairs: &halvedPowers)
  }

  private mutating func measureSpectrum(into sums: inout [ShapeSums]) {
    let (broad, peak) = (SignalShape.broadBins, SignalShape.peakBins)
    precondition(
      powers.count >= max(broad.upperBound, peak.upperBound, Int(bandEdges[Self.bandCount])),
      "too few powers")
    unsafe bandEdges.withUnsafeBufferPointer { edges in
      unsafe powers.withUnsafeBytes { powers in
        unsafe results.withUnsafeMutableBytes { results in
          var bins = unsafe LocomotionBins(
            band_edges: edges.baseAddress, band_count: Int32(Self.bandCount),
            broad: (Int32(broad.lowerBound), Int32(broad.upperBound)),
            peak: (Int32(peak.lowerBound), Int32(peak.upperBound)))
          unsafe locomotion_wide_shape(Int32(width)).pointee.spectrum(
            powers.baseAddress?.assumingMemoryBound(to: Float.self), &bins,
            results.baseAddress?.assumingMemoryBound(to: Float.self))
        }
      }
    }
    for window in 0..<4 {
      for band in 0..<Self.bandCount { sums[window].bands[band] = results[band].window(window) }
      sums[window].total = results[Self.bandCount].window(window)
      sums[window].moment = results[Self.bandCount + 1].window(window)
      sums[window].information = results[Self.bandCount + 2].window(window)
      sums[window].peak = results[Self.bandCount + 3].window(window)
    }
  }

  private mutating func measurePeriodicity(into sums: inout [ShapeSums]) {
    Self.autocorrelate(halvedPowers, with: &halvedTransform, into: &products)
    unsafe products.withUnsafeBytes { products in
      unsafe halved.withUnsafeBytes { halved in
        unsafe results.withUnsafeMutableBytes { results in
          var lags = LocomotionLags(
            count: Self.length / 2, first: SignalShape.lags.lowerBound,
            end: SignalShape.lags.upperBound)
          unsafe locomotion_wide_shape(Int32(width)).pointee.periodicity(
            products.baseAddress?.assumingMemoryBound(to: Float.self),
            halved.baseAddress?.assumingMemoryBound(to: Float.self), &lags,
            results.baseAddress?.assumingMemoryBound(to: Float.self))
        }
      }
    }
    for window in 0..<4 {
      sums[window].energy = products[0].window(window)
      sums[window].highestProduct = results[0].window(window)
      sums[window].bestLag = results[1].window(window)
    }
  }

  private static func autocorrelate(
    _ powers: ContiguousArray<SIMD16<Float>>, with transform: inout WideFourierTransform,
    into products: inout ContiguousArray<SIMD16<Float>>
  ) {
    var products = products.mutableSpan
    transform.autocorrelate(powers: powers.span, into: &products)
  }
}

extension SIMD16<Float> {
  /// The four signals of one of four windows.
  fileprivate func window(_ index: Int) -> SIMD4<Float> {
    SIMD4(self[4 * index], self[4 * index + 1], self[4 * index + 2], self[4 * index + 3])
  }
}
