internal import CLocomotionMath

/// A window's motion in quantities that don't depend on how the phone is held.
///
///     μ = mean a     g = |μ|     u = μ / g     e = a − μ
///     m = |a| − g    v = e · u   h = |e − v u|     j[n] = 100 Hz · |e[n + 1] − e[n]|
///
/// Everything is computed from e rather than from a, so that the 9.81 m/s² of gravity cost no
/// digits: m = (e² + 2 μ·e) / (|a| + g).
struct MotionSignals: Sendable {
  /// m, v, h, j of each sample; the last j is 0.
  private(set) var lanes: [SIMD4<Float>]
  /// j with four samples side by side.
  private(set) var jerks: [SIMD4<Float>]
  private var norms: [SIMD4<Float>]
  private var verticals: [SIMD4<Float>]
  private var horizontals: [SIMD4<Float>]
  /// The sums of `lanes` by quarter of the window.
  private(set) var quarterSums: [SIMD4<Float>]
  /// The means of e by quarter of the window.
  private(set) var quarterOffsets: [SIMD4<Float>]
  /// μ, m/s²; the fourth lane is 0.
  private(set) var mean = SIMD4<Float>.zero
  /// u, or 0 when there is no gravity to speak of.
  private var up = SIMD4<Float>.zero
  /// g, m/s².
  private(set) var gravity: Float = 0
  /// The mean of |e|, m/s².
  private(set) var meanMagnitude: Float = 0
  /// The mean of j², m²/s⁶.
  private(set) var meanSquareJerk: Float = 0
  /// The means of x², y², z² of e, and of xy, yz, zx.
  private(set) var covariance = (diagonal: SIMD3<Double>.zero, offDiagonal: SIMD3<Double>.zero)

  private let length: Int
  /// e, and before it the window, each between the values that continue it.
  private var padded: [SIMD4<Float>]

  /// Prepares windows of `length` samples, a multiple of 16.
  init(length: Int) {
    self.length = length
    lanes = Array(repeating: .zero, count: length)
    jerks = Array(repeating: .zero, count: length / 4)
    (norms, verticals, horizontals) = (jerks, jerks, jerks)
    padded = Array(repeating: .zero, count: length + 2 * LowPass.reach)
    quarterSums = Array(repeating: .zero, count: 4)
    quarterOffsets = Array(repeating: .zero, count: 4)
  }

  /// The signal m, v or h in lane 0, 1 or 2 with four samples side by side.
  func series(_ lane: Int) -> [SIMD4<Float>] {
    lane == 0 ? norms : lane == 1 ? verticals : horizontals
  }

  /// Derives the signals of `window`, x, y, z in m/s².
  ///
  /// Values are limited to ±10⁶ m/s² and NaN counts as 0, which keeps all that follows finite.
  mutating func update(from window: Span<SIMD4<Float>>) {
    centre(window)
    let fourth = length / 4
    var totals = Totals()
    for quarter in 0..<4 {
      quarterSums[quarter] = Self.project(
        padded, quarter * fourth..<(quarter + 1) * fourth, about: (mean, up, gravity), to: &lanes,
        &norms, &verticals, &horizontals, &jerks, &totals)
    }
    let count = Double(length)
    meanMagnitude = totals.magnitude.sum() / Float(length)
    meanSquareJerk = totals.squareJerk.sum() / Float(length - 1)
    covariance.diagonal =
      SIMD3(Double(totals.xx.sum()), Double(totals.yy.sum()), Double(totals.zz.sum())) / count
    covariance.offDiagonal =
      SIMD3(Double(totals.xy.sum()), Double(totals.yz.sum()), Double(totals.zx.sum())) / count
  }

  /// Fills `padded` with e, and sets the mean, its direction's length and the quarters' offsets.
  private mutating func centre(_ window: Span<SIMD4<Float>>) {
    // Before they are derived the lanes are scratch.
    let coarseMean = Self.smooth(window, between: &padded, into: &lanes)
    let fourth = length / 4
    var total = SIMD4<Float>.zero
    for quarter in 0..<4 {
      let sum = Self.sum(lanes.span.extracting(quarter * fourth..<(quarter + 1) * fourth))
      quarterOffsets[quarter] = sum / Float(fourth)
      total += sum
    }
    let correction = total / Float(length)
    for quarter in 0..<4 { quarterOffsets[quarter] -= correction }
    let square = Self.subtract(correction, from: lanes, into: &padded)
    mean = coarseMean + correction
    gravity = (mean * mean).sum().squareRoot()
    // Without gravity (free fall, zeros) no direction is vertical. The limit is relative because
    // the mean of large accelerations is never exactly 0.
    let deviation = (square.sum() / Float(length)).squareRoot()
    up = gravity > 1e-3 * deviation ? mean / gravity : .zero
  }

  /// Fills `filtered` with the smoothed window less a mean, and returns that mean.
  private static func smooth(
    _ window: Span<SIMD4<Float>>, between padded: inout [SIMD4<Float>],
    into filtered: inout [SIMD4<Float>]
  ) -> SIMD4<Float> {
    let limit = SIMD4<Float>(1e6, 1e6, 1e6, 0)
    var padded = padded.mutableSpan
    var filtered = filtered.mutableSpan
    var sum = SIMD4<Float>.zero
    for index in window.indices {
      let limited = larger(smaller(known(window[index]), limit), -limit)
      padded[LowPass.reach + index] = limited
      sum += limited
    }
    let mean = sum / Float(window.count)
    for index in window.indices { padded[LowPass.reach + index] -= mean }
    LowPass.apply(to: &padded, into: &filtered)
    return mean
  }

  private static func sum(_ values: Span<SIMD4<Float>>) -> SIMD4<Float> {
    var sum = SIMD4<Float>.zero
    for index in values.indices { sum += values[index] }
    return sum
  }

  /// Fills the middle of `padded` with the values less their mean, and returns their squares' sum.
  private static func subtract(
    _ mean: SIMD4<Float>, from values: [SIMD4<Float>], into padded: inout [SIMD4<Float>]
  ) -> SIMD4<Float> {
    var padded = padded.mutableSpan
    var square = SIMD4<Float>.zero
    for index in values.indices {
      let deviation = values[index] - mean
      padded[LowPass.reach + index] = deviation
      square += deviation * deviation
    }
    // The last has no next, which stands for a difference of 0.
    let end = LowPass.reach + values.count
    padded[end] = padded[end - 1]
    return square
  }

  /// The sums that one pass over the window collects, four samples side by side.
  private struct Totals {
    var xx = SIMD4<Float>.zero
    var yy = SIMD4<Float>.zero
    var zz = SIMD4<Float>.zero
    var xy = SIMD4<Float>.zero
    var yz = SIMD4<Float>.zero
    var zx = SIMD4<Float>.zero
    var magnitude = SIMD4<Float>.zero
    var squareJerk = SIMD4<Float>.zero
  }

  /// Four samples with one vector per axis.
  private struct Axes {
    var x: SIMD4<Float>
    var y: SIMD4<Float>
    var z: SIMD4<Float>

    @inline(__always)
    init(_ four: Span<SIMD4<Float>>) {
      let (a, b, c, d) = (four[0], four[1], four[2], four[3])
      x = SIMD4(a.x, b.x, c.x, d.x)
      y = SIMD4(a.y, b.y, c.y, d.y)
      z = SIMD4(a.z, b.z, c.z, d.z)
    }

    init(x: SIMD4<Float>, y: SIMD4<Float>, z: SIMD4<Float>) {
      (self.x, self.y, self.z) = (x, y, z)
    }

    /// The samples one later, the last of them from the following four.
    @inline(__always)
    func shifted(before following: Axes) -> Axes {
      Axes(
        x: SIMD4(x.y, x.z, x.w, following.x.x), y: SIMD4(y.y, y.z, y.w, following.y.x),
        z: SIMD4(z.y, z.z, z.w, following.z.x))
    }
  }

  /// Writes the signals of the samples in `range`, adds to `totals`, and returns the lanes' sums.
  private static func project(
    _ padded: [SIMD4<Float>], _ range: Range<Int>,
    about centre: (mean: SIMD4<Float>, up: SIMD4<Float>, gravity: Float),
    to lanes: inout [SIMD4<Float>], _ norms: inout [SIMD4<Float>],
    _ verticals: inout [SIMD4<Float>], _ horizontals: inout [SIMD4<Float>],
    _ jerks: inout [SIMD4<Float>], _ totals: inout Totals
  ) -> SIMD4<Float> {
    let (mean, up, gravity) = centre
    // Of the four behind the range only the first counts.
    let samples = padded.span.extracting(
      LowPass.reach + range.lowerBound..<LowPass.reach + range.upperBound + 4)
    var lanes = lanes.mutableSpan
    var norms = norms.mutableSpan
    var verticals = verticals.mutableSpan
    var horizontals = horizontals.mutableSpan
    var jerks = jerks.mutableSpan
    var (normSum, verticalSum) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
    var (horizontalSum, jerkSum) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
    var following = Axes(samples.extracting(first: 4))
    for group in 0..<range.count / 4 {
      let index = range.lowerBound + 4 * group
      let e = following
      following = Axes(samples.extracting(4 * group + 4..<4 * group + 8))
      let next = e.shifted(before: following)

      let square = e.x * e.x + e.y * e.y + e.z * e.z
      let along = e.x * mean.x + e.y * mean.y + e.z * mean.z
      let change = square + 2 * along
      let squareNorm = gravity * gravity + change
      let norm = root(larger(squareNorm, .zero))
      let sum = norm + gravity
      let m = change / choose(sum, over: .zero, sum, SIMD4(repeating: 1))
      let v = e.x * up.x + e.y * up.y + e.z * up.z
      let (sideX, sideY, sideZ) = (e.x - v * up.x, e.y - v * up.y, e.z - v * up.z)
      let h = root(sideX * sideX + sideY * sideY + sideZ * sideZ)
      let (stepX, stepY, stepZ) = (next.x - e.x, next.y - e.y, next.z - e.z)
      let squareStep = stepX * stepX + stepY * stepY + stepZ * stepZ
      let j = FeatureExtractor.samplingRate * root(squareStep)

      (norms[index / 4], verticals[index / 4]) = (m, v)
      (horizontals[index / 4], jerks[index / 4]) = (h, j)
      for lane in 0..<4 {
        lanes[index + lane] = SIMD4(m[lane], v[lane], h[lane], j[lane])
      }
      normSum += m
      verticalSum += v
      horizontalSum += h
      jerkSum += j
      totals.xx += e.x * e.x
      totals.yy += e.y * e.y
      totals.zz += e.z * e.z
      totals.xy += e.x * e.y
      totals.yz += e.y * e.z
      totals.zx += e.z * e.x
      totals.magnitude += root(square)
      totals.squareJerk += j * j
    }
    return SIMD4(normSum.sum(), verticalSum.sum(), horizontalSum.sum(), jerkSum.sum())
  }
}
