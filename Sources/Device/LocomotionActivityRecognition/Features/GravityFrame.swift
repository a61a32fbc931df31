internal import CLocomotionMath
internal import LocomotionSignals

/// A window's motion in quantities that are invariant under rotation of the phone.
///
///     μ = mean a     g = |μ|     u = μ / g     e = a − μ
///     m = |a| − g    v = e · u   h = |e − v u|     j[n] = 100 Hz · |e[n + 1] − e[n]|
///
/// Everything is computed from e rather than from a, so that the 9.81 m/s² of gravity cost no
/// precision: m = (e² + 2 μ·e) / (|a| + g).
struct GravityFrame: Sendable {
  /// The differences that are filtered, then e, then m, v, h, j of four samples each.
  private var lanes: ContiguousArray<SIMD4<Float>>
  /// Output minus input of the low-pass for each sample of the last window of ``keptCount``.
  private var kept: ContiguousArray<SIMD4<Float>>
  private var keptCount = 0
  /// Where that window ended.
  private var cursor = WindowCursor()
  /// The means and sums of the window.
  private var means = MotionMeans()

  private static let length = FeatureExtractor.windowLength
  private static let quarter = length / 4

  /// Allocates memory.
  init() {
    lanes = ContiguousArray(repeating: .zero, count: Self.length + 2 * LowPass.reach)
    kept = ContiguousArray(repeating: .zero, count: ActivityClassifier.windowLength)
  }

  /// Writes m, v, h, j of each sample of `window`, x, y, z in m/s², to `signals` from `start` on,
  /// the last j being 0, and returns the means and sums; a window that is not full is repeated
  /// forwards and backwards until it is, in `memory`.
  ///
  /// `end` is the cell of the grid before which the window ends; nil when that isn't known.
  ///
  /// Values are clamped to ±10⁶ m/s² and NaN counts as 0, which keeps all results finite, and
  /// changes nothing when the window `isOrdinary`.
  mutating func update(
    from window: Span<SIMD4<Float>>, endingAt end: Int64?, isOrdinary: Bool,
    into signals: inout ContiguousArray<SIMD4<Float>>, at start: Int,
    memory: inout ContiguousArray<SIMD4<Float>>
  ) -> MotionMeans {
    var changes = signals.mutableSpan
    if window.count < Self.length {
      Self.mirror(window, into: &memory)
      let full = memory.span.extracting(first: Self.length)
      filter(full, count: window.count, endingAt: end, into: &changes, at: start)
      derive(
        from: full, isOrdinary: isOrdinary, changes: changes.span.extracting(droppingFirst: start))
    } else {
      filter(window, count: window.count, endingAt: end, into: &changes, at: start)
      derive(
        from: window, isOrdinary: isOrdinary, changes: changes.span.extracting(droppingFirst: start)
      )
    }
    Self.transpose(lanes, into: &signals, at: start)
    Self.sum(signals, at: start, into: &means.quarterSums)
    return means
  }

  /// Repeats a window forwards, backwards, forwards … until it is full.
  ///
  /// The features of a time-reversed signal are similar, and no jump comes in where it turns.
  private static func mirror(
    _ window: Span<SIMD4<Float>>, into memory: inout ContiguousArray<SIMD4<Float>>
  ) {
    var memory = memory.mutableSpan
    var count = window.count
    for index in window.indices { memory[index] = window[index] }
    while count < length {
      for index in 0..<min(count, length - count) {
        memory[count + index] = memory[count - 1 - index]
      }
      count *= 2
    }
  }

  /// The next window is of another stream.
  mutating func forgetWindow() { cursor.reset() }

  /// Writes output minus input of the low-pass for the full `window`, of which `count` samples are
  /// not repeated, to `changes` from `start` on.
  ///
  /// Those of samples far from either end are the same in the next window of as many samples, and
  /// where it is mirrored they are, too.
  private mutating func filter(
    _ window: Span<SIMD4<Float>>, count: Int, endingAt end: Int64?,
    into changes: inout MutableSpan<SIMD4<Float>>, at start: Int
  ) {
    let (hop, margin) = (cursor.advance(to: end), LowPass.margin)
    guard count <= kept.count, 2 * count >= Self.length else {
      keptCount = 0
      return LowPass.filter(window, window.indices, between: &lanes, into: &changes, at: start)
    }
    var first = 0
    if let hop, hop >= 0, hop < count - 2 * margin, keptCount == count {
      first = (count - margin - hop) / 4 * 4
      Self.copy(
        kept.span.extracting(margin + hop..<count - margin), to: &changes, at: start + margin)
      LowPass.filter(window, 0..<margin, between: &lanes, into: &changes, at: start)
    }
    let turn = (count + 3) / 4 * 4
    LowPass.filter(window, first..<turn, between: &lanes, into: &changes, at: start)
    let mirrored = start + 2 * count - 1
    for index in turn..<Self.length - margin {
      changes[start &+ index] = changes[mirrored &- index]
    }
    LowPass.filter(
      window, Self.length - margin..<Self.length, between: &lanes, into: &changes, at: start)
    guard end != nil else { return }
    var same = kept.mutableSpan
    Self.copy(
      changes.span.extracting(start + margin..<start + count - margin), to: &same, at: margin)
    keptCount = count
  }

  private static func copy(
    _ values: Span<SIMD4<Float>>, to other: inout MutableSpan<SIMD4<Float>>, at start: Int
  ) {
    for index in values.indices { other[start &+ index] = values[index] }
  }

  /// Fills `lanes`; `changes` holds output minus input of the low-pass.
  private mutating func derive(
    from window: Span<SIMD4<Float>>, isOrdinary: Bool, changes: Span<SIMD4<Float>>
  ) {
    let remainder = centre(
      window, isOrdinary: isOrdinary, changes: changes.extracting(first: Self.length))
    let deviation = Float(max(0, means.covariance.diagonal.sum())).squareRoot()
    let centre = Centre(
      mean: means.mean, gravity: means.gravity, deviation: deviation, remainder: remainder)
    let totals = Self.project(&lanes, about: centre)
    means.meanMagnitude = totals.magnitude.sum() / Float(Self.length)
    means.covariance.offDiagonal =
      SIMD3(Double(totals.xy.sum()), Double(totals.yz.sum()), Double(totals.zx.sum()))
      / Double(Self.length)
  }

  /// The sample without its fourth lane, each axis clamped to ±10⁶ m/s², NaN as 0.
  @inline(__always)
  static func limited(_ sample: SIMD4<Float>) -> SIMD4<Float> {
    let limit = SIMD4<Float>(1e6, 1e6, 1e6, 0)
    return larger(smaller(known(sample), limit), -limit)
  }

  /// Fills `lanes` with e plus a small remainder, which is returned, and sets the means and the
  /// diagonal of the covariance.
  private mutating func centre(
    _ window: Span<SIMD4<Float>>, isOrdinary: Bool, changes: Span<SIMD4<Float>>
  ) -> SIMD4<Float> {
    // Any value near the mean preserves the precision.
    var centre = SIMD4<Float>.zero
    for index in 0..<Self.length / 16 { centre += Self.limited(window[16 * index]) }
    centre /= Float(Self.length / 16)
    let square =
      if isOrdinary {
        Self.subtract(
          centre, from: window, adding: changes, &lanes, &means.quarterOffsets
        ) {
          $0
        }
      } else {
        Self.subtract(
          centre, from: window, adding: changes, &lanes, &means.quarterOffsets, Self.limited)
      }
    // The last sample is repeated, so that its difference is 0.
    lanes[Self.length] = lanes[Self.length - 1]
    let offsets = means.quarterOffsets
    let remainder = 0.25 * ((offsets[0] + offsets[1]) + (offsets[2] + offsets[3]))
    for quarter in 0..<4 { means.quarterOffsets[quarter] -= remainder }
    means.mean = centre + remainder
    means.gravity = (means.mean * means.mean).sum().squareRoot()
    for axis in 0..<3 {
      let meanSquare = Double(square[axis]) / Double(Self.length)
      means.covariance.diagonal[axis] =
        meanSquare - Double(remainder[axis]) * Double(remainder[axis])
    }
    return remainder
  }

  /// Writes the filtered samples less `centre` to `lanes` and their means by quarter to `offsets`,
  /// and returns the sum of their squares; the fourth lane counts as 0.
  @inline(__always)
  private static func subtract(
    _ centre: SIMD4<Float>, from window: Span<SIMD4<Float>>,
    adding changes: Span<SIMD4<Float>>,
    _ lanes: inout ContiguousArray<SIMD4<Float>>, _ offsets: inout Quarters,
    _ limited: (SIMD4<Float>) -> SIMD4<Float>
  ) -> SIMD4<Float> {
    var lanes = lanes.mutableSpan
    // These checks let the compiler omit all others.
    precondition(
      window.count == length && changes.count == length
        && lanes.count == length + 2 * LowPass.reach,
      "samples of another length")
    let axes = SIMD4<Float>(1, 1, 1, 0)
    // Without clamping, |a| is in the fourth lane.
    var square = SIMD4<Float>.zero
    for quarter in 0..<4 {
      var (sum, quarterSquare) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
      for index in quarter * Self.quarter..<(quarter + 1) * Self.quarter {
        let value = (limited(window[index]) - centre) + changes[index]
        lanes[index] = value
        sum += value
        quarterSquare += value * value
      }
      offsets[quarter] = known(sum * axes) / Float(Self.quarter)
      square += quarterSquare
    }
    return square
  }

  /// The parameters of the projection: μ, u, g, 1 / g, and the remainder of the mean in `lanes`.
  private struct Centre {
    var mean: SIMD4<Float>
    var up = SIMD4<Float>.zero
    var gravity: Float
    var inverseGravity: Float = 0
    var remainder: SIMD4<Float>

    /// With negligible gravity, in free fall and for zeros, there is no vertical: u is 0.
    init(mean: SIMD4<Float>, gravity: Float, deviation: Float, remainder: SIMD4<Float>) {
      (self.mean, self.gravity, self.remainder) = (mean, gravity, remainder)
      // The limit is relative because the mean of large accelerations is never exactly 0.
      guard gravity > 1e-3 * deviation else { return }
      (up, inverseGravity) = (mean / gravity, 1 / gravity)
    }
  }

  /// The sums that one pass over the window collects, four samples per vector.
  private struct Totals {
    var xy: SIMD4<Float>
    var yz: SIMD4<Float>
    var zx: SIMD4<Float>
    var magnitude: SIMD4<Float>
  }

  /// Four samples with one vector per axis.
  private struct Axes {
    var x: SIMD4<Float>
    var y: SIMD4<Float>
    var z: SIMD4<Float>

    @inline(__always)
    init(_ four: Span<SIMD4<Float>>, less remainder: SIMD4<Float>) {
      let (front, back) = (firstHalves(four[0], four[1]), firstHalves(four[2], four[3]))
      x = evens(front, back) - remainder.x
      y = odds(front, back) - remainder.y
      z = evens(lastHalves(four[0], four[1]), lastHalves(four[2], four[3])) - remainder.z
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

  /// Replaces e by the signals: one vector with m of four samples, then v, h and j of the same
  /// four.
  private static func project(
    _ lanes: inout ContiguousArray<SIMD4<Float>>, about centre: Centre
  ) -> Totals {
    let (mean, up, inverse) = (centre.mean, centre.up, centre.inverseGravity)
    let (gravity, squareGravity) = (centre.gravity, centre.gravity * centre.gravity)
    var lanes = lanes.mutableSpan
    precondition(lanes.count == length + 2 * LowPass.reach, "samples of another length")
    var (xy, yz, zx) = (SIMD4<Float>.zero, SIMD4<Float>.zero, SIMD4<Float>.zero)
    var magnitude = SIMD4<Float>.zero
    var following = Axes(lanes.span.extracting(first: 4), less: centre.remainder)
    for group in 0..<length / 4 {
      let e = following
      // Of the four after the window only the first is used.
      following = Axes(
        lanes.span.extracting(4 * group + 4..<4 * group + 8), less: centre.remainder)
      let next = e.shifted(before: following)

      let square = e.x * e.x + e.y * e.y + e.z * e.z
      let along = e.x * mean.x + e.y * mean.y + e.z * mean.z
      let change = square + 2 * along
      let norm = root(larger(squareGravity + change, .zero))
      let v = along * inverse
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
    return Totals(xy: xy, yz: yz, zx: zx, magnitude: magnitude)
  }

  /// Transposes the columns that `project` writes into rows, one sample each.
  ///
  /// A separate pass: next to arithmetic the compiler splits shuffles into lanes, at twice the
  /// cost.
  private static func transpose(
    _ lanes: ContiguousArray<SIMD4<Float>>, into signals: inout ContiguousArray<SIMD4<Float>>,
    at start: Int
  ) {
    let lanes = lanes.span
    var signals = signals.mutableSpan
    precondition(
      lanes.count == length + 2 * LowPass.reach && start >= 0 && start + length <= signals.count,
      "samples of another length")
    for group in 0..<length / 4 {
      let (m, v) = (lanes[4 * group], lanes[4 * group + 1])
      let (h, j) = (lanes[4 * group + 2], lanes[4 * group + 3])
      let (front, back) = (alternatingFirst(m, v), alternatingFirst(h, j))
      let (laterFront, laterBack) = (alternatingLast(m, v), alternatingLast(h, j))
      signals[start &+ 4 * group] = firstHalves(front, back)
      signals[start &+ 4 * group + 1] = lastHalves(front, back)
      signals[start &+ 4 * group + 2] = firstHalves(laterFront, laterBack)
      signals[start &+ 4 * group + 3] = lastHalves(laterFront, laterBack)
    }
  }

  /// Sums the signals by quarter.
  private static func sum(
    _ signals: ContiguousArray<SIMD4<Float>>, at start: Int, into sums: inout Quarters
  ) {
    let signals = signals.span.extracting(start..<start + length)
    for quarter in 0..<4 {
      var (even, odd) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
      for pair in quarter * Self.quarter / 2..<(quarter + 1) * Self.quarter / 2 {
        even += signals[2 * pair]
        odd += signals[2 * pair + 1]
      }
      sums[quarter] = even + odd
    }
  }
}

/// Means over the window whose signals are ``GravityFrame``.
struct MotionMeans: Sendable {
  /// The sums of m, v, h, j by quarter of the window.
  var quarterSums = Quarters()
  /// The means of e by quarter of the window.
  var quarterOffsets = Quarters()
  /// μ, m/s²; the fourth lane is 0.
  var mean = SIMD4<Float>.zero
  /// g, m/s².
  var gravity: Float = 0
  /// The mean of |e|, m/s².
  var meanMagnitude: Float = 0
  /// The means of x², y², z² of e, and of xy, yz, zx.
  var covariance = (diagonal: SIMD3<Double>.zero, offDiagonal: SIMD3<Double>.zero)
}

/// A vector for each quarter of a window.
struct Quarters: Sendable {
  private var first = SIMD4<Float>.zero
  private var second = SIMD4<Float>.zero
  private var third = SIMD4<Float>.zero
  private var fourth = SIMD4<Float>.zero

  subscript(quarter: Int) -> SIMD4<Float> {
    get {
      switch quarter {
      case 0: first
      case 1: second
      case 2: third
      default: fourth
      }
    }
    set {
      switch quarter {
      case 0: first = newValue
      case 1: second = newValue
      case 2: third = newValue
      default: fourth = newValue
      }
    }
  }
}
