internal import LocomotionActivityRecognition
internal import LocomotionSensing
internal import LocomotionSignals

/// The newest rotation rates on the grid of the accelerations.
///
/// They are judged and gridded as accelerations are, with a resampler of their own: packets may
/// come earlier or later than those of the accelerations.
struct RotationGrid: Sendable, Hashable, Codable {
  /// Cells by which the window of rates ends before that of the accelerations.
  ///
  /// When the accelerations end a second, the rates of its last moment are still to come: a cell
  /// is known when a sample behind it is. Every rate that can be gridded is known a quarter of a
  /// second later, and always the same ones are taken, however the sensors take turns.
  static let lag: Int64 = 25

  private var resampler = UniformResampler(settings: .rotationRates)
  /// Grows to ``capacity`` when the first rate comes: most phones record none.
  private var ring = SampleRing(capacity: 1)
  /// A window and what packets bring ahead of the accelerations, five seconds.
  private static let capacity = 1024

  /// Takes in a rate, rad/s.
  mutating func add(x: Float, y: Float, z: Float, at timestamp: Timestamp) {
    if ring.capacity < Self.capacity { ring = SampleRing(capacity: Self.capacity) }
    _ = resampler.resample(x: x, y: y, z: z, at: timestamp, into: &ring)
  }

  /// Forgets all rates: the clock of the accelerations was set back.
  mutating func reset() {
    resampler.reset()
    ring.removeAll()
  }

  /// Calls `body` with the rates of the window that belongs to a window of accelerations before the
  /// cell `end`; with none, unless every cell of it was measured.
  func withWindow<Result>(before end: Int64, _ body: (Span<SIMD4<Float>>) -> Result) -> Result {
    let length = FeatureExtractor.windowLength
    let beyond = resampler.nextCell - (end - Self.lag)
    guard ring.count >= length, beyond >= 0, beyond <= Int64(ring.count - length) else {
      return ring.withLatest(0, body)
    }
    return ring.withLatest(length + Int(beyond)) { body($0.extracting(first: length)) }
  }
}
