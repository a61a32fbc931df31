import Foundation

/// One of many independent seeded streams of random numbers.
///
/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
/// The trajectory, the accelerometer and the location service each draw from a stream of their own,
/// so that a change of one sensor's rate doesn't affect the others.
struct RandomStream: Sendable {
  private var state: UInt64
  private var spareNormal: Double?

  /// The stream number `stream` of `seed`.
  init(seed: UInt64, stream: UInt64) {
    state = Self.mixed(seed &+ 0x9E37_79B9_7F4A_7C15) ^ Self.mixed(stream &* 0xD1B5_4A32_D192_ED03)
  }

  private static func mixed(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A value uniform in 0 ..< 1.
  mutating func uniform() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Double(Self.mixed(state) >> 11) * 0x1p-53
  }

  /// A value uniform in `range`.
  mutating func uniform(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + (range.upperBound - range.lowerBound) * uniform()
  }

  /// Whether an event of this probability happens.
  mutating func happens(_ probability: Double) -> Bool {
    probability > 0 && uniform() < probability
  }

  /// A standard normal value (Marsaglia's polar method, 1964).
  mutating func normal() -> Double {
    if let spare = spareNormal {
      spareNormal = nil
      return spare
    }
    while true {
      let (u, v) = (2 * uniform() - 1, 2 * uniform() - 1)
      let square = u * u + v * v
      guard square > 0, square < 1 else { continue }
      let factor = (-2 * log(square) / square).squareRoot()
      spareNormal = v * factor
      return u * factor
    }
  }

  /// Three independent standard normal values.
  mutating func normal3() -> SIMD3<Double> {
    SIMD3(normal(), normal(), normal())
  }
}

/// A first-order Gauss-Markov process of mean 0 and variance 1.
struct GaussMarkov: Sendable {
  private(set) var value: Double

  /// A process that starts in its stationary distribution.
  init(_ random: inout RandomStream) {
    value = random.normal()
  }

  /// Moves on by `interval` with correlation exp(−interval / `timeConstant`).
  mutating func advance(
    _ interval: Double, timeConstant: Double, _ random: inout RandomStream
  ) -> Double {
    let correlation = exp(-interval / timeConstant)
    value = correlation * value + (1 - correlation * correlation).squareRoot() * random.normal()
    return value
  }
}

/// Noise around one frequency with variance 1 on each of three axes.
///
/// A second-order autoregression with poles at radius exp(−π bandwidth / rate): its spectrum peaks
/// at `frequency` and is `bandwidth` wide at half power.
struct ResonantNoise: Sendable {
  private let first: Double
  private let second: Double
  private let drive: Double
  private var newest = SIMD3<Double>.zero
  private var oldest = SIMD3<Double>.zero

  /// Noise of `frequency` and `bandwidth`, Hz, sampled at `rate`, Hz.
  ///
  /// Above 0.45 `rate` there is no signal: a phone filters before it samples.
  init(frequency: Double, bandwidth: Double, rate: Double, _ random: inout RandomStream) {
    let radius = exp(-.pi * bandwidth / rate)
    first = 2 * radius * cos(2 * .pi * frequency / rate)
    second = -radius * radius
    let variance =
      (1 - second) / ((1 + second) * ((1 - second) * (1 - second) - first * first))
    drive = frequency < 0.45 * rate ? 1 / variance.squareRoot() : 0
    if drive > 0 {
      // Start in the stationary state: the lag-one correlation is first / (1 − second).
      let correlation = first / (1 - second)
      oldest = random.normal3()
      newest =
        correlation * oldest + (1 - correlation * correlation).squareRoot() * random.normal3()
    }
  }

  mutating func next(_ random: inout RandomStream) -> SIMD3<Double> {
    guard drive > 0 else { return .zero }
    let value = first * newest + second * oldest + drive * random.normal3()
    oldest = newest
    newest = value
    return value
  }
}
