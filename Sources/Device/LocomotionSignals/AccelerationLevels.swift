/// The RMS acceleration of a phone along the vertical and across it.
///
/// The vertical is the direction of the mean acceleration μ of the window, u = μ/|μ|:
///
///     vertical²   = mean over the newest samples of ((a − μ)·u)²
///     horizontal² = mean over the newest samples of |a − μ|² − ((a − μ)·u)²
///
/// Both are in m/s² and invariant under any rotation of the phone. A phone whose samples are all
/// equal has levels of exactly zero.
public struct AccelerationLevels: Equatable, Sendable {
  /// RMS along the vertical, m/s².
  public var vertical: Float
  /// RMS across the vertical, m/s².
  public var horizontal: Float

  /// RMS of the whole acceleration without gravity, m/s².
  public var total: Float { (vertical * vertical + horizontal * horizontal).squareRoot() }

  /// Levels of the `newest` last samples of `window`, whose lanes are x, y, z and the norm.
  ///
  /// Returns nil for an empty window. In free fall, where the vertical is undefined, the whole
  /// level is counted as horizontal. Finite for components below 10¹⁵.
  ///
  /// - Precondition: `newest` is positive.
  public init?(window: Span<SIMD4<Float>>, newest: Int) {
    self.init(window: window, newest: newest, isObserved: { _ in true })
  }

  /// The same of those of the newest samples for which `isObserved` holds, by their places in
  /// `window`; nil when it holds for none.
  package init?(window: Span<SIMD4<Float>>, newest: Int, isObserved: (Int) -> Bool) {
    precondition(newest > 0, "expected a positive number of samples, got \(newest)")
    guard window.count > 0 else { return nil }
    // Deviations from the first sample are summed, so that gravity costs no precision.
    let pivot = window[0]
    // Separate sums for even and odd samples, which are independent.
    var (even, odd) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
    for pair in 0..<window.count / 2 {
      even += window[2 * pair] - pivot
      odd += window[2 * pair + 1] - pivot
    }
    if window.count % 2 == 1 { even += window[window.count - 1] - pivot }
    var mean = pivot + (even + odd) / Float(window.count)
    mean.w = 0
    let gravity = (mean * mean).sum().squareRoot()
    let up = gravity > 1e-6 ? mean / gravity : .zero
    let first = max(0, window.count - newest)
    var along: Float = 0
    var across = SIMD4<Float>.zero
    var count: Float = 0
    for index in first..<window.count where isObserved(index) {
      var deviation = window[index] - mean
      deviation.w = 0
      let projection = (deviation * up).sum()
      let rest = deviation - up * projection
      along += projection * projection
      across += rest * rest
      count += 1
    }
    guard count > 0 else { return nil }
    vertical = (along / count).squareRoot()
    horizontal = (across.sum() / count).squareRoot()
  }
}
