/// Extracts the features of four windows at once, for batch processing.
///
/// The operations of ``FeatureExtractor`` in the widest vectors that the machine has; the features
/// are the same bit for bit (`WindowLikelihoodTests.fourWindowsAtOnceGiveTheLikelihoodsOfEach`).
struct WideFeatureExtractor: Sendable {
  /// The number of windows that are measured together.
  static let count = 4

  private static let length = FeatureExtractor.windowLength

  private var motion = GravityFrame()
  private var meter: WideShapeMeter
  private var statistics = OrderStatistics()
  /// The signals of the windows, one after the other.
  private var signals = ContiguousArray<SIMD4<Float>>(repeating: .zero, count: count * length)
  private var means = [MotionMeans](repeating: MotionMeans(), count: count)
  private var sums = [ShapeSums](repeating: ShapeSums(), count: count)
  /// The measures of each window.
  private(set) var measures = [WindowMeasures](repeating: WindowMeasures(), count: count)

  /// Prepares an extractor with vectors of at most `width` values, as the machine has them.
  init(width: Int = 16) {
    meter = WideShapeMeter(width: width)
  }

  /// Adds a window at `place`, 0 to 3.
  mutating func take(_ window: Span<SIMD4<Float>>, at place: Int, isOrdinary: Bool) {
    motion.update(from: window, isOrdinary: isOrdinary)
    let first = place * Self.length
    for index in 0..<Self.length { signals[first + index] = motion.lanes[index] }
    means[place] = motion.means
  }

  /// Measures the windows that were added.
  mutating func measure() {
    var lanes = SIMD16<Float>.zero
    for place in 0..<Self.count {
      let mean = SignalShape.means(of: means[place].quarterSums)
      for lane in 0..<4 { lanes[4 * place + lane] = mean[lane] }
    }
    meter.measure(
      signals, from: Self.length &* SIMD4(0, 1, 2, 3), about: lanes, into: &sums)
    for place in 0..<Self.count {
      measures[place].take(means[place], sums[place])
      measures[place].rank(signals, from: place * Self.length, with: &statistics)
    }
  }
}
