import Foundation

/// A small seeded generator, so that every random test is repeatable (Steele, Lea, Flood, "Fast
/// splittable pseudorandom number generators", OOPSLA 2014).
struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// A generator whose sequence depends on `seed` alone.
  init(seed: UInt64) {
    state = seed
  }

  /// The next 64 random bits.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A standard normal value (Box and Muller 1958).
  mutating func nextNormal() -> Double {
    let radius = (-2 * log(1 - nextUniform())).squareRoot()
    return radius * cos(2 * .pi * nextUniform())
  }

  /// A value uniform in 0 ..< 1.
  mutating func nextUniform() -> Double {
    Double(next() >> 11) * 0x1p-53
  }
}
