import Foundation
import Locomotion
import TestSupport
import Testing

/// What a second remembers, what a new start forgets, and what hindsight may change.
@Suite struct PipelineStateTests {
  private static func fix(_ seconds: Double, accuracy: Double = 5) -> LocationFix {
    LocationFix(
      timestamp: .at(seconds), latitude: 48, longitude: 11, horizontalAccuracy: accuracy)
  }

  /// Of 1.9 steps a second, at any sampling rate.
  @Test(arguments: [20, 25, 50, 100, 200, 400] as [Double])
  func theLastOfWholeSecondsCountsItsSteps(rate: Double) throws {
    let samples = run([walk(0..<30, rate: rate)]).samples
    #expect(samples.count == 30)
    #expect(samples.suffix(20).allSatisfy { abs($0.steps - 1.9) < 0.1 })
    let last = try #require(samples.last)
    for cadence in [last.cadence, last.laggedCadence] {
      #expect(abs((try #require(cadence)).stepsPerMinute - 114) < 0.15)
    }
  }

  @Test(arguments: [29.5, 29.9])
  func aPartOfASecondCountsNone(end: Double) {
    let samples = run([walk(0..<end)]).samples
    #expect(samples.count == 30)
    #expect(samples.last?.steps == 0)
    #expect(samples.last?.cadence == nil)
    #expect(samples.last?.activity != nil)
  }

  @Test func theRotationLevelIsThatOfItsSecondAlone() {
    var batch = walk(0..<10)
    for index in 0..<1_000 {
      let rate = Float(1 + index / 100)
      batch.append(
        RotationRate(x: rate, y: index % 2 == 0 ? 1 : -1, z: 0),
        at: .at(Double(index) / 100))
    }
    // One that comes late belongs to a second that is over.
    batch.append(RotationRate(x: 100, y: 0, z: 0), at: .at(3))
    var pipeline = LocomotionPipeline()
    var output = LocomotionOutput()
    pipeline.ingest(batch, into: &output)
    pipeline.finish(into: &output)
    for (second, sample) in output.samples.enumerated() {
      let rate = Float(1 + second)
      #expect(abs((sample.rotationLevel ?? 0) - (rate * rate + 1).squareRoot()) < 1e-4)
    }
    // That one, and the first, which came when no second had begun.
    #expect(pipeline.diagnostics.rotationRates.dropped(for: .outOfOrder) == 2)
  }

  @Test func theTimeOfAGapPassesForTheActivity() throws {
    let samples = run([walk(0..<20), walk(300..<320)]).samples
    let behind = try #require(samples.first { $0.start >= .at(300) })
    #expect(behind.activityEvidence?.elapsedSeconds == 281)
  }

  @Test func cadenceStartsAnewBehindAGap() {
    let torn = run([walk(0..<20.5), walk(25..<40)]).samples.dropFirst(21)
    let fresh = run([walk(25..<40)]).samples
    #expect(torn.prefix(2).allSatisfy { $0.cadence == nil && $0.steps == 0 })
    #expect(torn.prefix(4).map { $0.cadence == nil } == fresh.prefix(4).map { $0.cadence == nil })
    #expect(fresh[3].cadence != nil)
  }

  /// The same polygon, as its corners 200 ms apart and as points on it every 10 ms.
  private static func polygon() -> (corners: SensorBatch, points: SensorBatch) {
    var generator = SplitMix64(seed: 77)
    var (corners, points) = (SensorBatch(), SensorBatch())
    var last = SIMD3<Float>(0, 0, 9.81)
    corners.append(Acceleration(x: 0, y: 0, z: 9.81), at: .at(0.7))
    points.append(Acceleration(x: 0, y: 0, z: 9.81), at: .at(0.7))
    for corner in 1...60 {
      let loudness = Float(corner % 7)
      let next =
        SIMD3<Float>(0, 0, 9.81) + loudness
        * SIMD3((0..<3).map { _ in Float(generator.nextUniform() - 0.5) })
      for step in 1...20 {
        let v = last + (next - last) * Float(step) / 20
        let instant = Timestamp.at(0.7 + 0.2 * Double(corner - 1) + 0.01 * Double(step))
        points.append(Acceleration(x: v.x, y: v.y, z: v.z), at: instant)
        if step == 20 { corners.append(Acceleration(x: v.x, y: v.y, z: v.z), at: instant) }
      }
      last = next
    }
    return (corners, points)
  }

  @Test func cellsBeyondTheEndOfASecondStayOutsideOfIt() throws {
    // A corner that ends a second brings cells of the next, a point doesn't.
    let (corners, points) = Self.polygon()
    let (a, b) = (run([corners]).samples, run([points]).samples)
    #expect(a.count == b.count && a.count == 13)
    #expect(abs((a.first?.coverage ?? 0) - 0.3) < 1e-6)
    for (one, other) in zip(a, b) {
      #expect(one.coverage == other.coverage)
      // Sums of a window of 200 in another rounding, at 10 m/s².
      let levels = try (
        #require(one.horizontalAccelerationLevel), #require(other.horizontalAccelerationLevel),
        #require(one.verticalAccelerationLevel), #require(other.verticalAccelerationLevel)
      )
      #expect(abs(levels.0 - levels.1) < 1e-4)
      #expect(abs(levels.2 - levels.3) < 1e-4)
      let activities = try (#require(one.activity), #require(other.activity))
      #expect(activities.0.activity == activities.1.activity)
      for activity in Activity.allCases {
        let gap = activities.0.probabilities[activity] - activities.1.probabilities[activity]
        #expect(abs(gap) < 1e-3)
      }
      #expect((one.cadence == nil) == (other.cadence == nil))
    }
  }

  @Test func bothSidesOfAGapCoverTheirSecond() {
    let samples = run([walk(0..<10.31), walk(10.7..<20)]).samples
    #expect(samples.count == 20)
    // Cells end a sample before the gap and begin at its end.
    #expect(abs(samples[10].coverage - 0.6) < 1e-6)
  }

  @Test func aFixLongAfterTheAccelerationsHasNoLevel() {
    var batch = walk(0..<10.2)
    for second in 0..<40 { batch.append(Self.fix(Double(second) + 0.5)) }
    let reports = run([batch]).fixes
    #expect(reports[5].acceleration != nil)
    #expect(reports.dropFirst(13).allSatisfy { $0.acceleration == nil })
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func aResetPipelineIsANewOne(seed: UInt64) throws {
    let outing = cut(
      events(of: PipelinePropertyTests.outing(seed: seed)), seed: seed, largest: 700)
    var used = LocomotionPipeline()
    var ignored = LocomotionOutput()
    // From elsewhere in time, with a fix that waits.
    for batch in [walk(0..<9.9)] + outing.suffix(40) { used.ingest(batch, into: &ignored) }
    let last = try #require(
      outing.last { $0.accelerations.count > 0 }?.accelerations.timestamps.last)
    used.ingest(SensorBatch([.fix(Self.fix(last.seconds + 5))]), into: &ignored)
    #expect(used.diagnostics.waitingFixes == 1)
    used.reset()
    #expect(used.diagnostics.waitingFixes == 0)
    #expect(bytes(of: run(outing, through: used)) == bytes(of: run(outing)))
  }

  @Test func aClockOfFixesThatIsAheadDisturbsNoSecond() {
    var pipeline = LocomotionPipeline()
    var output = LocomotionOutput()
    for second in 0..<200 {
      let ahead = Self.fix(Double(second) + 3_600)
      pipeline.ingest(SensorBatch([.fix(ahead)]), into: &output)
      pipeline.ingest(walk(Double(second)..<Double(second + 1)), into: &output)
      #expect(pipeline.diagnostics.waitingFixes <= 64)
    }
    // The first fix came when no acceleration had; it opened the second that it named.
    let seconds = (0..<199).map { Double($0) }
    #expect(output.samples.dropFirst().map(\.start.seconds) == seconds)
    #expect(output.samples.dropFirst().allSatisfy { $0.rawLocation == nil })
    pipeline.finish(into: &output)
    #expect(output.fixes.count == 200)
    #expect(output.samples.count == 201)
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
  func sensorsThatPauseAndComeInPacketsKeepTheOrder(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    var arrivals: [(arrival: Double, event: Event)] = []
    func chance(_ fraction: Double) -> Bool { generator.nextUniform() < fraction }
    var (isOn, packetEnd, second) = (true, 0.0, 0.0)
    for index in 0..<30_000 {
      let now = Double(index) / 100
      if chance(isOn ? 1 / 3_000 : 1 / 1_000) { isOn.toggle() }
      if now >= packetEnd { packetEnd = now + 6 * generator.nextUniform() }
      guard isOn else { continue }
      let value = Acceleration(x: Float(sin(9 * now)), y: 0, z: 9.81)
      arrivals.append((packetEnd, .acceleration(value, .at(now))))
    }
    isOn = true
    while second < 300 {
      second += 0.3 + 1.5 * generator.nextUniform()
      if chance(isOn ? 0.02 : 0.1) { isOn.toggle() }
      guard isOn else { continue }
      arrivals.append((second, .fix(Self.fix(second, accuracy: 8))))
    }
    let ordered = arrivals.enumerated().sorted {
      ($0.element.arrival, $0.offset) < ($1.element.arrival, $1.offset)
    }
    let output = run(ordered.map { SensorBatch([$0.element.event]) })
    let starts = output.samples.map(\.start)
    #expect(zip(starts, starts.dropFirst()).allSatisfy { $0 < $1 })
    let seconds = Set(starts.map { Int($0.seconds) })
    for report in output.fixes {
      guard report.status == .used else { continue }
      #expect(seconds.contains(Int(report.fix.timestamp.seconds)))
    }
    #expect(
      output.fixes.count
        == ordered.count { if case .fix = $0.element.event { true } else { false } })
    // No sample knows of a later fix.
    for sample in output.samples {
      if let raw = sample.rawLocation { #expect(raw.timestamp < sample.end) }
    }
  }

  @Test func hindsightKeepsTheReasonsAndTheUncoveredSeconds() throws {
    var batch = walk(0..<30)
    for event in events(of: walk(60..<90)) { event.append(to: &batch) }
    // Saturated, then fixes alone.
    for index in 9_000..<9_800 {
      batch.append(
        Acceleration(x: index % 2 == 0 ? 156 : -156, y: 0, z: 0),
        at: .at(Double(index) / 100))
    }
    for second in 95..<130 { batch.append(Self.fix(Double(second) + 0.5)) }
    let live = run([batch]).samples
    var samples = live
    Hindsight.smoothActivities(of: &samples)
    #expect(live.contains { $0.activityEvidence == nil })
    #expect(live.contains { $0.activity?.unknownReason == .badSignal })
    let expected = ActivitySmoother(model: .default).probabilities(
      of: live.compactMap(\.activityEvidence))
    var next = 0
    for (before, after) in zip(live, samples) {
      guard before.activityEvidence != nil else {
        #expect(after == before)
        continue
      }
      let decision = try #require(after.activity)
      #expect(decision.probabilities == expected[next])
      next += 1
      if before.activity?.unknownReason == .badSignal {
        #expect(decision.unknownReason == .badSignal)
      } else {
        let best = decision.probabilities.mostProbable
        let isConfident =
          decision.probabilities[best] >= ActivityModel.default.parameters.confidenceThreshold
        #expect(decision.activity == (isConfident ? best : nil))
      }
    }
    #expect(next == expected.count)
  }

  @Test func hindsightOfLocationsUsesTheAccelerations() {
    let reports = run([PipelinePropertyTests.outing(seed: 61)]).fixes
    let smoothed = Hindsight.locations(reports)
    let rows = LocationSmoother().estimates(
      of: reports.map { FixReport($0.fix, acceleration: $0.acceleration) }, mode: .smoothed)
    #expect(reports.contains { $0.acceleration != nil })
    for (index, location) in smoothed.map(\.location).enumerated() {
      var expected = rows[index].location
      // What the barometer told is not in the fixes.
      expected?.altitude = reports[index].location?.altitude
      expected?.altitudeDeviation = reports[index].location?.altitudeDeviation
      #expect(location == expected)
    }
    #expect(smoothed.map(\.status) == rows.map(\.status))
    #expect(Hindsight.locations(reports, lag: 0).count == reports.count)
  }
}
