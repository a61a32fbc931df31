internal import CLocomotionWide
internal import LocomotionSignals

/// Computes the sums over windows for their ``SignalShape``, in the widest vectors that the machine
/// has: over one, or over four side by side for batch processing.
///
/// The sums of a window are the same bit for bit
/// (`WindowLikelihoodTests.fourWindowsAtOnceGiveTheLikelihoodsOfEach`).
///
/// Only this type of the module passes pointers to C: each is that of an array or a span and is
/// valid for one call, and the extents of what the call reads and writes are checked first.
struct ShapeMeter: Sendable {
  private static let length = FeatureExtractor.windowLength
  private static let zerosBefore = 7

  private let windows: Int
  private let width: Int
  /// Its memory is that of ``halvedTransform``, too.
  var transform: RealFourierTransform
  private var powers: ContiguousArray<SIMD4<Float>>
  /// The means of adjacent samples, less the mean of all; preceded by zeros.
  private var halved: ContiguousArray<SIMD4<Float>>
  private var halvedTransform: RealFourierTransform
  private var halvedPowers: ContiguousArray<SIMD4<Float>>
  private var products: ContiguousArray<SIMD4<Float>>
  private let bandEdges = SignalShape.bandEdges.map { Int32($0) }
  /// The sums over the windows that were measured last.
  private(set) var sums: ShapeSums

  /// Prepares sums over `windows` windows, 1 or 4, in vectors of at most `width` values, as the
  /// machine has them.
  init(windows: Int, width: Int) {
    (self.windows, self.width) = (windows, width)
    transform = RealFourierTransform(length: Self.length, windows: windows, width: width)
    halvedTransform = RealFourierTransform(
      length: Self.length / 2, windows: windows, width: width, hasMemory: false)
    func room(_ count: Int) -> ContiguousArray<SIMD4<Float>> {
      ContiguousArray(repeating: .zero, count: count * windows)
    }
    powers = room(SignalShape.broadBins.upperBound)
    halved = room(Self.zerosBefore + Self.length / 2)
    halvedPowers = room(Self.length / 4 + 1)
    products = room(SignalShape.lags.upperBound)
    sums = ShapeSums(windows: windows)
  }

  /// Sums over the windows of `signals`, which follow one another and have these `means`, four per
  /// window.
  mutating func measure(
    _ signals: ContiguousArray<SIMD4<Float>>, about means: SIMD16<Float>
  ) {
    precondition(signals.count == windows * Self.length, "signals of another length")
    let starts = Self.length &* SIMD4(0, 1, 2, 3)
    Self.transform(
      signals, from: starts, less: means, with: &transform, into: &powers, &halvedPowers)
    swap(&transform.memory, &halvedTransform.memory)
    Self.autocorrelate(halvedPowers, with: &halvedTransform, into: &products)
    swap(&transform.memory, &halvedTransform.memory)
    sum(signals, from: starts, about: means)
  }

  /// Computes the power spectra, as far as their bins are used; static, so that only the arguments
  /// are accessed.
  private static func transform(
    _ signals: ContiguousArray<SIMD4<Float>>, from starts: SIMD4<Int>, less means: SIMD16<Float>,
    with transform: inout RealFourierTransform, into powers: inout ContiguousArray<SIMD4<Float>>,
    _ halvedPowers: inout ContiguousArray<SIMD4<Float>>
  ) {
    var powers = powers.mutableSpan
    var halvedPowers = halvedPowers.mutableSpan
    transform.powers(
      of: signals.span, from: starts, less: means, underHann: &powers, ofPairs: &halvedPowers)
  }

  /// The sums of the circular products Σ x[n] x[(n + lag) mod N].
  private static func autocorrelate(
    _ powers: ContiguousArray<SIMD4<Float>>, with transform: inout RealFourierTransform,
    into products: inout ContiguousArray<SIMD4<Float>>
  ) {
    var products = products.mutableSpan
    transform.autocorrelate(powers: powers.span, into: &products)
  }

  private mutating func sum(
    _ signals: ContiguousArray<SIMD4<Float>>, from starts: SIMD4<Int>, about means: SIMD16<Float>
  ) {
    let (broad, peak, lags) = (SignalShape.broadBins, SignalShape.peakBins, SignalShape.lags)
    precondition(
      powers.count >= windows * max(broad.upperBound, peak.upperBound, Int(bandEdges.max() ?? 0)),
      "too few powers")
    unsafe withUnsafeBytes(of: means) { means in
      unsafe signals.withUnsafeBytes { signals in
        unsafe powers.withUnsafeBytes { powers in
          unsafe products.withUnsafeBytes { products in
            unsafe halved.withUnsafeMutableBytes { halved in
              unsafe bandEdges.withUnsafeBufferPointer { edges in
                unsafe sums.rows.withUnsafeMutableBytes { rows in
                  guard let values = unsafe signals.baseAddress?.assumingMemoryBound(to: Float.self)
                  else { return }
                  var input = unsafe LocomotionShapeInput(
                    samples: LocomotionWindows(
                      windows: (
                        values + 4 * starts.x, values + 4 * starts.y, values + 4 * starts.z,
                        values + 4 * starts.w
                      ), means: means.baseAddress?.assumingMemoryBound(to: Float.self),
                      count: Int32(windows)),
                    length: Self.length,
                    powers: powers.baseAddress?.assumingMemoryBound(to: Float.self),
                    products: products.baseAddress?.assumingMemoryBound(to: Float.self),
                    pairs: halved.baseAddress?.assumingMemoryBound(to: Float.self))
                  var ranges = unsafe LocomotionShapeRanges(
                    band_edges: edges.baseAddress, band_count: Int32(edges.count - 1),
                    broad: (Int32(broad.lowerBound), Int32(broad.upperBound)),
                    peak: (Int32(peak.lowerBound), Int32(peak.upperBound)),
                    lags: (Int32(lags.lowerBound), Int32(lags.upperBound)))
                  unsafe locomotion_wide_shape(Int32(width), Int32(windows)).pointee.measure(
                    &input, &ranges, rows.baseAddress?.assumingMemoryBound(to: Float.self))
                }
              }
            }
          }
        }
      }
    }
  }
}

/// The sums over windows from which their ``SignalShape`` is derived, one signal per vector lane.
struct ShapeSums: Sendable {
  /// A vector for each window in each row.
  fileprivate var rows: ContiguousArray<SIMD4<Float>>
  private let windows: Int

  fileprivate init(windows: Int) {
    self.windows = windows
    let count = Row.bands.rawValue + SignalShape.bandEdges.count - 1
    rows = ContiguousArray(repeating: .zero, count: count * windows)
  }

  /// The `index`-th sum of a kind over one window.
  subscript(row: Row, index: Int = 0, of window: Int) -> SIMD4<Float> {
    rows[(row.rawValue + index) * windows + window]
  }

  /// The first row of each kind of sum.
  enum Row: Int {
    /// Sums of squared differences from the mean, by quarter.
    case squares = 0
    /// Sums of squared differences of adjacent samples, by quarter.
    case squareSteps = 4
    /// The number of crossings of the mean, with hysteresis.
    case crossings = 8
    /// The sums over the broad bins of |X|², of |X|² times the bin number, and of |X|² times its
    /// logarithm.
    case total, moment, information
    /// The highest |X|² in the bins of the peak.
    case peak
    /// The sum of squares at half the sampling rate.
    case energy
    case highestProduct, bestLag
    /// The sum of |X|² in each band.
    case bands
  }
}
