import Foundation

/// A hash that is the same on every machine (FNV-1a, 64 bits).
struct StableHash {
  private(set) var value: UInt64

  /// The hash of nothing, which a seed changes.
  init(seed: UInt64 = 0) { value = 0xcbf2_9ce4_8422_2325 ^ seed }

  mutating func add(_ part: UInt64) { value = (value ^ part) &* 0x100_0000_01b3 }
}

/// A small generator whose sequence depends on its seed alone (Steele, Lea, Flood 2014, "Fast
/// splittable pseudorandom number generators", the mix of section 5).
package struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  /// 64 random bits.
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A value uniform in 0 ..< 1.
  package mutating func uniform() -> Double {
    Double(next() >> 11) * 0x1p-53
  }

  /// One of some values, each as likely as any other.
  ///
  /// - Precondition: there is at least one.
  package mutating func element<Value>(of values: [Value]) -> Value {
    values[Int(uniform() * Double(values.count))]
  }

  /// Three independent standard normal values (Box and Muller 1958).
  mutating func normal3() -> SIMD3<Float> {
    var values = SIMD3<Float>.zero
    for lane in 0..<3 {
      let radius = (-2 * log(1 - uniform())).squareRoot()
      values[lane] = Float(radius * cos(2 * .pi * uniform()))
    }
    return values
  }
}
