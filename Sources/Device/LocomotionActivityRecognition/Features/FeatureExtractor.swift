internal import LocomotionSignals

/// The eighty-seven features of 5.12 s of acceleration, independent of the phone's orientation.
///
/// The window is band-limited to 20 Hz, split by its mean vector μ (gravity in device axes) into
/// the norm m, the vertical part v and the horizontal part h, and measured in time and frequency:
/// see ``schema`` for every definition. Training and the device run this same code.
///
/// ## Invariance
/// A rotation of the phone changes no feature beyond rounding
/// (`FeatureInvarianceTests.rotationChangesNothing`). A gain error of the sensor shifts logarithms
/// by its logarithm and leaves ratios unchanged; a constant offset moves μ only.
///
/// ## Accuracy
/// Within 10⁻⁵ (relative, or absolute below 1) of the definitions in Float64
/// (`GoldenFeatureTests`).
///
/// ## Degenerate input
/// Features are finite for every input. Values are clamped to ±10⁶ m/s², NaN counts as 0.
/// Logarithms and ratios have a floor below any sensor's noise, so that a constant window gives
/// constant features.
///
/// For batch processing it measures four windows side by side in the widest vectors that the
/// machine has; their features are the same bit for bit.
///
/// - Complexity: O(n log n); allocates in `init` only.
public struct FeatureExtractor: Sendable {
  /// The number of samples in a window, 5.12 s.
  public static let windowLength = 512
  /// The number of samples from which a window that isn't full is classified, 2.5 s.
  public static let shortestWindowLength = 250
  /// The sampling rate of a window, Hz.
  public static let samplingRate: Float = 100

  private var motion = GravityFrame()
  var meter: ShapeMeter
  private var statistics = OrderStatistics()
  /// The signals of the windows, one after the other.
  private var signals: ContiguousArray<SIMD4<Float>>
  /// The measures of each window, from which its features are written.
  private(set) var measures: [WindowMeasures]

  /// Prepares an extractor.
  public init() { self.init(windows: 1, width: 16) }

  /// Prepares an extractor of `windows` windows at once, 1 or 4, in vectors of at most `width`
  /// values, as the machine has them.
  init(windows: Int, width: Int) {
    meter = ShapeMeter(windows: windows, width: width)
    signals = ContiguousArray(repeating: .zero, count: windows * Self.windowLength)
    measures = Array(repeating: WindowMeasures(), count: windows)
  }

  /// Writes the features of `window` to `features`, in the order of ``schema``.
  ///
  /// The window's lanes are x, y, z in m/s² with gravity, and |a|, which isn't read: it is formed
  /// again from the band-limited axes.
  ///
  /// A window that is not full is repeated forwards and backwards until it is.
  ///
  /// - Precondition: `window.count` is 1 to ``windowLength`` and `features.count` is
  ///   `schema.count`.
  public mutating func extract(
    from window: Span<SIMD4<Float>>, into features: inout MutableSpan<Float>
  ) {
    precondition(
      features.count == Self.schema.count,
      "expected room for \(Self.schema.count) features, got \(features.count)")
    take(window, endingAt: nil, at: 0, isOrdinary: SignalCheck(window).isOrdinary)
    measure()
    measures[0].write(to: &features)
  }

  /// The next window is of another stream.
  mutating func forgetWindow() { motion.forgetWindow() }

  /// Adds a window, which ends before the cell `end` of its grid, at `place`, from 0 on.
  mutating func take(
    _ window: Span<SIMD4<Float>>, endingAt end: Int64?, at place: Int, isOrdinary: Bool
  ) {
    precondition(
      1...Self.windowLength ~= window.count,
      "expected 1 to \(Self.windowLength) samples, got \(window.count)")
    measures[place].motion = motion.update(
      from: window, endingAt: end, isOrdinary: isOrdinary, into: &signals,
      at: place * Self.windowLength,
      memory: &meter.transform.memory)
  }

  /// Measures the windows that were added.
  mutating func measure() {
    var means = SIMD16<Float>.zero
    for place in measures.indices {
      let mean = SignalShape.means(of: measures[place].motion.quarterSums)
      for lane in 0..<4 { means[4 * place + lane] = mean[lane] }
    }
    meter.measure(signals, about: means)
    let signals = signals
    for place in measures.indices {
      let first = place * Self.windowLength
      measures[place].derive(from: meter.sums, of: place)
      measures[place].rank(
        signals.span.extracting(first..<first + Self.windowLength), with: &statistics)
    }
  }
}
