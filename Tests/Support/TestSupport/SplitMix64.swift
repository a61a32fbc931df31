/// A small seeded generator, so that every random test is repeatable (Steele, Lea, Flood, "Fast
/// splittable pseudorandom number generators", OOPSLA 2014).
public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// A generator whose sequence depends on `seed` alone.
  public init(seed: UInt64) {
    state = seed
  }

  /// The next 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A standard normal value (Box and Muller 1958).
  public mutating func nextNormal() -> Double {
    let radius = (-2 * logarithm(1 - nextUniform())).squareRoot()
    return radius * cosine(2 * .pi * nextUniform())
  }

  /// A value uniform in 0 ..< 1.
  public mutating func nextUniform() -> Double {
    Double(next() >> 11) * 0x1p-53
  }
}

/// `bytes` with some random changes: flips, insertions of a byte that tells something in some
/// format, deletions, repeats, a cut.
package func mutated(
  _ bytes: [UInt8], changes: ClosedRange<Int>, _ generator: inout SplitMix64
) -> [UInt8] {
  let telling = ",;\n\r\"-+.e0 9nN\u{0}<>&/[]{}:\\ut\u{FEFF}".utf8 + [0x80, 0xFE, 0xFF]
  var bytes = bytes
  for _ in 0..<Int.random(in: changes, using: &generator) where !bytes.isEmpty {
    let place = Int.random(in: 0..<bytes.count, using: &generator)
    let byte = telling.randomElement(using: &generator) ?? 0
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
    case 1: bytes[place] = byte
    case 2: bytes.insert(byte, at: place)
    case 3: bytes.remove(at: place)
    case 4: bytes.insert(contentsOf: bytes[..<place].suffix(40), at: place)
    default: bytes.removeSubrange(place...)
    }
  }
  return bytes
}
