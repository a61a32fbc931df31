import LocomotionSignals

/// One layout of a ring in its memory.
struct RingLayout: CustomStringConvertible {
  let capacity: Int
  /// The index of the first sample written.
  let start: Int
  let count: Int

  var description: String { "capacity \(capacity), start \(start), count \(count)" }

  static let all: [RingLayout] = [1, 2, 3, 5, 8, 13].flatMap { capacity in
    (0..<capacity).flatMap { start in
      (0...capacity).map { RingLayout(capacity: capacity, start: start, count: $0) }
    }
  }

  /// A ring in this layout, and its samples.
  func ring() -> (ring: SampleRing, samples: [SIMD4<Float>]) {
    var ring = SampleRing(capacity: capacity)
    for _ in 0..<start { ring.append(SIMD4(repeating: -1)) }
    ring.removeAll()
    let samples = (0..<count).map(RingLayout.sample)
    for sample in samples { ring.append(sample) }
    return (ring, samples)
  }

  /// A sample whose lanes are unique to its index.
  static func sample(_ index: Int) -> SIMD4<Float> {
    SIMD4(Float(index), Float(index) + 0.25, Float(index) + 0.5, Float(index) + 0.75)
  }
}

/// Calls `body` with a ring in every layout, its samples, and the layout's description.
func withEveryLayout(
  _ body: (_ ring: SampleRing, _ samples: [SIMD4<Float>], _ layout: RingLayout) throws -> Void
) rethrows {
  for layout in RingLayout.all {
    let (ring, samples) = layout.ring()
    try body(ring, samples, layout)
  }
}

extension SampleRing {
  /// The newest `length` samples, oldest first.
  func latest(_ length: Int) -> [SIMD4<Float>] {
    withLatest(length) { window in window.indices.map { window[$0] } }
  }

  /// All samples, oldest first.
  var samples: [SIMD4<Float>] { latest(count) }
}
