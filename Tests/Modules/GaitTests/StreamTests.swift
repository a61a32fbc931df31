import Foundation
import LocomotionGait
import LocomotionSignals
import TestSupport
import Testing

/// Properties that hold for any phone, rate and fault.
struct GaitStreamTests {
  /// The acceleration of a walking phone at `t` seconds, in closed form for any sampling rate.
  static func force(at t: Double, stepsPerMinute: Double = 110) -> SIMD3<Float> {
    let phase = 2 * Double.pi * stepsPerMinute / 60 * t
    return SIMD3(
      Float(0.9 * sin(0.5 * phase) + 0.5 * sin(1.5 * phase + 2)), Float(0.8 * sin(phase + 1)),
      Float(9.81 + 3 * sin(phase) + 1.3 * sin(2 * phase + 0.5) + 0.6 * sin(3 * phase + 1)))
  }

  static func walk(
    samplesPerSecond: Double, from start: Double = 0, seconds: Double, into stream: inout GaitStream
  ) {
    for index in 0..<Int(seconds * samplesPerSecond) {
      let t = start + Double(index) / samplesPerSecond
      stream.add(force(at: t), at: Int64(t * 1e9))
    }
  }

  @Test(arguments: [25.0, 50, 100, 200, 400])
  func anySamplingRateGivesTheSameCadence(samplesPerSecond: Double) throws {
    var stream = GaitStream()
    Self.walk(samplesPerSecond: samplesPerSecond, seconds: 30, into: &stream)
    let update = try #require(stream.updates.last)
    let cadence = try #require(update.cadence)
    let lagged = try #require(update.laggedCadence)
    #expect(abs(cadence.stepsPerMinute - 110) < 0.15)
    #expect(abs(lagged.stepsPerMinute - 110) < 0.15)
  }

  @Test func aDayOfSensorNoiseHasNoStep() {
    var random = SplitMix64(seed: 24)
    var estimator = CadenceEstimator()
    var window: [SIMD4<Float>] = []
    var steps: Float = 0
    for _ in 0..<86_400 {
      if window.count == 600 { window.removeFirst(100) }
      for _ in 0..<100 {
        let force = SIMD3<Float>(
          0.03 * Float(random.nextNormal()), 0.03 * Float(random.nextNormal()),
          9.81 + 0.03 * Float(random.nextNormal()))
        window.append(SIMD4(force, (force * force).sum().squareRoot()))
      }
      steps += estimator.update(window: window.slice.span).steps
    }
    #expect(steps == 0)
  }

  @Test func aGapAddsNoSteps() {
    var whole = GaitStream()
    Self.walk(samplesPerSecond: 100, seconds: 60, into: &whole)
    var broken = GaitStream()
    Self.walk(samplesPerSecond: 100, seconds: 30, into: &broken)
    Self.walk(samplesPerSecond: 100, from: 150, seconds: 30, into: &broken)
    #expect(broken.counts.gaps == 1)
    // 110 steps in the recorded minute, none of the 220 in the gap.
    #expect(broken.steps <= whole.steps + 0.5)
    #expect(broken.steps > 110 - 8)
  }

  @Test func duplicatesAndReversedStampsAreCountedAndChangeNothing() {
    var clean = GaitStream()
    Self.walk(samplesPerSecond: 100, seconds: 30, into: &clean)
    var faulty = GaitStream()
    var (duplicates, reversed) = (0, 0)
    for index in 0..<3000 {
      let t = Double(index) / 100
      faulty.add(Self.force(at: t), at: Int64(t * 1e9))
      if index % 7 == 3 {
        faulty.add(SIMD3(40, 0, 0), at: Int64(t * 1e9))
        duplicates += 1
      }
      if index % 11 == 10 {
        faulty.add(SIMD3(0, 40, 0), at: Int64((t - 0.05) * 1e9))
        reversed += 1
      }
    }
    #expect(faulty.updates == clean.updates)
    #expect(faulty.counts.received - faulty.counts.kept == duplicates + reversed)
  }

  /// Nine steps between rests, beginning anywhere within a second.
  ///
  /// The signal begins and ends abruptly, unlike real steps: its ends are located a fraction of a
  /// step too far out.
  @Test(arguments: [75.0, 90, 105, 120])
  func aBoutOfNineStepsIsCountedWithinOne(stepsPerMinute: Double) {
    var sum: Float = 0
    for offset in 0..<10 {
      let start = 12 + 0.1 * Double(offset)
      let end = start + 9 * 60 / stepsPerMinute
      let samples = SyntheticGait(stepsPerMinute: stepsPerMinute)
        .samples(seconds: 32, seed: UInt64(offset)) { start <= $0 && $0 < end }
      let counted = CadenceEstimatorTests.total(CadenceEstimatorTests.run(samples))
      #expect(abs(counted - 9) <= 1.35, "\(stepsPerMinute) steps/min from \(start) s: \(counted)")
      sum += counted
    }
    #expect(abs(sum / 10 - 9) <= 1.2)
  }
}

/// Raw samples through validation, resampling and estimation, as in the pipeline.
struct GaitStream {
  private(set) var updates: [CadenceUpdate] = []
  private var resampler = UniformResampler()
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
      resampler.beginStretch()
      estimator.reset()
      analysed = nil
    case .continues: break
    }
    resampler.append(x: force.x, y: force.y, z: force.z, at: time)
    let second = resampler.nextCell / 100
    guard resampler.count >= 100, second != analysed else { return }
    let isFirst = analysed == nil
    analysed = second
    // The first second of a stretch may be incomplete.
    guard !isFirst || resampler.count >= 100 else { return }
    let beyond = Int(resampler.nextCell % 100)
    let length = min(600, resampler.count - beyond)
    guard length > 0 else { return }
    updates.append(
      resampler.withCells(before: resampler.nextCell - Int64(beyond), atMost: length) {
        estimator.update(window: $0)
      })
  }
}
