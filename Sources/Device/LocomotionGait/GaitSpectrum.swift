internal import CLocomotionMath
internal import LocomotionSignals

/// Power spectra of a window that are invariant under rotation of the phone.
///
/// The window (100 Hz) is low-pass filtered and decimated to 50 Hz, split into norm, vertical
/// (along the window's mean specific force) and horizontal, multiplied by a Hann window,
/// zero-padded to 512 and transformed. Powers are scaled so that a sinusoid of amplitude A peaks at
/// A².
///
/// ## Accuracy
/// Every bin within 1e-5 of the largest bin of SciPy's result (`GaitSpectrumTests`).
struct GaitSpectrum: Sendable {
  /// Samples per second after decimation.
  static let samplingRate = 50.0
  /// The length of the transform.
  static let transformLength = 512
  /// The distance of neighbouring bins in Hz.
  static let binWidth = samplingRate / Double(transformLength)
  /// Bins that are kept: 0 to 12.5 Hz.
  static let binCount = 128
  /// Bins that are analysed: 0.44 to 10 Hz.
  static let band = 5..<103
  /// Samples at 50 Hz that a window of 600 samples gives.
  static let capacity = (600 - halfBand.count) / 2 + 1
  /// ``capacity`` rounded up to a multiple of four.
  static let room = (capacity + 3) / 4 * 4
  /// The number of seconds whose energy is kept.
  static let secondCount = 6

  private var transform = RealFourierTransform(
    length: transformLength, windows: 1, width: 16, hasMemory: false)
  private var halved = ContiguousArray<SIMD4<Float>>(repeating: .zero, count: room)
  /// The length of the window that ``halved`` is from, in samples at 100 Hz; 0 before there is any.
  private var halvedLength = 0
  /// Where that window ended.
  private var cursor = WindowCursor()
  /// The window times the window function, then zeros.
  private var weighted = ContiguousArray<SIMD4<Float>>(repeating: .zero, count: transformLength)
  private var powers = ContiguousArray<SIMD4<Float>>(repeating: .zero, count: binCount)
  /// The Hann window, then zeros.
  private var hann = ContiguousArray<Float>(repeating: 0, count: room)
  private var hannCount = 0
  private var hannSum: Float = 0
  private var hannEnergy: Float = 0
  private let leastPower = SteppingEvidence.leastPower

  /// Prepares the analysis.
  init() {}

  /// Analyses `window`: lanes x, y, z, norm in m/s² at 100 Hz, oldest sample first.
  ///
  /// Returns false, and no meaningful spectrum, when the mean specific force is below 0.1 m/s² so
  /// that there is no vertical. Samples beyond ±10,000 m/s² are clamped. `end` is the cell of the
  /// grid before which the window ends, or nil when that isn't known; `memory` is for the
  /// transform.
  ///
  /// - Precondition: 100 ≤ `window.count` ≤ 600.
  mutating func analyze(
    _ window: Span<SIMD4<Float>>, endingAt end: Int64?,
    with memory: inout ContiguousArray<SIMD4<Float>>, into analysis: inout GaitAnalysis
  ) -> Bool {
    precondition(
      window.count >= 100 && window.count <= 600,
      "expected 100 to 600 samples, got \(window.count)")
    let count = (window.count - Self.halfBand.count) / 2 + 1
    halve(window, count: count, endingAt: end)
    prepareWeights(count: count)
    let mean = Self.mean(of: halved.span.extracting(first: count))
    let length = (mean.x * mean.x + mean.y * mean.y + mean.z * mean.z).squareRoot()
    guard length > 0.1 else { return false }
    let energy = Self.project(
      halved, less: mean, up: SIMD3(mean.x, mean.y, mean.z) / length, hann,
      into: &weighted, &analysis.stepSignal)
    analysis.stepSignalCount = count
    analysis.measureStepSignal()
    // By Parseval's theorem the energy bounds the power in the band: a phone at rest needs no
    // transform.
    analysis.isQuiet = energy < leastPower * hannEnergy
    if analysis.isQuiet { return true }
    if memory.isEmpty { memory = RealFourierTransform(length: Self.transformLength).memory }
    swap(&transform.memory, &memory)
    Self.transform(weighted, with: &transform, into: &powers)
    swap(&transform.memory, &memory)
    let scale = 4 / (hannSum * hannSum)
    let sum = Self.join(powers, times: scale, into: &analysis.powers)
    // Parseval: a sinusoid's lobe sums to A² N Σw²/(Σw)².
    analysis.totalPower =
      sum * hannSum * hannSum / (Float(Self.transformLength) * hannEnergy)
    analysis.isQuiet = analysis.totalPower < leastPower
    return true
  }

  private static func transform(
    _ signal: ContiguousArray<SIMD4<Float>>, with transform: inout RealFourierTransform,
    into powers: inout ContiguousArray<SIMD4<Float>>
  ) {
    var output = powers.mutableSpan
    transform.powers(of: signal.span, into: &output)
  }

  /// Writes `scale` times the means of the first two lanes and the sums of the other two; returns
  /// the sum of the former over the band.
  private static func join(
    _ lanes: ContiguousArray<SIMD4<Float>>, times scale: Float,
    into powers: inout ContiguousArray<SIMD2<Float>>
  ) -> Float {
    let lanes = lanes.span.extracting(first: binCount)
    var powers = powers.mutableSpan
    let scales = SIMD2(0.5 * scale, scale)
    for bin in 0..<binCount { powers[bin] = scales * (lanes[bin].evenHalf + lanes[bin].oddHalf) }
    var sum: Float = 0
    for bin in band { sum += powers[bin].x }
    return sum
  }

  /// Half-band low-pass (−1, 0, 9, 16, 9, 0, −1)/32: flat at 0 and 50 Hz, −6 dB at 25 Hz.
  private static let halfBand: [Float] = [-1, 0, 9, 16, 9, 0, -1].map { $0 / 32 }

  /// Resets the reuse of samples: the next window is of another stream.
  mutating func forgetWindow() { cursor.reset() }

  /// Fills the first `count` of ``halved``; values of the last window are moved, not recomputed.
  private mutating func halve(
    _ window: Span<SIMD4<Float>>, count: Int, endingAt end: Int64?
  ) {
    var kept = 0
    if let hop = cursor.advance(to: end) {
      // The number of samples by which the window's start moved.
      let shift = hop + halvedLength - window.count
      if shift >= 0, shift.isMultiple(of: 2) {
        let known = (halvedLength - Self.halfBand.count) / 2 + 1
        kept = min(max(known - shift / 2, 0), count)
        Self.move(&halved, by: shift / 2, count: kept)
      }
    }
    halvedLength = window.count
    Self.halve(window, into: &halved, from: kept, to: count)
  }

  private static func move(
    _ signal: inout ContiguousArray<SIMD4<Float>>, by distance: Int, count: Int
  ) {
    guard distance > 0 else { return }
    var signal = signal.mutableSpan
    for index in 0..<count { signal[index] = signal[index + distance] }
  }

  private static func halve(
    _ window: Span<SIMD4<Float>>, into signal: inout ContiguousArray<SIMD4<Float>>, from start: Int,
    to end: Int
  ) {
    guard start < end else { return }
    let (outer, inner, middle) = (halfBand[0], halfBand[2], halfBand[3])
    var signal = signal.mutableSpan
    @inline(__always) func clean(_ index: Int) -> SIMD4<Float> {
      let limit = SIMD4<Float>(repeating: 1e4)
      return larger(smaller(known(window[index]), limit), -limit)
    }
    // Two samples enter and two leave with every step.
    var (a, c) = (clean(2 * start), clean(2 * start + 2))
    var (d, e) = (clean(2 * start + 3), clean(2 * start + 4))
    for index in start..<end {
      let (f, g) = (clean(2 * index + 5), clean(2 * index + 6))
      signal[index] = outer * (a + g) + inner * (c + e) + middle * d
      (a, c, d, e) = (c, e, f, g)
    }
  }

  /// Four partial sums: the additions are independent, and round less.
  private static func mean(of signal: Span<SIMD4<Float>>) -> SIMD4<Float> {
    var (a, b, c, d) = (
      SIMD4<Float>.zero, SIMD4<Float>.zero, SIMD4<Float>.zero, SIMD4<Float>.zero
    )
    let whole = signal.count / 4 * 4
    for index in stride(from: 0, to: whole, by: 4) {
      let four = signal.extracting(index..<index + 4)
      a += four[0]
      b += four[1]
      c += four[2]
      d += four[3]
    }
    for index in whole..<signal.count { a += signal[index] }
    return ((a + b) + (c + d)) / Float(signal.count)
  }

  /// Projects x, y, z, norm onto norm, vertical and two horizontal axes, all without their mean:
  /// writes the first two to `steps`, all four times the window function to `weighted`.
  ///
  /// Returns the sum of the squares of the first two times the window function. Groups of four
  /// samples up to ``room`` are processed; beyond the window the weights are 0.
  private static func project(
    _ halved: ContiguousArray<SIMD4<Float>>, less mean: SIMD4<Float>, up: SIMD3<Float>,
    _ weights: ContiguousArray<Float>, into weighted: inout ContiguousArray<SIMD4<Float>>,
    _ steps: inout ContiguousArray<SIMD2<Float>>
  ) -> Float {
    precondition(
      halved.count == room && weights.count == room && weighted.count == transformLength
        && steps.count == room, "expected room for whole groups of four")
    let (first, second) = perpendiculars(to: up)
    let (halved, weights) = (halved.span, weights.span)
    var weighted = weighted.mutableSpan
    var steps = steps.mutableSpan
    var energy = SIMD4<Float>.zero
    for group in 0..<room / 4 {
      let index = 4 * group
      let four = Columns(
        halved[index] - mean, halved[index + 1] - mean, halved[index + 2] - mean,
        halved[index + 3] - mean)
      let weight = SIMD4(
        weights[index], weights[index + 1], weights[index + 2], weights[index + 3])
      let (norm, vertical) = (four.w, four.along(up))
      let light = Columns(
        weight * norm, weight * vertical, weight * four.along(first), weight * four.along(second))
      weighted[index] = light.x
      weighted[index + 1] = light.y
      weighted[index + 2] = light.z
      weighted[index + 3] = light.w
      let (early, late) = (alternatingFirst(norm, vertical), alternatingLast(norm, vertical))
      steps[index] = early.lowHalf
      steps[index + 1] = early.highHalf
      steps[index + 2] = late.lowHalf
      steps[index + 3] = late.highHalf
      energy = product(weight * norm, weight * norm, plus: energy)
      energy = product(weight * vertical, weight * vertical, plus: energy)
    }
    return energy.sum()
  }

  /// The columns of four rows.
  private struct Columns {
    var x: SIMD4<Float>
    var y: SIMD4<Float>
    var z: SIMD4<Float>
    var w: SIMD4<Float>

    @inline(__always)
    init(_ a: SIMD4<Float>, _ b: SIMD4<Float>, _ c: SIMD4<Float>, _ d: SIMD4<Float>) {
      let (first, second) = (alternatingFirst(a, b), alternatingFirst(c, d))
      let (third, fourth) = (alternatingLast(a, b), alternatingLast(c, d))
      x = firstHalves(first, second)
      y = lastHalves(first, second)
      z = firstHalves(third, fourth)
      w = lastHalves(third, fourth)
    }

    /// The products of x, y, z with a vector.
    @inline(__always)
    func along(_ axis: SIMD3<Float>) -> SIMD4<Float> {
      product(
        SIMD4(repeating: axis.x), x,
        plus: product(SIMD4(repeating: axis.y), y, plus: axis.z * z))
    }
  }

  /// Two unit vectors that complete `up` to an orthonormal basis.
  ///
  /// Which of the possible pairs doesn't matter, only the sum of both powers is used (Duff et al.,
  /// "Building an orthonormal basis, revisited", JCGT 6(1), 2017).
  private static func perpendiculars(to up: SIMD3<Float>) -> (SIMD3<Float>, SIMD3<Float>) {
    let sign: Float = up.z < 0 ? -1 : 1
    let a = -1 / (sign + up.z)
    let b = up.x * up.y * a
    return (
      SIMD3(1 + sign * up.x * up.x * a, sign * b, -sign * up.x),
      SIMD3(b, sign + up.y * up.y * a, -up.y)
    )
  }

  private mutating func prepareWeights(count: Int) {
    guard hannCount != count else { return }
    for index in 0..<Self.room {
      let weight = 0.5 - 0.5 * cos(2 * Double.pi * Double(index + 1) / Double(count + 1))
      hann[index] = index < count ? Float(weight) : 0
    }
    hannCount = count
    hannSum = hann.reduce(0, +)
    hannEnergy = hann.reduce(0) { $0 + $1 * $1 }
  }
}

extension GaitAnalysis {
  /// Measures each second's energy and the skewness of the norm.
  fileprivate mutating func measureStepSignal() {
    let length = Int(GaitSpectrum.samplingRate)
    let stepSignal = stepSignal
    let signal = stepSignal.span.extracting(first: stepSignalCount)
    var (square, cube) = (SIMD2<Float>.zero, SIMD2<Float>.zero)
    // Samples older than the first whole second come first.
    for second in (0...GaitSpectrum.secondCount).reversed() {
      let end = signal.count - second * length
      let start = second == GaitSpectrum.secondCount ? 0 : max(0, end - length)
      let part = signal.extracting(min(start, max(end, 0))..<max(end, 0))
      let sums = Self.powers(of: part)
      square += sums.square
      cube += sums.cube
      guard second < GaitSpectrum.secondCount else { continue }
      secondEnergies[second] =
        part.count < length - 3 ? 0 : 0.5 * sums.square.sum() / Float(part.count)
    }
    let variance = square.x / Float(signal.count)
    skewness =
      variance > 1e-8 ? cube.x / Float(signal.count) / (variance * variance.squareRoot()) : 0
  }

  /// The sums of squares and of cubes, two values at a time.
  private static func powers(
    of signal: Span<SIMD2<Float>>
  ) -> (square: SIMD2<Float>, cube: SIMD2<Float>) {
    var (square, cube) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
    for index in 0..<signal.count / 2 {
      let two = signal.extracting(2 * index..<2 * index + 2)
      let values = SIMD4(lowHalf: two[0], highHalf: two[1])
      square += values * values
      cube += values * values * values
    }
    if !signal.count.isMultiple(of: 2) {
      let value = SIMD4(lowHalf: signal[signal.count - 1], highHalf: .zero)
      square += value * value
      cube += value * value * value
    }
    return (square.lowHalf + square.highHalf, cube.lowHalf + cube.highHalf)
  }
}
