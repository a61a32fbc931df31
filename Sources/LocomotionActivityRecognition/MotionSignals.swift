internal import CLocomotionMath

/// A window's motion in quantities that don't depend on how the phone is held.
///
///     μ = mean a     g = |μ|     u = μ / g     e = a − μ
///     m = |a| − g    v = e · u   h = |e − v u|     j[n] = 100 Hz · |e[n + 1] − e[n]|
///
/// Everything is computed from e rather than from a, so that the 9.81 m/s² of gravity cost no
/// digits: m = (e² + 2 μ·e) / (|a| + g).
struct MotionSignals: Sendable {
  /// m, v, h, j of each sample, the last j being 0, and behind them scratch.
  ///
  /// First it holds the differences that are filtered, then e.
  private(set) var lanes: [SIMD4<Float>]
  /// What the low-pass adds to each sample.
  private var changes: [SIMD4<Float>]
  /// Whether `changes` are those of the window before.
  private var remembersChanges = false
  /// The sums of `lanes` by quarter of the window.
  private(set) var quarterSums: [SIMD4<Float>]
  /// The means of e by quarter of the window.
  private(set) var quarterOffsets: [SIMD4<Float>]
  /// μ, m/s²; the fourth lane is 0.
  private(set) var mean = SIMD4<Float>.zero
  /// g, m/s².
  private(set) var gravity: Float = 0
  /// The mean of |e|, m/s².
  private(set) var meanMagnitude: Float = 0
  /// The means of x², y², z² of e, and of xy, yz, zx.
  private(set) var covariance = (diagonal: SIMD3<Double>.zero, offDiagonal: SIMD3<Double>.zero)

  private static let length = FeatureExtractor.windowLength
  private static let quarter = length / 4

  /// Makes room.
  init() {
    changes = Array(repeating: .zero, count: Self.length)
    lanes = Array(repeating: .zero, count: Self.length + 2 * LowPass.reach)
    quarterSums = Array(repeating: .zero, count: 4)
    quarterOffsets = Array(repeating: .zero, count: 4)
  }

  /// Derives the signals of `window`, x, y, z in m/s², which moved on by `hop` samples, or by an
  /// unknown number, since the call before.
  ///
  /// Values are limited to ±10⁶ m/s² and NaN counts as 0, which keeps all that follows finite.
  mutating func update(from window: Span<SIMD4<Float>>, advancedBy hop: Int?) {
    Self.filter(window, advancedBy: remembersChanges ? hop : nil, between: &lanes, into: &changes)
    remembersChanges = true
    let remainder = centre(window)
    let centre = Centre(mean: mean, up: up, gravity: gravity, remainder: remainder)
    var totals = Totals()
    Self.project(&lanes, about: centre, &totals)
    Self.turn(&lanes, sums: &quarterSums)
    meanMagnitude = totals.magnitude.sum() / Float(Self.length)
    covariance.offDiagonal =
      SIMD3(Double(totals.xy.sum()), Double(totals.yz.sum()), Double(totals.zx.sum()))
      / Double(Self.length)
  }

  /// Forgets the window.
  mutating func forget() { remembersChanges = false }

  /// Fills `changes`; those of samples far from either end are the same in the next window.
  private static func filter(
    _ window: Span<SIMD4<Float>>, advancedBy hop: Int?, between lanes: inout [SIMD4<Float>],
    into changes: inout [SIMD4<Float>]
  ) {
    var lanes = lanes.mutableSpan
    var changes = changes.mutableSpan
    guard let hop, hop >= 0, hop <= length / 2 else {
      return LowPass.filter(window, window.indices, between: &lanes, into: &changes)
    }
    let known = length - LowPass.margin - hop
    for index in LowPass.margin..<known { changes[index] = changes[index + hop] }
    LowPass.filter(window, 0..<LowPass.margin, between: &lanes, into: &changes)
    LowPass.filter(window, known..<length, between: &lanes, into: &changes)
  }

  /// The sample without its fourth lane, each axis limited to ±10⁶ m/s², NaN as 0.
  @inline(__always)
  static func limited(_ sample: SIMD4<Float>) -> SIMD4<Float> {
    let limit = SIMD4<Float>(1e6, 1e6, 1e6, 0)
    return larger(smaller(known(sample), limit), -limit)
  }

  /// Fills `lanes` with e plus a small remainder, which is returned, and sets the means and the
  /// diagonal of the covariance.
  private mutating func centre(_ window: Span<SIMD4<Float>>) -> SIMD4<Float> {
    // Any value near the mean keeps the digits.
    var centre = SIMD4<Float>.zero
    for index in 0..<Self.length / 16 { centre += Self.limited(window[16 * index]) }
    centre /= Float(Self.length / 16)
    var (total, square) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
    for quarter in 0..<4 {
      let (sum, squareSum) = Self.subtract(
        centre, from: window, adding: changes, inQuarter: quarter, into: &lanes)
      quarterOffsets[quarter] = sum / Float(Self.quarter)
      total += sum
      square += squareSum
    }
    // The last has no next, which stands for a difference of 0.
    lanes[Self.length] = lanes[Self.length - 1]
    let remainder = total / Float(Self.length)
    for quarter in 0..<4 { quarterOffsets[quarter] -= remainder }
    mean = centre + remainder
    gravity = (mean * mean).sum().squareRoot()
    for axis in 0..<3 {
      let meanSquare = Double(square[axis]) / Double(Self.length)
      covariance.diagonal[axis] = meanSquare - Double(remainder[axis]) * Double(remainder[axis])
    }
    return remainder
  }

  /// Writes the filtered samples of a quarter less `centre`, and returns their and their squares'
  /// sums.
  private static func subtract(
    _ centre: SIMD4<Float>, from window: Span<SIMD4<Float>>, adding changes: [SIMD4<Float>],
    inQuarter quarter: Int, into lanes: inout [SIMD4<Float>]
  ) -> (sum: SIMD4<Float>, square: SIMD4<Float>) {
    let first = quarter * Self.quarter
    let window = window.extracting(first..<first + Self.quarter)
    let changes = changes.span.extracting(first..<first + Self.quarter)
    var lanes = lanes.mutableSpan
    precondition(lanes.count == length + 16 && first + Self.quarter <= length, "no such quarter")
    var (sum, square) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
    for index in 0..<Self.quarter {
      let value = (limited(window[index]) - centre) + changes[index]
      lanes[first + index] = value
      sum += value
      square += value * value
    }
    return (sum, square)
  }

  /// The direction of the mean, or 0 where none is vertical: in free fall, and for zeros.
  private var up: SIMD4<Float> {
    // The limit is relative because the mean of large accelerations is never exactly 0.
    let deviation = Float(max(0, covariance.diagonal.sum())).squareRoot()
    return gravity > 1e-3 * deviation ? mean / gravity : .zero
  }

  /// What the window is split at: μ, u, g, and what is left of the mean in e.
  private struct Centre {
    var mean: SIMD4<Float>
    var up: SIMD4<Float>
    var gravity: Float
    var remainder: SIMD4<Float>
  }

  /// The sums that one pass over the window collects, four samples side by side.
  private struct Totals {
    var xy = SIMD4<Float>.zero
    var yz = SIMD4<Float>.zero
    var zx = SIMD4<Float>.zero
    var magnitude = SIMD4<Float>.zero
  }

  /// Four samples with one vector per axis.
  private struct Axes {
    var x: SIMD4<Float>
    var y: SIMD4<Float>
    var z: SIMD4<Float>

    @inline(__always)
    init(_ four: Span<SIMD4<Float>>, less remainder: SIMD4<Float>) {
      let first = alternatingFirst(four[0], four[1])
      let second = alternatingFirst(four[2], four[3])
      x = firstHalves(first, second) - remainder.x
      y = lastHalves(first, second) - remainder.y
      z = firstHalves(alternatingLast(four[0], four[1]), alternatingLast(four[2], four[3]))
      z -= remainder.z
    }

    @inline(__always)
    init(x: SIMD4<Float>, y: SIMD4<Float>, z: SIMD4<Float>) {
      (self.x, self.y, self.z) = (x, y, z)
    }

    /// The samples one later, the last of them from the following four.
    @inline(__always)
    func shifted(before following: Axes) -> Axes {
      Axes(
        x: later(x, before: following.x), y: later(y, before: following.y),
        z: later(z, before: following.z))
    }
  }

  /// Replaces e by the signals, four values of each side by side, and adds to `totals`.
  private static func project(
    _ lanes: inout [SIMD4<Float>], about centre: Centre, _ totals: inout Totals
  ) {
    let (mean, up) = (2 * centre.mean, centre.up)
    let (gravity, squareGravity) = (centre.gravity, centre.gravity * centre.gravity)
    var lanes = lanes.mutableSpan
    precondition(lanes.count == length + 16, "samples of another length")
    var (xy, yz, zx) = (SIMD4<Float>.zero, SIMD4<Float>.zero, SIMD4<Float>.zero)
    var magnitude = SIMD4<Float>.zero
    var following = Axes(lanes.span.extracting(first: 4), less: centre.remainder)
    for group in 0..<length / 4 {
      let e = following
      // Of the four behind the window only the first counts.
      following = Axes(
        lanes.span.extracting(4 * group + 4..<4 * group + 8), less: centre.remainder)
      let next = e.shifted(before: following)

      let square = e.x * e.x + e.y * e.y + e.z * e.z
      let change = square + (e.x * mean.x + e.y * mean.y + e.z * mean.z)
      let norm = root(larger(squareGravity + change, .zero))
      let v = e.x * up.x + e.y * up.y + e.z * up.z
      let (sideX, sideY, sideZ) = (e.x - v * up.x, e.y - v * up.y, e.z - v * up.z)
      let (stepX, stepY, stepZ) = (next.x - e.x, next.y - e.y, next.z - e.z)
      let squareStep = stepX * stepX + stepY * stepY + stepZ * stepZ
      lanes[4 * group] = change / larger(norm + gravity, SIMD4(repeating: 1e-30))
      lanes[4 * group + 1] = v
      lanes[4 * group + 2] = root(sideX * sideX + sideY * sideY + sideZ * sideZ)
      lanes[4 * group + 3] = FeatureExtractor.samplingRate * root(squareStep)
      xy += e.x * e.y
      yz += e.y * e.z
      zx += e.z * e.x
      magnitude += root(square)
    }
    totals = Totals(xy: xy, yz: yz, zx: zx, magnitude: magnitude)
  }

  /// Turns the columns that `project` leaves into rows, and sums them up by quarter.
  private static func turn(_ lanes: inout [SIMD4<Float>], sums: inout [SIMD4<Float>]) {
    var lanes = lanes.mutableSpan
    precondition(lanes.count == length + 16, "samples of another length")
    for quarter in 0..<4 {
      var sum = SIMD4<Float>.zero
      for group in quarter * Self.quarter / 4..<(quarter + 1) * Self.quarter / 4 {
        let (m, v) = (lanes[4 * group], lanes[4 * group + 1])
        let (h, j) = (lanes[4 * group + 2], lanes[4 * group + 3])
        let (front, back) = (alternatingFirst(m, v), alternatingFirst(h, j))
        let (laterFront, laterBack) = (alternatingLast(m, v), alternatingLast(h, j))
        let (first, second) = (firstHalves(front, back), lastHalves(front, back))
        let (third, fourth) = (
          firstHalves(laterFront, laterBack), lastHalves(laterFront, laterBack)
        )
        (lanes[4 * group], lanes[4 * group + 1]) = (first, second)
        (lanes[4 * group + 2], lanes[4 * group + 3]) = (third, fourth)
        sum += (first + second) + (third + fourth)
      }
      sums[quarter] = sum
    }
  }
}
