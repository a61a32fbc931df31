import Foundation
import Locomotion
import TestSupport
import Testing

/// Seconds come in order and once, and nothing is lost, however the two sensors fall behind.
@Suite struct PipelineOrderTests {
  private static func fix(_ seconds: Double, accuracy: Double = 5) -> Event {
    .fix(
      LocationFix(
        timestamp: .at(seconds), latitude: 48, longitude: 11, horizontalAccuracy: accuracy,
        speed: 0))
  }

  /// Accelerations of a phone in a hand, every 10 ms.
  private static func accelerations(_ range: Range<Double>) -> [Event] {
    stride(from: range.lowerBound, to: range.upperBound - 1e-6, by: 0.01).map {
      .acceleration(Acceleration(x: 0.1 * Float(sin(9 * $0)), y: 0, z: 9.81), .at($0))
    }
  }

  private static func sorted(_ events: [Event]) -> [Event] {
    // Stable, and a fix before an acceleration of its time: fixes are to stand first.
    events.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
      .map(\.element)
  }

  /// The output of events fed one by one.
  private static func replay(_ events: [Event]) -> (LocomotionOutput, LocomotionPipeline) {
    var pipeline = LocomotionPipeline()
    var output = LocomotionOutput()
    for event in events { pipeline.ingest(SensorBatch([event]), into: &output) }
    pipeline.finish(into: &output)
    return (output, pipeline)
  }

  /// A fix in the middle of each second.
  private static func fixes(_ count: Int) -> [Event] {
    (0..<count).map { fix(Double($0) + 0.5) }
  }

  private static func seconds(_ range: Range<Int>) -> [Double] { range.map(Double.init) }

  private static func starts(_ output: LocomotionOutput) -> [Double] {
    output.samples.map(\.start.seconds)
  }

  @Test func theEndOfAccelerationsIsNoticedSoon() {
    var pipeline = LocomotionPipeline()
    var output = LocomotionOutput()
    for event in Self.sorted(Self.fixes(60) + Self.accelerations(0..<9.9)) {
      pipeline.ingest(SensorBatch([event]), into: &output)
      #expect(pipeline.diagnostics.waitingFixes <= 11)
    }
    #expect(output.samples.count == 59)
    #expect(pipeline.diagnostics.waitingFixes == 0)
  }

  /// Accelerations that begin late, pause, or end.
  @Test(arguments: [0, 9.3, 9.6, 9.76, 9.9, 9.99, 10, 10.01], [12.0, 12.35, 14.99, 60.3, 100])
  func fixesWithoutAccelerationsHaveTheirSeconds(begin: Double, end: Double) {
    let (output, pipeline) = Self.replay(
      Self.sorted(
        Self.fixes(100) + Self.accelerations(0..<begin) + Self.accelerations(end..<100)))
    #expect(Self.starts(output) == Self.seconds(0..<100))
    #expect(output.fixes.count == 100)
    for (second, sample) in output.samples.enumerated() {
      #expect(sample.rawLocation?.timestamp == .at(Double(second) + 0.5), "\(second)")
    }
    let counts = pipeline.diagnostics.accelerations
    let hasGap = begin > 0 && end < 100
    #expect(counts.gaps + counts.bridgedGaps == (hasGap ? 1 : 0))
    #expect((counts.bridgedGaps == 1) == (hasGap && end - begin < 3.5))
  }

  @Test(arguments: [0.2, 0.5, 1, 2, 5, 8], [0.0, 0.13, 0.37, 0.5, 0.81, 0.98])
  func accelerationsInPacketsBehindTheFixesKeepTheOrder(length: Double, phase: Double) {
    // A packet arrives when its last sample was taken, a fix at its own time.
    var arrivals: [Event] = []
    var nextFix = 0.5
    for packet in 0..<Int(40 / length) {
      let begin = Double(packet) * length + phase
      while nextFix < begin + length {
        arrivals.append(Self.fix(nextFix))
        nextFix += 1
      }
      arrivals += Self.accelerations(begin..<begin + length)
    }
    let (output, _) = Self.replay(arrivals)
    let starts = Self.starts(output)
    #expect(zip(starts, starts.dropFirst()).allSatisfy { $0 + 1 == $1 }, "\(starts)")
    #expect(output.fixes.allSatisfy { $0.status == .used })
    #expect(output.samples.dropFirst(9).dropLast().allSatisfy { $0.coverage == 1 })
    #expect(output.samples.dropFirst(9).dropLast().allSatisfy { $0.rawLocation != nil })
  }

  @Test func accelerationsAfterTheFixesHaveTheirSeconds() {
    let (output, _) = Self.replay(
      Self.sorted(Self.fixes(30) + Self.accelerations(0..<100.005)))
    #expect(Self.starts(output) == Self.seconds(0..<101))
    #expect(output.samples.prefix(100).allSatisfy { $0.coverage == 1 })
  }

  @Test(arguments: [10, 70, 1_000, 3_600, 80_000, 34_560_000] as [Double], [0.05, 0.5, 0.95])
  func oneFixOfTheFutureOpensNoSecond(ahead: Double, phase: Double) {
    var events = Self.sorted(
      (0..<60).map { Self.fix(Double($0) + phase) } + Self.accelerations(0..<60.005))
    let place = events.firstIndex { $0.time > .at(30 + phase) } ?? 0
    events.insert(Self.fix(30 + phase + ahead), at: place + 3)
    var pipeline = LocomotionPipeline()
    var output = LocomotionOutput()
    for event in events { pipeline.ingest(SensorBatch([event]), into: &output) }
    #expect(Self.starts(output) == Self.seconds(0..<60))
    #expect(output.samples.allSatisfy { $0.rawLocation != nil && $0.location != nil })
    pipeline.finish(into: &output)
    #expect(output.fixes.count == 61)
  }

  @Test(arguments: [3_600, 80_000, 90_000] as [Double], [11, 200])
  func oneWrongTimeInABatchHoldsUpNothing(ahead: Double, place: Int) throws {
    let fixes = Self.fixes(60)
    let accelerations = Self.accelerations(0..<60.005)
    let expected = run([SensorBatch(fixes + accelerations)])
    // An acceleration whose time is wrong: its neighbours bridge it.
    var damaged = accelerations
    damaged[place * 20] = .acceleration(
      Acceleration(x: 0, y: 0, z: 9.81), .at(Double(place) / 5 + ahead))
    let bridged = run([SensorBatch(fixes + damaged)])
    #expect(bridged.samples.map(\.start) == expected.samples.map(\.start))
    #expect(bridged.samples.map(\.rawLocation) == expected.samples.map(\.rawLocation))
    #expect(bridged.samples.allSatisfy { $0.coverage == 1 || $0.start.seconds == 60 })
    // A fix whose time is wrong: it alone is missing.
    var misdated = fixes
    misdated[place % 60] = Self.fix(Double(place % 60) + 0.5 + ahead)
    let missing = run([SensorBatch(misdated + accelerations)])
    #expect(missing.samples.map(\.start) == expected.samples.map(\.start))
    #expect(missing.samples.count { $0.rawLocation == nil } == 2)
    #expect(missing.samples.allSatisfy { $0.location != nil || $0.start.seconds == 0 })
  }

  @Test func aFixKnowsTheLevelOfTheSecondBeforeIt() throws {
    var events: [Event] = []
    for index in 0..<2_001 {
      let second = Double(index) / 100
      if index % 100 == 0 { events.append(Self.fix(second)) }
      // Louder every second.
      let swing: Double = 0.1 * second.rounded(.down) * (index % 2 == 0 ? 1 : -1)
      events.append(.acceleration(Acceleration(x: Float(swing), y: 0, z: 9.81), .at(second)))
    }
    let (output, _) = Self.replay(events)
    for (second, report) in output.fixes.enumerated().dropFirst(2) {
      let before = output.samples[second - 1]
      let h = try #require(before.horizontalAccelerationLevel)
      let v = try #require(before.verticalAccelerationLevel)
      #expect(try #require(report.acceleration?.level) == (h * h + v * v).squareRoot())
    }
  }

  @Test func aSecondThatFixesReturnToCountsItsStepsOnce() {
    // Accelerations end; fixes go on, and then their clock is set back into the last seconds.
    var told = Self.sorted(Self.fixes(30) + events(of: walk(0..<10.01)))
    let steps = Self.replay(told).0.samples.reduce(0) { $0 + $1.steps }
    told += (0..<20).map { Self.fix(Double($0) / 2 + 4.25) }
    let (output, _) = Self.replay(told)
    #expect(steps > 12)
    #expect(output.samples.contains { $0.start < .at(10) && !$0.hasWindow })
    #expect(output.samples.reduce(0) { $0 + $1.steps } == steps)
  }

  @Test(arguments: [3_600, 90_000] as [Double], [0.003, 0.5, 0.99])
  func aClockThatStepsBackForBothSensorsIsFollowedByBoth(back: Double, phase: Double) {
    func part(_ seconds: Range<Int>, shift: Double) -> [Event] {
      Self.sorted(
        seconds.map { Self.fix(Double($0) + phase + shift) }
          + Self.accelerations(
            Double(seconds.lowerBound) + shift..<Double(seconds.upperBound) + shift))
    }
    let (output, pipeline) = Self.replay(
      part(0..<60, shift: back) + [Self.fix(60.004 + back)] + part(60..<120, shift: 0))
    #expect(pipeline.diagnostics.waitingFixes == 0)
    #expect(output.fixes.count == 121)
    #expect(output.fixes.count { if case .rejected = $0.status { true } else { false } } <= 4)
    // The last fix of the old clock has its second there.
    #expect(output.samples.contains { $0.rawLocation?.timestamp == .at(60.004 + back) })
    let starts = Self.starts(output)
    let breaks = zip(starts, starts.dropFirst()).filter { $0 + 1 != $1 }
    #expect(breaks.count == 1, "\(breaks)")
    #expect(output.samples.suffix(50).allSatisfy { $0.location != nil && $0.coverage > 0.9 })
  }

  @Test(arguments: [2.5, 4.7, 8.2])
  func aClockSetBackALittleCoversNoSecondTwice(back: Double) throws {
    let (output, _) = Self.replay(
      Self.accelerations(0..<20.65) + Self.accelerations(20.65 - back..<40))
    let index = try #require(
      zip(output.samples, output.samples.dropFirst()).enumerated()
        .first { $1.1.start < $1.0.start }?.offset)
    // The first second of the set clock begins a second after the step, when it is believed.
    let first = (20.65 - back + 1).truncatingRemainder(dividingBy: 1)
    #expect(abs(Double(output.samples[index + 1].coverage) - (1 - first)) < 0.021)
  }

  @Test func oneFixOfTheFutureBetweenPacketsIsNoSilence() {
    let (output, _) = Self.replay(
      Self.accelerations(0..<10) + [Self.fix(10.5), Self.fix(3_611.5), Self.fix(12.5)]
        + Self.accelerations(10..<20))
    #expect(Self.starts(output) == Self.seconds(0..<20))
    #expect(output.samples[10].rawLocation?.timestamp == .at(10.5))
    #expect(output.samples[12].rawLocation?.timestamp == .at(12.5))
  }

  @Test func aStuckClockOfAccelerationsStopsNoFix() {
    var events = Self.sorted(Self.fixes(10) + Self.accelerations(0..<9.9))
    for second in 10..<80 {
      events.append(Self.fix(Double(second) + 0.5))
      for _ in 0..<100 {
        events.append(.acceleration(Acceleration(x: 0, y: 0, z: 9.81), .at(9.89)))
      }
    }
    let (output, pipeline) = Self.replay(events)
    #expect(Self.starts(output) == Self.seconds(0..<80))
    #expect(pipeline.diagnostics.accelerations.dropped(for: .duplicate) == 7_000)
    #expect(output.samples.allSatisfy { $0.rawLocation != nil })
  }

  @Test func fixesThatComeLateBelongToTheSecondOfTheirArrival() {
    // Each fix comes three seconds after its time.
    var events = Self.accelerations(0..<60.005)
    for second in (0..<50).reversed() {
      let place = events.firstIndex { $0.time >= .at(Double(second) + 3.5) } ?? 0
      events.insert(Self.fix(Double(second) + 0.5), at: place)
    }
    let (output, _) = Self.replay(events)
    #expect(Self.starts(output) == Self.seconds(0..<61))
    #expect(output.fixes.allSatisfy { $0.status == .used })
    for second in 3..<53 {
      #expect(output.samples[second].rawLocation?.timestamp == .at(Double(second) - 2.5))
    }
  }

  @Test func aGyroscopeAloneOpensNoSecond() {
    var pipeline = LocomotionPipeline()
    var batch = SensorBatch()
    for index in 0..<1_000 {
      batch.append(RotationRate(x: 1, y: 0, z: 0), at: .at(Double(index) / 100))
    }
    #expect(pipeline.ingest(batch).samples.isEmpty)
    let counts = pipeline.diagnostics.rotationRates
    #expect(counts.received == 1_000 && counts.dropped(for: .outOfOrder) == 1_000)
  }
}

extension Event {
  fileprivate var time: Timestamp {
    switch self {
    case .acceleration(_, let time), .rotation(_, let time), .pressure(_, let time): time
    case .fix(let fix): fix.timestamp
    }
  }
}
