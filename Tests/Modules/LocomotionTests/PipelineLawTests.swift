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
    // One batch merges by time, so the sequence that it stands for is the reference.
    let damaged = SensorBatch(SavedStateTests.faultyOuting(seed: seed, fixesAlone: false))
    #expect(checkPipeline(events(of: damaged)) == [])
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

  @Test(arguments: [51, 52, 53] as [UInt64])
  func nothingDependsOnHowThePhoneIsHeld(seed: UInt64) throws {
    let upright = Self.outing(seed: seed)
    var generator = SplitMix64(seed: seed)
    let turn = Rotation(using: &generator)
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
}

/// Whatever comes in, nothing traps, every output is finite, and every input is accounted for.
@Suite struct PipelineFuzzTests {
  @Test func aMillionHostileBatchesDoNoHarm() {
    var generator = SplitMix64(seed: 0x10C0)
    var pipeline = LocomotionPipeline()
    var batch = SensorBatch()
    var output = LocomotionOutput()
    var clock: Int64 = 0
    var (accelerations, rates, pressures, fixes) = (0, 0, 0, 0)
    for round in 0..<1_000_000 {
      batch.removeAll()
      for _ in 0..<Int.random(in: 0...4, using: &generator) {
        clock = nextTime(after: clock, using: &generator)
        let time = Timestamp(nanoseconds: clock)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: batch.append(hostileFix(at: time, using: &generator))
        case 1:
          batch.append(
            RotationRate(
              x: component(&generator), y: component(&generator), z: component(&generator)),
            at: time)
        case 2:
          let pressure =
            Bool.random(using: &generator)
            ? component(&generator) : Float.random(in: 300...1_100, using: &generator)
          batch.append(pressure: pressure, at: time)
        default:
          batch.append(
            Acceleration(
              x: component(&generator), y: component(&generator), z: component(&generator)),
            at: time)
        }
      }
      accelerations += batch.accelerations.count
      rates += batch.rotationRates.count
      pressures += batch.pressures.count
      fixes += batch.fixes.count
      output.removeAll()
      pipeline.ingest(batch, into: &output)
      for sample in output.samples where !sample.isFinite {
        Issue.record("round \(round): \(sample)")
        return
      }
      for report in output.fixes where !(report.location?.isFinite ?? true) {
        Issue.record("round \(round): \(report)")
        return
      }
    }
    pipeline.finish(into: &output)
    let diagnostics = pipeline.diagnostics
    #expect(diagnostics.accelerations.received == accelerations)
    #expect(
      diagnostics.accelerations.kept + diagnostics.accelerations.dropped == accelerations)
    #expect(diagnostics.rotationRates.received == rates)
    #expect(diagnostics.rotationRates.kept + diagnostics.rotationRates.dropped == rates)
    #expect(diagnostics.pressures.received == pressures)
    #expect(diagnostics.pressures.kept > 10_000)
    #expect(diagnostics.fixes.received == fixes)
    #expect(diagnostics.waitingFixes == 0)
    #expect(diagnostics.accelerations.kept > 100_000)
    #expect(diagnostics.fixes.used > 1_000)
  }

  private func nextTime(after clock: Int64, using generator: inout SplitMix64) -> Int64 {
    switch Int.random(in: 0..<1_000, using: &generator) {
    case 0: Int64.random(in: .min ... .max, using: &generator)
    case 1: [Int64.min, .max, 0, 1 << 62, -(1 << 62)][Int.random(in: 0..<5, using: &generator)]
    case 2...9: clock &- Int64.random(in: 0...3_000_000_000, using: &generator)
    case 10...19: clock
    case 20...29: clock &+ Int64.random(in: 0...600_000_000_000, using: &generator)
    default: clock &+ Int64.random(in: 2_000_000...20_000_000, using: &generator)
    }
  }

  private func component(_ generator: inout SplitMix64) -> Float {
    switch Int.random(in: 0..<2_000, using: &generator) {
    case 0: .nan
    case 1: .infinity
    case 2: -.infinity
    case 3: .greatestFiniteMagnitude
    case 4: .leastNonzeroMagnitude
    case 5...20: Float.random(in: -1_000...1_000, using: &generator)
    default: Float.random(in: -12...12, using: &generator)
    }
  }

  private func hostileFix(
    at time: Timestamp, using generator: inout SplitMix64
  ) -> LocationFix {
    func number(_ ordinary: ClosedRange<Double>) -> Double {
      switch Int.random(in: 0..<40, using: &generator) {
      case 0: .nan
      case 1: .infinity
      case 2: -.greatestFiniteMagnitude
      case 3: -1
      case 4: 0
      case 5: 1e-300
      default: Double.random(in: ordinary, using: &generator)
      }
    }
    var fix = LocationFix(
      timestamp: time, latitude: number(47.99...48.01), longitude: number(11.0...11.01),
      altitude: number(0...500), horizontalAccuracy: number(1...50), speed: number(0...20),
      course: number(0...360))
    // Some apps fill the fields themselves, past the initialiser's checks.
    if Int.random(in: 0..<4, using: &generator) == 0 {
      fix.horizontalAccuracy = number(1...50)
      fix.speed = number(0...20)
      fix.course = number(-720...720)
    }
    return fix
  }
}

extension LocomotionSample {
  fileprivate var isFinite: Bool {
    let levels = [
      horizontalAccelerationLevel, verticalAccelerationLevel, rotationLevel,
      cadence?.stepsPerMinute, cadence?.confidence, steps, coverage,
    ]
    let probabilities = Activity.allCases.map { activity?.probabilities[$0] ?? 0 }
    return levels.allSatisfy { $0?.isFinite ?? true } && probabilities.allSatisfy(\.isFinite)
      && movingProbability.isFinite && (0...1).contains(movingProbability)
      && (0...1).contains(coverage) && steps >= 0 && (location?.isFinite ?? true)
  }
}

extension LocationEstimate {
  fileprivate var isFinite: Bool {
    abs(latitude) <= 90 && longitude >= -180 && longitude < 180 && radius68.isFinite
      && radius68 > 0 && (speed ?? 0).isFinite && (speedDeviation ?? 0).isFinite
      && (course ?? 0).isFinite
  }
}

@Suite struct ReadmeExampleTests {
  @Test func theExampleRuns() {
    var batch = SensorBatch()
    for index in 0..<300 {
      batch.append(
        Acceleration(x: 0, y: 0, z: 9.81), at: Timestamp(nanoseconds: Int64(index) * 10_000_000))
    }
    follow([batch])
    var pipeline = LocomotionPipeline()
    #expect(pipeline.ingest(batch).samples.count == 2)
  }
}
