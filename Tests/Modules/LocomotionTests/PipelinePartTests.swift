import Locomotion
import SensorSimulator
import TestSupport
import Testing

/// Recordings with the pauses that phones make.
@Suite struct PipelinePauseTests {
  /// `recording` without the last `pause` seconds of every `period`.
  private static func batch(
    _ recording: SimulatedRecording, without pause: Double = 0, every period: Double = 10
  ) -> SensorBatch {
    let whole = recording.wholeBatch()
    let start = whole.accelerations.timestamps[0]
    var torn = SensorBatch()
    for event in events(of: whole) {
      if case .acceleration(_, let time) = event {
        let elapsed = time.seconds(since: start).truncatingRemainder(dividingBy: period)
        if elapsed >= period - pause { continue }
      }
      event.append(to: &torn)
    }
    return torn
  }

  private static let walk = Scenario(seed: 20).walk(.minutes(4)).recording()

  static let pauses: [(pause: Double, period: Double)] = [(0.3, 5), (0.6, 20), (1, 10), (3, 30)]

  @Test(arguments: pauses) func shortPausesChangeNoAnswer(pause: Double, period: Double) throws {
    let whole = run([Self.batch(Self.walk)])
    let torn = run([Self.batch(Self.walk, without: pause, every: period)])
    // The last pause may end with the recording.
    #expect(whole.samples.count - torn.samples.count <= 3)
    for (index, sample) in torn.samples.enumerated().dropFirst(10) where sample.activity != nil {
      #expect(
        sample.activity?.activity == whole.samples[index].activity?.activity,
        "\(index)")
    }
    let counted = torn.samples.reduce(0) { $0 + $1.steps }
    let expected = whole.samples.prefix(torn.samples.count).reduce(0) { $0 + $1.steps }
    #expect(abs(counted / expected - 1) < 0.01)
  }

  @Test func theObservedFractionAndTheLevelsLeaveOutWhatWasFilled() throws {
    let whole = run([Self.batch(Self.walk)]).samples
    let torn = run([Self.batch(Self.walk, without: 3, every: 30)]).samples
    let missing = torn.indices.filter { torn[$0].coverage == 0 && torn[$0].activity != nil }
    // Seven pauses of three seconds, and one at the end that nothing bounds.
    #expect((14...21).contains(missing.count))
    for index in missing {
      #expect(torn[index].horizontalAccelerationLevel == nil)
      #expect(torn[index].verticalAccelerationLevel == nil)
      #expect(torn[index].activity?.activity == .walking)
    }
    let observed = torn.reduce(0) { $0 + $1.coverage }
    #expect(abs(observed - 27.0 / 30 * Float(whole.count)) < 4)
  }

  @Test func thinSamplesAreNotEnoughToAnswer() {
    // A third of a second every three and a half: nine tenths would be filled.
    let torn = run([Self.batch(Self.walk, without: 3.2, every: 3.5)])
    #expect(torn.samples.allSatisfy { $0.activity?.activity == nil })
    #expect(torn.samples.reduce(0) { $0 + $1.steps } == 0)
  }

  @Test func theAnswerComesThreeSecondsAfterTheStart() {
    let samples = run([Self.batch(Self.walk)]).samples
    #expect(samples[1].activity?.activity == nil)
    #expect(samples[3].activity?.activity == .walking)
  }

  @Test func theAnswerStandsAcrossALongerPause() {
    // Ten seconds on, twenty off.
    let torn = run([Self.batch(Self.walk, without: 20, every: 30)]).samples
    let answered = torn.dropFirst(10).compactMap(\.activity)
    #expect(answered.count > 60)
    #expect(answered.allSatisfy { $0.activity == .walking })
  }
}

/// Activities by fixes alone, where there are no accelerations.
@Suite struct PipelineTrackTests {
  /// The default model without its term for fixes.
  private static let plain = ActivityModel.default.with { $0.track = nil }

  private static func outing(seed: UInt64) -> SensorBatch {
    Scenario(seed: seed).rest(.seconds(60), sky: .open).walk(.minutes(5)).drive(.minutes(8))
      .walk(.minutes(3)).recording().wholeBatch()
  }

  private static func fixes(of batch: SensorBatch, every seconds: Int = 1) -> SensorBatch {
    var result = SensorBatch()
    for (index, fix) in batch.fixes.enumerated() where index % seconds == 0 { result.append(fix) }
    return result
  }

  @Test(arguments: [1, 30])
  func aWalkAndADriveAreTold(period: Int) throws {
    let output = run([Self.fixes(of: Self.outing(seed: 5), every: period)])
    var samples = output.samples
    Hindsight.smoothActivities(of: &samples)
    let start = try #require(samples.first?.start)
    func share(of expected: Activity, _ range: Range<Double>) -> Double {
      let part = samples.filter { range.contains($0.start.seconds(since: start)) }
      let right = part.count { $0.activity?.activity?.parent == expected }
      return Double(right) / Double(max(1, part.count))
    }
    #expect(share(of: .walking, 120..<330) > 0.8)
    #expect(share(of: .automotive, 480..<800) > 0.8)
  }

  /// Who stays for longer than a halt is at rest, though by the course on a walk.
  @Test func aLongRestOnAWalkIsOne() {
    let outing = Scenario(seed: 11).walk(.minutes(15)).rest(.minutes(25), sky: .open)
      .walk(.minutes(5)).recording().wholeBatch()
    let samples = run([Self.fixes(of: outing)]).samples
    func share(of activity: Activity, _ minutes: Range<Double>) -> Double {
      let part = samples.filter {
        minutes.contains($0.start.seconds(since: samples[0].start) / 60)
      }
      return Double(part.count { $0.activity?.activity == activity }) / Double(max(1, part.count))
    }
    #expect(share(of: .walking, 3..<15) > 0.8)
    #expect(share(of: .stationary, 22..<40) > 0.95)
    #expect(share(of: .stationary, 42..<45) < 0.2)
  }

  @Test func withoutATermThereIsNoAnswer() {
    let batch = Self.fixes(of: Self.outing(seed: 6))
    let output = run([batch], through: LocomotionPipeline(model: Self.plain))
    #expect(output.samples.allSatisfy { $0.activity == nil && $0.activityEvidence == nil })
  }

  @Test func accelerationsAnswerAsIfThereWereNoTerm() {
    let batch = Self.outing(seed: 7)
    let plain = run([batch], through: LocomotionPipeline(model: Self.plain))
    #expect(bytes(of: run([batch])) == bytes(of: plain))
  }

  @Test func fixesAnswerAfterAccelerationsEnd() throws {
    let whole = Self.outing(seed: 8)
    var cut = Self.fixes(of: whole)
    let start = try #require(whole.accelerations.timestamps.first)
    let series = whole.accelerations
    for index in 0..<series.count where series.timestamps[index].seconds(since: start) < 100 {
      cut.append(
        Acceleration(x: series.x[index], y: series.y[index], z: series.z[index]),
        at: series.timestamps[index])
    }
    let samples = run([cut]).samples
    let later = samples.filter { $0.start.seconds(since: start) > 150 }
    #expect(later.count > 500)
    #expect(later.allSatisfy { $0.activityEvidence?.isFromFixes ?? false })
    let seconds = later.compactMap { $0.activityEvidence?.elapsedSeconds }
    #expect(seconds.allSatisfy { $0 >= 1 })
    #expect(samples.contains { $0.hasWindow })
  }

  @Test(arguments: [1, 20]) func aPipelineOfFixesAloneIsAStage(period: Int) {
    let batch = Self.fixes(of: Self.outing(seed: 9), every: period)
    #expect(checkPipeline(events(of: batch)) == [])
  }
}

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
