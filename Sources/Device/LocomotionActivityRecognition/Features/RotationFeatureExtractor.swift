internal import CLocomotionMath
package import LocomotionSignals

/// The twenty-two features of 5.12 s of rotation rate, independent of the phone's orientation.
///
/// The mean rotation rate, which may be sensor bias, is subtracted; v is the rotation about the
/// mean acceleration, i.e. about the vertical: see ``schema`` for every definition. They complement
/// the features of ``FeatureExtractor``, for windows in which a gyroscope measured throughout.
///
/// ## Invariance
/// A rotation of the phone, which rotates accelerations and rates alike, changes no feature beyond
/// rounding (`RotationFeatureTests.rotationOfThePhoneKeepsTheFeatures`). A constant offset of the
/// gyroscope changes nothing; a gain error shifts logarithms by twice its logarithm as far as the
/// power is above the floor.
///
/// ## Floors
/// Powers have floors of (0.1 rad/s)²: below it they reflect the phone's noise and offsets, not the
/// person. The floor of a single band is a tenth of it.
///
/// ## Accuracy
/// Within 10⁻⁵ (relative, or absolute below 1) of the definitions in Float64
/// (`RotationFeatureTests.featuresMatchNumPy`).
///
/// ## Degenerate input
/// Features are finite for every input. Rates are clamped to ±10⁴ rad/s and accelerations to ±10⁶
/// m/s²; NaN counts as 0.
///
/// - Complexity: O(n log n); allocates in `init` only.
public struct RotationFeatureExtractor: Sendable {
  private static let length = FeatureExtractor.windowLength
  /// (0.1 rad/s)².
  private static let floor: Float = 0.01
  /// (10 mm/s²)²: below it accelerations are noise.
  private static let accelerationFloor: Float = 1e-4
  /// (4.5 mrad/s)²: rates that vary less have no measurable periodicity.
  private static let rhythmFloor: Float = 2e-5
  /// The lags of the autocorrelation in pairs of samples, 0.30 to 2.52 s.
  private static let lags = 15..<127

  private let taper: [Float]
  private let powerScale: Float
  private let bandBins: [Range<Int>]
  private var transform: RealFourierTransform
  /// The rates less their mean on three axes, and about the vertical; then the same, tapered.
  private var signals: ContiguousArray<SIMD4<Float>>
  private var powers: ContiguousArray<SIMD4<Float>>
  /// The norm of the rates, averaged over pairs of samples, less its mean.
  private var norms: [Float]
  /// Each value of `norms` with the three after it.
  private var quartets: [SIMD4<Float>]
  /// The power of the accelerations less their mean, m²/s⁴.
  private var accelerationPower: Float = 0
  /// The powers of the rates on all axes and about the vertical, rad²/s².
  private var power: Float = 0
  private var verticalPower: Float = 0

  /// Prepares an extractor.
  public init() {
    let taper = (0..<Self.length).map { index in
      0.5 - 0.5 * cos(2 * Double.pi * Double(index) / Double(Self.length))
    }
    self.taper = taper.map { Float($0) }
    // From |X|² to the power in one bin of the one-sided density.
    powerScale = Float(2 / (Double(Self.length) * taper.reduce(0) { $0 + $1 * $1 }))
    let resolution = FeatureExtractor.samplingRate / Float(Self.length)
    let edges = Self.bandEdges.map { Int(($0 / resolution).rounded(.up)) }
    bandBins = zip(edges, edges.dropFirst()).map { $0..<$1 }
    transform = RealFourierTransform(length: Self.length)
    signals = ContiguousArray(repeating: .zero, count: Self.length)
    powers = ContiguousArray(repeating: .zero, count: Self.length / 2 + 1)
    norms = Array(repeating: 0, count: Self.length / 2)
    quartets = Array(repeating: .zero, count: Self.length / 2)
  }

  /// Whether rates can come from a working gyroscope: all are numbers, and they aren't bitwise
  /// constant.
  public static func isSound(_ rates: Span<SIMD4<Float>>) -> Bool {
    guard !rates.isEmpty else { return false }
    let check = SignalCheck(rates)
    return check.isFinite && !check.isStuck
  }

  /// Writes the features of a window to `features`, in the order of ``schema``.
  ///
  /// - Parameters:
  ///   - rates: Rotation rates, x, y, z in rad/s on the uniform 100 Hz grid; the fourth lane isn't
  ///     read.
  ///   - accelerations: The accelerations of the same time, x, y, z in m/s² with gravity.
  ///   - features: Room for `schema.count` features.
  /// - Precondition: both windows have ``FeatureExtractor/windowLength`` samples.
  public mutating func extract(
    from rates: Span<SIMD4<Float>>, accelerations: Span<SIMD4<Float>>,
    into features: inout MutableSpan<Float>
  ) {
    precondition(
      rates.count == Self.length && accelerations.count == Self.length,
      "expected \(Self.length) samples, got \(rates.count) and \(accelerations.count)")
    precondition(
      features.count == Self.schema.count,
      "expected room for \(Self.schema.count) features, got \(features.count)")
    project(rates, about: vertical(of: accelerations))
    Self.transform(signals, with: &transform, into: &powers)
    for (band, bins) in bandBins.enumerated() {
      var sum = SIMD4<Float>.zero
      for bin in bins { sum += powers[bin] }
      sum *= powerScale
      features[band] = log(sum.x + sum.y + sum.z + 0.1 * Self.floor)
      features[bandBins.count + band] = log(sum.w + 0.1 * Self.floor)
    }
    let next = 2 * bandBins.count
    let logPower = log(power + Self.floor)
    features[next] = logPower
    features[next + 1] = log(verticalPower + Self.floor)
    features[next + 2] = logPower - log(accelerationPower + Self.accelerationFloor)
    features[next + 3] = periodicity()
  }

  /// The value with NaN as 0, clamped to ± `limit` on the three axes; the fourth lane is 0.
  private static func limited(_ sample: SIMD4<Float>, to limit: Float) -> SIMD4<Float> {
    let limits = SIMD4(limit, limit, limit, 0)
    return larger(smaller(known(sample), limits), -limits)
  }

  /// The direction of the mean acceleration, 0 without gravity; sets `accelerationPower`.
  private mutating func vertical(of accelerations: Span<SIMD4<Float>>) -> SIMD4<Float> {
    let limit: Float = 1e6
    var sum = SIMD4<Float>.zero
    for index in 0..<Self.length { sum += Self.limited(accelerations[index], to: limit) }
    let mean = sum / Float(Self.length)
    var squares = SIMD4<Float>.zero
    for index in 0..<Self.length {
      let deviation = Self.limited(accelerations[index], to: limit) - mean
      squares += deviation * deviation
    }
    accelerationPower = squares.sum() / Float(Self.length)
    let gravity = (mean * mean).sum().squareRoot()
    // A relative limit, because the mean of large accelerations is never exactly 0.
    return gravity > 1e-3 * accelerationPower.squareRoot() ? mean / gravity : .zero
  }

  /// Fills `signals` with tapered rates and `norms`, and sets the powers.
  private mutating func project(_ rates: Span<SIMD4<Float>>, about vertical: SIMD4<Float>) {
    let limit: Float = 1e4
    var sum = SIMD4<Float>.zero
    for index in 0..<Self.length { sum += Self.limited(rates[index], to: limit) }
    let mean = sum / Float(Self.length)
    var squares = SIMD4<Float>.zero
    var (normSum, pair): (Float, Float) = (0, 0)
    for index in 0..<Self.length {
      var rate = Self.limited(rates[index], to: limit) - mean
      let norm = (rate * rate).sum().squareRoot()
      rate.w = (rate * vertical).sum()
      squares += rate * rate
      signals[index] = rate * taper[index]
      if index.isMultiple(of: 2) {
        pair = norm
      } else {
        norms[index / 2] = 0.5 * (pair + norm)
        normSum += norms[index / 2]
      }
    }
    squares /= Float(Self.length)
    power = squares.x + squares.y + squares.z
    verticalPower = squares.w
    let meanNorm = normSum / Float(norms.count)
    for index in norms.indices { norms[index] -= meanNorm }
  }

  /// Transforms; static, so that only the arguments are accessed.
  private static func transform(
    _ signal: ContiguousArray<SIMD4<Float>>, with transform: inout RealFourierTransform,
    into powers: inout ContiguousArray<SIMD4<Float>>
  ) {
    var powers = powers.mutableSpan
    transform.powers(of: signal.span, into: &powers)
  }

  /// The highest autocorrelation of the norm, relative to that at lag 0; products beyond the ends
  /// count as 0.
  private mutating func periodicity() -> Float {
    let count = norms.count
    var energy: Float = 0
    for index in 0..<count {
      energy += norms[index] * norms[index]
      var quartet = SIMD4<Float>.zero
      for lane in 0..<min(4, count - index) { quartet[lane] = norms[index + lane] }
      quartets[index] = quartet
    }
    var highest = SIMD4<Float>(repeating: -.infinity)
    // Four lags at a time share each load.
    for lag in stride(from: Self.lags.lowerBound, to: Self.lags.upperBound, by: 4) {
      var products = SIMD4<Float>.zero
      for index in 0..<count - lag { products += norms[index] * quartets[index + lag] }
      highest.replace(with: products, where: products .> highest)
    }
    return highest.max() / (energy + Self.rhythmFloor * Float(count))
  }
}

extension RotationFeatureExtractor {
  /// The edges of the nine power bands in Hz; a band holds its lower edge.
  static let bandEdges: [Float] = [0.15, 0.5, 1, 1.5, 2.2, 3, 4.5, 7, 11, 20]

  /// The features that ``RotationFeatureExtractor`` computes.
  ///
  /// g is the rotation rate less its mean, v its part about the mean acceleration. Logarithms are
  /// natural.
  public static let schema = FeatureSchema(
    bandFeatures("rotation", "g, three axes together,") + bandFeatures("turning", "v") + [
      feature("rotation.logPower", "log of the mean square of g, plus (0.1 rad/s)²; rad²/s²"),
      feature("turning.logPower", "log of the mean square of v, plus (0.1 rad/s)²; rad²/s²"),
      feature(
        "rotation.logRatio",
        "rotation.logPower less the log of the mean square of the acceleration less its mean, "
          + "plus (0.01 m/s²)²: how much of the movement is rotation"),
      feature(
        "rotation.periodicity",
        "highest autocorrelation of |g| at lags of 0.30 to 2.52 s; 1 at lag 0"),
    ])

  private static func bandFeatures(
    _ signal: String, _ symbol: String
  ) -> [FeatureSchema.Feature] {
    zip(bandEdges, bandEdges.dropFirst()).map { lower, upper in
      let (lower, upper) = (FeatureExtractor.text(lower), FeatureExtractor.text(upper))
      return feature(
        "\(signal).logPower\(lower)To\(upper)Hz",
        "log of the power of \(symbol) between \(lower) and \(upper) Hz, Hann periodogram, "
          + "plus a tenth of (0.1 rad/s)²; rad²/s²")
    }
  }

  private static func feature(_ id: String, _ definition: String) -> FeatureSchema.Feature {
    .init(id: id, version: 1, definition: definition)
  }
}

extension UniformResampler.Settings {
  /// The resampler settings for rotation rates, on the grid of the accelerations.
  ///
  /// The range of phones' gyroscopes is 2,000 °/s, which is 35 rad/s.
  package static var rotationRates: UniformResampler.Settings {
    var settings = UniformResampler.Settings()
    settings.saturationLevel = 0
    settings.largestComponent = 200
    return settings
  }
}
