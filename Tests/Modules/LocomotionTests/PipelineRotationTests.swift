import Locomotion
import SensorSimulator
import TestSupport
import Testing

/// What a gyroscope adds, and that its absence, gaps and late packets never say anything wrong.
@Suite struct PipelineRotationTests {
  private static let outing = PipelinePropertyTests.outing(seed: 71)
  private static let plainModel: ActivityModel = {
    var parameters = ActivityModel.default.parameters
    parameters.rotation = nil
    return ActivityModel(parameters)
  }()

  /// The outing with those of its rotation rates that `isIncluded`, by their time in seconds.
  private func outing(
    ratesAt isIncluded: (Double) -> Bool
  ) -> SensorBatch {
    let whole = Self.outing
    var batch = whole
    batch.rotationRates.removeAll()
    let rates = whole.rotationRates
    let start = whole.accelerations.timestamps[0]
    for index in 0..<rates.count where isIncluded(rates.timestamps[index].seconds(since: start)) {
      batch.append(
        RotationRate(x: rates.x[index], y: rates.y[index], z: rates.z[index]),
        at: rates.timestamps[index])
    }
    return batch
  }

  /// Each event in a batch of its own, rotation rates `delay` seconds later than they are due.
  private func batches(delay: Double) -> [SensorBatch] {
    let all = events(of: Self.outing).enumerated().map { index, event in
      switch event {
      case .acceleration(_, let time): (time.seconds, index, event)
      case .rotation(_, let time): (time.seconds + delay, index, event)
      case .pressure(_, let time): (time.seconds, index, event)
      case .fix(let fix): (fix.timestamp.seconds, index, event)
      }
    }
    return all.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map { SensorBatch([$0.2]) }
  }

  private func decisions(_ output: LocomotionOutput) -> [ActivityDecision?] {
    output.samples.map(\.activity)
  }

  @Test func ratesCountInEveryFullWindow() {
    let samples = run([Self.outing]).samples
    let full = samples.filter { ($0.activityEvidence?.exponent ?? 0) > 0 }
    #expect(full.count > 100)
    // Windows of accelerations are used when they are half full, those of rates when they are
    // full, a quarter of a second later.
    #expect(full.dropFirst(4).allSatisfy { $0.activityEvidence?.hasRotation == true })
    #expect(decisions(run([Self.outing])) != decisions(run([outing { _ in false }])))
  }

  @Test func withoutRatesAnswersAreThoseOfAModelWithoutTheTerm() throws {
    let none = outing { _ in false }
    let plain = LocomotionPipeline(model: Self.plainModel)
    let expected = run([none], through: plain)
    #expect(bytes(of: run([none])) == bytes(of: expected))
    #expect(expected.samples.allSatisfy { $0.activityEvidence?.hasRotation != true })
    // And a model without a term doesn't look at rates.
    #expect(decisions(run([Self.outing], through: plain)) == decisions(expected))
  }

  @Test func aGapInTheRatesMeansNoTermForItsWindows() throws {
    let start = Self.outing.accelerations.timestamps[0]
    let whole = run([Self.outing]).samples
    let none = run([outing { _ in false }]).samples
    let torn = run([outing { !(60..<64).contains($0) }]).samples
    #expect(torn.count == whole.count)
    var without = 0
    for (index, sample) in torn.enumerated() {
      let end = sample.end.seconds(since: start) - 0.25
      let evidence = try #require(sample.activityEvidence)
      // The rates before and behind the gap bound it, 10 ms each.
      let touches = end > 59.98 && end - 5.12 < 64.02
      if touches {
        without += 1
        #expect(!evidence.hasRotation)
        #expect(evidence.window == none[index].activityEvidence?.window)
      } else {
        #expect(evidence.window == whole[index].activityEvidence?.window)
        #expect(evidence.hasRotation == whole[index].activityEvidence?.hasRotation)
      }
    }
    #expect((9...10).contains(without))
  }

  @Test func aShortGapIsBridgedAsForAccelerations() {
    let torn = run([outing { !(60..<60.2).contains($0) }]).samples
    #expect(
      torn.map { $0.activityEvidence?.hasRotation }
        == run([Self.outing]).samples.map { $0.activityEvidence?.hasRotation })
  }

  @Test(arguments: [0.2, -0.5, -3, -4.5])
  func ratesThatComeALittleLateOrEarlyCountAsInTime(delay: Double) {
    #expect(decisions(run(batches(delay: delay))) == decisions(run([Self.outing])))
  }

  @Test(arguments: [0.6, 2, 30, -6, -30])
  func ratesThatComeTooLateOrTooEarlyDoNotCount(delay: Double) throws {
    let late = run(batches(delay: delay)).samples
    let none = run([outing { _ in false }]).samples
    // At the end no more accelerations come, and early rates may fit again.
    let length = Self.outing.accelerations.count / 100 - 7
    #expect(late.prefix(length).map(\.activity) == none.prefix(length).map(\.activity))
    #expect(length > 200)
  }

  /// The clock is set back by eight seconds: rates of the line that was left have the same times.
  @Test(arguments: [false, true])
  func ratesOfAClockThatWasSetBackAreForgotten(goesOn: Bool) {
    var batch = SensorBatch()
    var random = SplitMix64(seed: 5)
    func append(_ range: Range<Int>, hasRates: Bool) {
      for index in range {
        let time = Timestamp(nanoseconds: Int64(index) * 10_000_000)
        let noise = Float(0.02 * random.nextNormal())
        batch.append(Acceleration(x: 0.5 * noise, y: noise, z: 9.81 - noise), at: time)
        if hasRates { batch.append(RotationRate(x: noise, y: 0, z: noise), at: time) }
      }
    }
    var pipeline = LocomotionPipeline()
    append(0..<2_000, hasRates: true)
    let before = pipeline.ingest(batch).samples
    #expect(before.last?.activityEvidence?.hasRotation == true)
    batch.removeAll()
    append(1_200..<2_600, hasRates: goesOn)
    let behind = pipeline.ingest(batch).samples.dropFirst()
    #expect(behind.contains { ($0.activityEvidence?.exponent ?? 0) > 0 })
    #expect(behind.last?.activityEvidence?.hasRotation == goesOn)
    if !goesOn { #expect(behind.allSatisfy { $0.activityEvidence?.hasRotation != true }) }
  }
}
