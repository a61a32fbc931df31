internal import CLocomotionMath
internal import LocomotionSignals

/// Power spectra of a window in directions that turning the phone doesn't change.
///
/// The window (100 Hz) is low-passed and halved to 50 Hz, split into norm, vertical (along the
/// window's mean specific force) and horizontal, weighted with a Hann window and transformed with
/// zero padding to 512. Powers are scaled so that a sinusoid of amplitude A peaks at A².
///
/// ## Accuracy
/// Every bin within 1e-5 of the largest bin of SciPy's result (`GaitSpectrumTests`).
package struct GaitSpectrum: Sendable {
  /// Samples per second after halving.
  package static let samplingRate = 50.0
  /// The length of the transform.
  package static let transformLength = 512
  /// The distance of neighbouring bins in Hz.
  package static let binWidth = samplingRate / Double(transformLength)
  /// Bins that are kept: 0 to 12.5 Hz.
  package static let binCount = 128
  /// Bins that are analysed: 0.44 to 10 Hz.
  package static let band = 5..<103
  /// Samples at 50 Hz that a window of 600 samples leaves.
  package static let capacity = (600 - halfBand.count) / 2 + 1
  /// The number of one-second pieces whose energy is kept.
  package static let secondCount = 6

  private var transform = RealFourierTransform(length: transformLength)
  private var halved = [SIMD4<Float>](repeating: .zero, count: capacity)
  /// The length of the window that ``halved`` is from, in samples at 100 Hz; 0 before there is any.
  private var halvedLength = 0
  private var weighted = [SIMD4<Float>](repeating: .zero, count: capacity)
  private var powers = [SIMD4<Float>](repeating: .zero, count: binCount)
  private var hann: [Float] = []
  private var hannSum: Float = 0
  private var hannEnergy: Float = 0
  private let leastPower = SteppingEvidence.leastPower

  /// Prepares the analysis.
  package init() {
    hann.reserveCapacity(Self.capacity)
  }

  /// Analyses `window`: lanes x, y, z, norm in m/s² at 100 Hz, oldest sample first.
  ///
  /// Returns false, and leaves no meaningful spectrum, when the mean specific force is below
  /// 0.1 m/s² so that there is no vertical. Samples beyond ±10,000 m/s² are clamped. `advance` is by
  /// how many samples the end moved on since the last call, or nil when that isn't known.
  ///
  /// - Precondition: 100 ≤ `window.count` ≤ 600.
  package mutating func analyze(
    _ window: Span<SIMD4<Float>>, advancedBy advance: Int?, into finding: inout GaitFinding
  ) -> Bool {
    precondition(
      window.count >= 100 && window.count <= 600,
      "expected 100 to 600 samples, got \(window.count)")
    let count = (window.count - Self.halfBand.count) / 2 + 1
    halve(window, count: count, advancedBy: advance)
    prepareWeights(count: count)
    let mean = Self.mean(of: halved.span.extracting(first: count))
    let length = (mean.x * mean.x + mean.y * mean.y + mean.z * mean.z).squareRoot()
    guard length > 0.1 else { return false }
    finding.stepSignalCount = count
    let power = project(less: mean, up: SIMD3(mean.x, mean.y, mean.z) / length, into: &finding)
    // By Parseval's theorem the band has no more than all bins: a phone at rest needs no transform.
    finding.isQuiet = power < leastPower
    if finding.isQuiet { return true }
    Self.transform(weighted, count: count, with: &transform, into: &powers)
    let scale = 4 / (hannSum * hannSum)
    let sum = Self.split(powers, times: scale, &finding.stepPower, &finding.stridePower)
    // Parseval: a sinusoid's lobe sums to A² N Σw²/(Σw)².
    finding.totalPower =
      sum * hannSum * hannSum / (Float(Self.transformLength) * hannEnergy)
    finding.isQuiet = finding.totalPower < leastPower
    return true
  }

  private static func transform(
    _ signal: [SIMD4<Float>], count: Int, with transform: inout RealFourierTransform,
    into powers: inout [SIMD4<Float>]
  ) {
    var output = powers.mutableSpan
    transform.powers(of: signal.span.extracting(first: count), into: &output)
  }

  /// Writes both kinds of powers, `scale` times those of the four lanes; returns the sum of the
  /// first kind over the band.
  private static func split(
    _ powers: [SIMD4<Float>], times scale: Float, _ step: inout [Float], _ stride: inout [Float]
  ) -> Float {
    let powers = powers.span.extracting(first: binCount)
    var step = step.mutableSpan
    var stride = stride.mutableSpan
    for bin in 0..<binCount {
      let power = scale * powers[bin]
      step[bin] = 0.5 * (power.x + power.y)
      stride[bin] = power.z + power.w
    }
    var sum: Float = 0
    for bin in band { sum += step[bin] }
    return sum
  }

  /// Half-band low-pass (−1, 0, 9, 16, 9, 0, −1)/32: flat at 0 and 50 Hz, −6 dB at 25 Hz.
  private static let halfBand: [Float] = [-1, 0, 9, 16, 9, 0, -1].map { $0 / 32 }

  /// Fills the first `count` of ``halved``, but for those that only have to be moved.
  private mutating func halve(
    _ window: Span<SIMD4<Float>>, count: Int, advancedBy advance: Int?
  ) {
    // By how many samples the window's start moved on.
    let shift = advance.map { $0 + halvedLength - window.count } ?? 0
    var kept = 0
    if advance != nil, halvedLength > 0, shift >= 0, shift.isMultiple(of: 2) {
      let known = (halvedLength - Self.halfBand.count) / 2 + 1
      kept = min(max(known - shift / 2, 0), count)
      Self.move(&halved, by: shift / 2, count: kept)
    }
    halvedLength = window.count
    Self.halve(window, into: &halved, from: kept, to: count)
  }

  private static func move(_ signal: inout [SIMD4<Float>], by distance: Int, count: Int) {
    guard distance > 0 else { return }
    var signal = signal.mutableSpan
    for index in 0..<count { signal[index] = signal[index + distance] }
  }

  private static func halve(
    _ window: Span<SIMD4<Float>>, into signal: inout [SIMD4<Float>], from start: Int, to end: Int
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
      signal[index] = outer * a + inner * c + middle * d + inner * e + outer * g
      (a, c, d, e) = (c, e, f, g)
    }
  }

  /// In four sums, so that additions needn't wait for each other and round less.
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

  /// Turns x, y, z, norm into norm, vertical and two horizontals, all without their mean, weighs
  /// them for the transform, and measures the first two.
  ///
  /// Returns what the step signal's power under the window's weights is over all frequencies.
  private mutating func project(
    less mean: SIMD4<Float>, up: SIMD3<Float>, into finding: inout GaitFinding
  ) -> Float {
    let (first, second) = Self.perpendiculars(to: up)
    let turn = Turn(
      mean: mean, x: SIMD4(0, up.x, first.x, second.x), y: SIMD4(0, up.y, first.y, second.y),
      z: SIMD4(0, up.z, first.z, second.z))
    let count = finding.stepSignalCount
    let length = Int(Self.samplingRate)
    var sums = Sums()
    for second in (0...Self.secondCount).reversed() {
      // What is older than all seconds comes first.
      let end = count - second * length
      let start = second == Self.secondCount ? 0 : max(0, end - length)
      if start >= end {
        if second < Self.secondCount { finding.secondEnergies[second] = 0 }
        continue
      }
      let before = sums.squares
      Self.turn(
        halved, by: turn, weights: hann, from: start, to: end, &weighted, &finding.stepSignal,
        &sums)
      guard second < Self.secondCount else { continue }
      let energy = sums.squares - before
      finding.secondEnergies[second] =
        end - start < length - 3 ? 0 : 0.5 * (energy.x + energy.y) / Float(end - start)
    }
    let variance = sums.squares.x / Float(count)
    finding.skewness =
      variance > 1e-8 ? sums.cubes.x / Float(count) / (variance * variance.squareRoot()) : 0
    return (sums.weightedSquares.x + sums.weightedSquares.y) / hannEnergy
  }

  /// What is taken off each sample, and what its x, y and z add to norm, vertical, horizontals.
  private struct Turn {
    var mean: SIMD4<Float>
    var x: SIMD4<Float>
    var y: SIMD4<Float>
    var z: SIMD4<Float>
  }

  /// Sums of powers of the turned samples, lane by lane.
  private struct Sums {
    var squares = SIMD4<Float>.zero
    var cubes = SIMD4<Float>.zero
    var weightedSquares = SIMD4<Float>.zero
  }

  private static func turn(
    _ signal: [SIMD4<Float>], by turn: Turn, weights: [Float], from start: Int, to end: Int,
    _ weighted: inout [SIMD4<Float>], _ steps: inout [SIMD2<Float>], _ sums: inout Sums
  ) {
    let signal = signal.span
    let weights = weights.span
    var weighted = weighted.mutableSpan
    var steps = steps.mutableSpan
    let norm = SIMD4<Float>(1, 0, 0, 0)
    var local = sums
    for index in start..<end {
      let sample = signal[index] - turn.mean
      let turned = sample.w * norm + sample.x * turn.x + sample.y * turn.y + sample.z * turn.z
      let light = weights[index] * turned
      weighted[index] = light
      steps[index] = turned.lowHalf
      let square = turned * turned
      local.squares += square
      local.cubes += square * turned
      local.weightedSquares += light * light
    }
    sums = local
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
    if hann.count != count {
      hann.removeAll(keepingCapacity: true)
      for index in 0..<count {
        hann.append(
          Float(0.5 - 0.5 * cos(2 * Double.pi * Double(index + 1) / Double(count + 1))))
      }
      hannSum = hann.reduce(0, +)
      hannEnergy = hann.reduce(0) { $0 + $1 * $1 }
    }
  }
}
