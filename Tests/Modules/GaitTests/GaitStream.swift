import LocomotionGait
import LocomotionSensing
import LocomotionSignals

/// Raw samples through validation, resampling and estimation, as in the pipeline.
struct GaitStream {
  private(set) var updates: [CadenceUpdate] = []
  private var resampler = UniformResampler()
  private var ring = SampleRing(capacity: 1024)
  private var estimator = CadenceEstimator()
  private var analysed: Int64?

  var counts: IntakeCounts { resampler.counts }
  var steps: Float { updates.reduce(0) { $0 + $1.steps } }

  /// Adds one sample; each second is analysed when it ends.
  mutating func add(_ force: SIMD3<Float>, at nanoseconds: Int64) {
    let time = Timestamp(nanoseconds: nanoseconds)
    switch resampler.validate(x: force.x, y: force.y, z: force.z, at: time) {
    case .dropped, .held: return
    case .begins, .resumes:
      resampler.beginStretch(in: &ring)
      estimator.reset()
      analysed = nil
    case .continues: break
    }
    resampler.append(x: force.x, y: force.y, z: force.z, at: time, to: &ring)
    let second = resampler.nextCell / 100
    guard ring.count >= 100, second != analysed else { return }
    let isFirst = analysed == nil
    analysed = second
    // The first second of a stretch may be incomplete.
    guard !isFirst || ring.count >= 100 else { return }
    let beyond = Int(resampler.nextCell % 100)
    let length = min(600, ring.count - beyond)
    guard length > 0 else { return }
    updates.append(
      ring.withLatest(length + beyond) { window in
        estimator.update(window: window.extracting(0..<length))
      })
  }
}
