internal import CLocomotionMath

extension SampleRing {
  /// Appends `count` samples that continue the signal across a gap, to the sample `next` behind it.
  ///
  /// Straight lines would lower the level of what the person does and stop their steps. So the gap
  /// gets more of the same: where the signal repeats itself (walking, running, pedalling), its last
  /// period again and again, in phase; elsewhere its last part backwards, which has the same
  /// spectrum and no rhythm of its own. What is off at either end decays within some 50 ms. With
  /// less than a second of signal before it, the gap is a straight line.
  ///
  /// Lanes 0 to 2 are continued, and lane 3 is their norm. For samples every 10 ms.
  ///
  /// - Complexity: O(1), some microseconds; allocates nothing.
  mutating func appendContinuation(count: Int, to next: SIMD4<Float>) {
    guard count > 0 else { return }
    guard self.count >= Self.shortestHistory else { return appendLine(count: count, to: next) }
    let continuation = withLatest(min(self.count, Self.longestHistory)) {
      Continuation(of: $0, count: count, to: next)
    }
    for index in 0..<count {
      var sample = self[newest: continuation.distance(at: index)]
      sample += continuation.startOffset * continuation.fade(index)
      sample += continuation.endOffset * continuation.fade(count - 1 - index)
      append(Self.withNorm(sample))
    }
  }

  private mutating func appendLine(count: Int, to next: SIMD4<Float>) {
    let first = self.count > 0 ? self[newest: 1] : next
    for index in 1...count {
      let fraction = Float(index) / Float(count + 1)
      append(Self.withNorm(first + (next - first) * fraction))
    }
  }

  /// The sample that was appended `distance` samples ago; 1 is the newest.
  private subscript(newest distance: Int) -> SIMD4<Float> {
    withLatest(distance) { $0[0] }
  }

  private static func withNorm(_ sample: SIMD4<Float>) -> SIMD4<Float> {
    var sample = sample
    sample.w = 0
    sample.w = (sample * sample).sum().squareRoot()
    return sample
  }

  /// A second.
  private static let shortestHistory = 100
  /// Four seconds.
  private static let longestHistory = 400
}

/// How a signal goes on: where each sample is copied from, and what is added at the ends.
private struct Continuation {
  /// The period in samples; nil when the signal doesn't repeat itself.
  private let period: Int?
  private let history: Int
  /// What the first sample is off by, and the last.
  var startOffset = SIMD4<Float>.zero
  var endOffset = SIMD4<Float>.zero

  init(of signal: Span<SIMD4<Float>>, count: Int, to next: SIMD4<Float>) {
    history = signal.count
    period = Self.period(of: signal)
    let newest = signal[signal.count - 1]
    func source(_ index: Int) -> SIMD4<Float> {
      if let period { return signal[signal.count - period + index % period] }
      return signal[signal.count - mirroredDistance(index)]
    }
    if let period { startOffset = newest - signal[signal.count - 1 - period] }
    endOffset = next - source(count)
  }

  /// How many samples before itself sample `index` of the gap is copied from.
  func distance(at index: Int) -> Int {
    if let period { return index + period - index % period }
    return index + mirroredDistance(index)
  }

  /// How many samples before the gap's first its mirror image is, for a signal that goes back and
  /// forth between its ends; the newest is 1.
  private func mirroredDistance(_ index: Int) -> Int {
    let place = index % (2 * history)
    return place < history ? place + 1 : 2 * history - place
  }

  /// The weight of an offset `distance` samples from its end of the gap.
  func fade(_ distance: Int) -> Float {
    distance < 40 ? exp(-Float(distance) / 5) : 0
  }

  /// The lag of the greatest autocorrelation, if that is high enough.
  ///
  /// By the mean squared difference over the newest samples, in vectors, so that the direction of
  /// gravity is no part of it.
  private static func period(of signal: Span<SIMD4<Float>>) -> Int? {
    let longest = min(longestPeriod, signal.count - compared)
    guard longest >= shortestPeriod else { return nil }
    let first = signal.count - compared
    var mean = SIMD4<Float>.zero
    for index in first - longest..<signal.count { mean += signal[index] }
    mean /= Float(compared + longest)
    func energy(_ start: Int) -> Float {
      var sum = SIMD4<Float>.zero
      for index in start..<start + compared {
        let deviation = signal[index] - mean
        sum += deviation * deviation
      }
      return sum.x + sum.y + sum.z
    }
    let own = energy(first)
    var best = (lag: 0, ratio: Float.infinity)
    for lag in shortestPeriod...longest {
      var sum = SIMD4<Float>.zero
      for index in first..<signal.count {
        let difference = signal[index] - signal[index - lag]
        sum += difference * difference
      }
      let ratio = (sum.x + sum.y + sum.z) / max(own + energy(first - lag), .leastNormalMagnitude)
      if ratio < best.ratio { best = (lag, ratio) }
    }
    // The ratio is 1 − r for an autocorrelation of r.
    return best.ratio <= 1 - leastCorrelation ? best.lag : nil
  }

  /// The samples whose repetition is looked for, 1.28 s.
  private static let compared = 128
  /// From two steps of a sprint to a slow stride, .4 to 1.6 s.
  private static let shortestPeriod = 40
  private static let longestPeriod = 160
  private static let leastCorrelation: Float = 0.6
}
