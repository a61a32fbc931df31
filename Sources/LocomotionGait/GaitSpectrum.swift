internal import CLocomotionMath
internal import LocomotionSignals

/// Power spectra of a window in directions that turning the phone doesn't change.
///
/// The window (100 Hz) is low-passed and halved to 50 Hz, split into norm, vertical (along the
/// window's mean specific force) and horizontal, weighted with a Hann window and transformed with
/// zero padding to 1,024. Powers are scaled so that a sinusoid of amplitude A peaks at A².
///
/// ## Accuracy
/// Every bin within 1e-5 of the largest bin of SciPy's result (`GaitSpectrumTests`).
package struct GaitSpectrum: Sendable {
  /// Samples per second after halving.
  package static let samplingRate = 50.0
  /// The length of the transform.
  package static let transformLength = 1024
  /// The distance of neighbouring bins in Hz.
  package static let binWidth = samplingRate / Double(transformLength)
  /// Bins that are kept: 0 to 12.5 Hz.
  package static let binCount = 256
  /// Bins that are analysed: 0.44 to 9.96 Hz.
  package static let band = 9..<205
  /// Samples at 50 Hz that a window of 600 samples leaves.
  package static let capacity = (600 - halfBand.count) / 2 + 1
  /// The number of one-second pieces whose energy is kept.
  package static let secondCount = 6

  private var transform = RealFourierTransform(length: transformLength)
  private var signal = [SIMD4<Float>](repeating: .zero, count: capacity)
  private var powers = [SIMD4<Float>](repeating: .zero, count: binCount)
  private var hann: [Float] = []
  private var hannSum: Float = 0
  private var hannEnergy: Float = 0

  /// Prepares the analysis.
  package init() {
    hann.reserveCapacity(Self.capacity)
  }

  /// Analyses `window`: lanes x, y, z, norm in m/s² at 100 Hz, oldest sample first.
  ///
  /// Returns false, and leaves no meaningful spectrum, when the mean specific force is below
  /// 0.1 m/s² so that there is no vertical. Samples beyond ±10,000 m/s² are clamped.
  ///
  /// - Precondition: 100 ≤ `window.count` ≤ 600.
  package mutating func analyze(
    _ window: Span<SIMD4<Float>>, advancedBy advance: Int?, into finding: inout GaitFinding
  ) -> Bool {
    precondition(
      window.count >= 100 && window.count <= 600,
      "expected 100 to 600 samples, got \(window.count)")
    let count = (window.count - Self.halfBand.count) / 2 + 1
    Self.halve(window, into: &signal, count: count)
    guard project(count: count, into: &finding.stepSignal) else { return false }
    finding.stepSignalCount = count
    measureSeconds(count: count, into: &finding.secondEnergies)
    finding.skewness = skewness(count: count)
    prepareWeights(count: count)
    Self.transform(signal, weights: hann, count: count, with: &transform, into: &powers)
    let scale = 4 / (hannSum * hannSum)
    for bin in 0..<Self.binCount {
      let power = scale * powers[bin]
      finding.stepPower[bin] = 0.5 * (power.x + power.y)
      finding.stridePower[bin] = power.z + power.w
    }
    // Parseval: a sinusoid's lobe sums to A² N Σw²/(Σw)².
    let lobeSum = Float(Self.transformLength) * hannEnergy / (hannSum * hannSum)
    finding.totalPower = Self.band.reduce(Float(0)) { $0 + finding.stepPower[$1] } / lobeSum
    return true
  }

  private static func transform(
    _ signal: [SIMD4<Float>], weights: [Float], count: Int,
    with transform: inout RealFourierTransform, into powers: inout [SIMD4<Float>]
  ) {
    var output = powers.mutableSpan
    transform.powers(
      of: signal.span.extracting(0..<count), less: .zero,
      weights: weights.span.extracting(0..<count), count: binCount, into: &output)
  }

  /// Half-band low-pass (−1, 0, 9, 16, 9, 0, −1)/32: flat at 0 and 50 Hz, −6 dB at 25 Hz.
  private static let halfBand: [Float] = [-1, 0, 9, 16, 9, 0, -1].map { $0 / 32 }

  private static func halve(
    _ window: Span<SIMD4<Float>>, into signal: inout [SIMD4<Float>], count: Int
  ) {
    let (outer, inner, middle) = (halfBand[0], halfBand[2], halfBand[3])
    var signal = signal.mutableSpan
    @inline(__always) func clean(_ index: Int) -> SIMD4<Float> {
      let limit = SIMD4<Float>(repeating: 1e4)
      return larger(smaller(known(window[index]), limit), -limit)
    }
    // Two samples enter and two leave with every step.
    var (a, c, d, e) = (clean(0), clean(2), clean(3), clean(4))
    for index in 0..<count {
      let (f, g) = (clean(2 * index + 5), clean(2 * index + 6))
      signal[index] = outer * a + inner * c + middle * d + inner * e + outer * g
      (a, c, d, e) = (c, e, f, g)
    }
  }

  /// Turns x, y, z, norm into norm, vertical and two horizontals, all without their mean.
  private mutating func project(
    count: Int, into stepSignal: inout [SIMD2<Float>]
  ) -> Bool {
    var mean = SIMD4<Double>.zero
    for index in 0..<count { mean += SIMD4<Double>(signal[index]) }
    mean /= Double(count)
    let length = (mean.x * mean.x + mean.y * mean.y + mean.z * mean.z).squareRoot()
    guard length > 0.1 else { return false }
    let up = SIMD3<Float>(SIMD3(mean.x, mean.y, mean.z) / length)
    let (first, second) = Self.perpendiculars(to: up)
    Self.turn(
      &signal, &stepSignal, about: SIMD4<Float>(mean), count: count,
      SIMD4(0, up.x, first.x, second.x), SIMD4(0, up.y, first.y, second.y),
      SIMD4(0, up.z, first.z, second.z))
    return true
  }

  /// Replaces x, y, z, norm, less `mean`, by the norm and the products with the columns x, y, z.
  private static func turn(
    _ signal: inout [SIMD4<Float>], _ steps: inout [SIMD2<Float>], about mean: SIMD4<Float>,
    count: Int, _ x: SIMD4<Float>, _ y: SIMD4<Float>, _ z: SIMD4<Float>
  ) {
    let norm = SIMD4<Float>(1, 0, 0, 0)
    var signal = signal.mutableSpan
    var steps = steps.mutableSpan
    for index in 0..<count {
      let sample = signal[index] - mean
      let turned = sample.w * norm + sample.x * x + sample.y * y + sample.z * z
      signal[index] = turned
      steps[index] = turned.lowHalf
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

  private func measureSeconds(count: Int, into secondEnergies: inout [Float]) {
    let length = Int(Self.samplingRate)
    for second in 0..<Self.secondCount {
      let end = count - second * length
      let start = max(0, end - length)
      guard end - start >= length - 3 else {
        secondEnergies[second] = 0
        continue
      }
      var sum: Float = 0
      for index in start..<end {
        sum += 0.5 * (signal[index].x * signal[index].x + signal[index].y * signal[index].y)
      }
      secondEnergies[second] = sum / Float(end - start)
    }
  }

  private func skewness(count: Int) -> Float {
    var (square, cube): (Float, Float) = (0, 0)
    for index in 0..<count {
      let deviation = signal[index].x
      square += deviation * deviation
      cube += deviation * deviation * deviation
    }
    let variance = square / Float(count)
    return variance > 1e-8 ? cube / Float(count) / (variance * variance.squareRoot()) : 0
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
