import Foundation
import Locomotion
import SensorSimulator
import TestSupport
import Testing

/// What holds for any recording: batches don't matter, snapshots go on, nothing looks ahead.
@Suite struct PipelinePropertyTests {
  static func outing(seed: UInt64, rate: Double = 100) -> SensorBatch {
    var phone = SimulatedPhone()
    phone.hasGyroscope = true
    var batch = Scenario(seed: seed, phone: phone).sampling(rate: rate)
      .rest(.seconds(40)).walk(.seconds(60)).drive(.seconds(60)).stop(.seconds(15))
      .tunnel(.seconds(20)).run(.seconds(40)).recording().wholeBatch()
    // A barometer that is slower, on times of the accelerations and on others.
    for (index, time) in batch.accelerations.timestamps.enumerated() where index % 9 == 0 {
      let late = Int64(index % 2) * 3_000_000
      batch.append(
        pressure: 950 + Float(index % 4_000) / 500, at: time.advanced(byNanoseconds: late))
    }
    return batch
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64]) func aPipelineIsAStage(seed: UInt64) {
    let rate = [25, 50, 100, 200.0][Int(seed % 4)]
    #expect(checkPipeline(events(of: Self.outing(seed: seed, rate: rate))) == [])
  }

  @Test(arguments: [11, 12, 13, 14] as [UInt64])
  func aPipelineOfADamagedStreamIsAStage(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    var damaged: [Event] = []
    for event in events(of: Self.outing(seed: seed, rate: 50)) {
      switch (Int.random(in: 0..<200, using: &generator), event) {
      case (0, _): continue
      case (1, _): damaged += [event, event]
      case (2, .acceleration(_, let time)):
        damaged.append(.acceleration(Acceleration(x: .nan, y: 0, z: 9.8), time))
      case (3, .acceleration(let value, let time)):
        let moved = time.advanced(byNanoseconds: Int64.random(in: -5...5, using: &generator) << 30)
        damaged.append(.acceleration(value, moved))
      case (3, .pressure(let value, let time)):
        let moved = time.advanced(byNanoseconds: Int64.random(in: -5...5, using: &generator) << 30)
        damaged.append(.pressure(value, moved))
      case (4, .fix(var fix)):
        fix.timestamp = fix.timestamp.advanced(byNanoseconds: 3_600_000_000_000)
        damaged.append(.fix(fix))
      default: damaged.append(event)
      }
    }
    // One batch merges by time, so the sequence that it stands for is the reference.
    #expect(checkPipeline(events(of: SensorBatch(damaged))) == [])
  }

  @Test func nothingThatComesLaterChangesASample() throws {
    let all = events(of: Self.outing(seed: 41))
    let whole = run(cut(all, seed: 1, largest: 1_000))
    var generator = SplitMix64(seed: 42)
    for _ in 0..<12 {
      let count = Int.random(in: 1..<all.count, using: &generator)
      var pipeline = LocomotionPipeline()
      var output = LocomotionOutput()
      for batch in cut(Array(all.prefix(count)), seed: 2, largest: 1_000) {
        pipeline.ingest(batch, into: &output)
      }
      #expect(output.samples == Array(whole.samples.prefix(output.samples.count)))
      #expect(output.fixes == Array(whole.fixes.prefix(output.fixes.count)))
    }
  }

  @Test func aNewSeriesOfNumbersAfterTheEndOfASecondDoesNotReachBack() {
    // Two streams agree up to 20.00 s and then differ as much as they can.
    var (calm, wild) = (SensorBatch(), SensorBatch())
    for index in 0...2_100 {
      let time = Timestamp(nanoseconds: Int64(index) * 10_000_000)
      let base = Acceleration(x: 0, y: 0, z: 9.81 + 0.01 * Float(index % 3))
      calm.append(base, at: time)
      wild.append(index <= 2_000 ? base : Acceleration(x: 70, y: -50, z: 0), at: time)
    }
    let (a, b) = (run([calm]).samples, run([wild]).samples)
    #expect(a.prefix(20) == b.prefix(20))
    #expect(a[20] != b[20])
  }

  @Test(arguments: [51, 52, 53] as [UInt64])
  func nothingDependsOnHowThePhoneIsHeld(seed: UInt64) throws {
    let upright = Self.outing(seed: seed)
    var generator = SplitMix64(seed: seed)
    let turn = rotation(using: &generator)
    var turned = SensorBatch()
    for event in events(of: upright) {
      switch event {
      case .acceleration(let value, let time):
        let v = turn(SIMD3(value.x, value.y, value.z))
        turned.append(Acceleration(x: v.x, y: v.y, z: v.z), at: time)
      case .rotation(let value, let time):
        let v = turn(SIMD3(value.x, value.y, value.z))
        turned.append(RotationRate(x: v.x, y: v.y, z: v.z), at: time)
      case .fix, .pressure:
        event.append(to: &turned)
      }
    }
    let (first, second) = (run([upright]).samples, run([turned]).samples)
    #expect(first.count == second.count)
    for (a, b) in zip(first, second) {
      #expect(a.activity?.activity == b.activity?.activity)
      #expect(a.movingState == b.movingState)
      let cadences = (a.cadence?.stepsPerMinute, b.cadence?.stepsPerMinute)
      #expect((cadences.0 == nil) == (cadences.1 == nil))
      if let one = cadences.0, let other = cadences.1 { #expect(abs(one - other) < 0.05) }
    }
  }

  /// A rotation about a random axis (Rodrigues' formula).
  private func rotation(using generator: inout SplitMix64) -> (SIMD3<Float>) -> SIMD3<Float> {
    var axis = SIMD3<Double>(
      generator.nextNormal(), generator.nextNormal(), generator.nextNormal())
    axis /= (axis * axis).sum().squareRoot()
    let angle = generator.nextUniform() * 2 * .pi
    return { vector in
      let v = SIMD3<Double>(vector)
      let cross = SIMD3(
        axis.y * v.z - axis.z * v.y, axis.z * v.x - axis.x * v.z, axis.x * v.y - axis.y * v.x)
      let along = axis * (axis * v).sum() * (1 - cos(angle))
      return SIMD3<Float>(v * cos(angle) + cross * sin(angle) + along)
    }
  }
}
