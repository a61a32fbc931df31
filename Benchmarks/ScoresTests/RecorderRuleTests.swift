import BenchmarkScores
import LocomotionPositioning
import LocomotionSensing
import Testing

/// What recorders keep of an hour: rest for 20 minutes, 10 m/s east for 20 minutes, rest again.
struct RecorderRuleTests {
  private let script = TrackScript()

  private func east(_ second: Int) -> Double { 10 * Double(min(max(second - 1_200, 0), 1_200)) }

  private func isMoving(_ time: Timestamp) -> Bool { (1_200..<2_400).contains(time.seconds) }

  private var truth: LocationTruth {
    LocationTruth(
      moments: (0...3_600).map {
        script.moment(Double($0), east: east($0), isMoving: isMoving(TrackScript.time(Double($0))))
      })
  }

  /// A fix every second with all fields, exactly where the phone is.
  private var fixes: [LocationFix] {
    (0...3_600).map { second in
      var fix = script.fix(
        Double(second), east: east(second), accuracy: second == 1_500 ? 66 : 10, speed: 10,
        course: 90)
      fix.altitude = 500
      return fix
    }
  }

  private func kept(_ rule: RecorderRule, seed: UInt64 = 1) -> [LocationFix] {
    rule.thinned(fixes, truth: truth, seed: seed)
  }

  private func steps(_ fixes: [LocationFix]) -> [Double] {
    zip(fixes, fixes.dropFirst()).map { $1.timestamp.seconds(since: $0.timestamp) }
  }

  private func seconds(_ fixes: [LocationFix]) -> [Double] { fixes.map(\.timestamp.seconds) }

  /// The distance from where the phone was, metres.
  private func error(_ fix: LocationFix) -> Double {
    let place = script.plane.position(latitude: fix.latitude, longitude: fix.longitude)
    let offset = place - SIMD2(east(Int(fix.timestamp.seconds)), 0)
    return (offset * offset).sum().squareRoot()
  }

  // MARK: All rules

  @Test(arguments: RecorderRule.allCases)
  func equalSeedsGiveEqualFixesInTheOrderOfTime(rule: RecorderRule) {
    let first = kept(rule)
    #expect(first == kept(rule) && !first.isEmpty)
    #expect(steps(first).allSatisfy { $0 > 0 })
    #expect(first.allSatisfy { $0.hasPosition && (0...3_600).contains($0.timestamp.seconds) })
    let isRandom = [RecorderRule.halfHourly, .significant, .google, .cells, .outages]
      .contains(rule)
    let seeds = (1...8).map { kept(rule, seed: $0) }
    #expect((Set(seeds).count > 1) == isRandom)
  }

  @Test(arguments: RecorderRule.allCases)
  func ofNothingNothingIsKept(rule: RecorderRule) {
    #expect(rule.thinned([], truth: truth, seed: 1).isEmpty)
  }

  @Test(arguments: RecorderRule.allCases)
  func fieldsAreThoseOfTheRecorder(rule: RecorderRule) {
    for fix in kept(rule) {
      let isCoarse = [.significant, .google, .cells].contains(rule)
      let hasMotion = !isCoarse && rule != .gpx
      #expect((fix.speed != nil) == hasMotion && (fix.course != nil) == hasMotion)
      #expect((fix.horizontalAccuracy != nil) == (rule != .gpx))
      #expect((fix.altitude != nil) == ![.significant, .cells].contains(rule))
      if !isCoarse { #expect(error(fix) < 1e-6) }
    }
  }

  // MARK: Intervals

  @Test func fullKeepsAll() { #expect(kept(.full) == fixes) }

  @Test(arguments: [(RecorderRule.every60, 60.0), (.every300, 300)])
  func fixesAreEvenlySpaced(rule: RecorderRule, interval: Double) {
    #expect(Set(steps(kept(rule))) == [interval])
    #expect(kept(rule).count == Int(3_600 / interval) + 1)
  }

  @Test func aHeartbeatIsFasterInMotion() {
    // At 0 and 900, then every 45 s from the start of motion to a minute after its end.
    let motion = Array(stride(from: 1_200.0, through: 2_459, by: 45))
    #expect(seconds(kept(.heartbeat15)) == [0, 900] + motion + [motion[motion.count - 1] + 900])
  }

  @Test func halfHoursAreUneven() {
    #expect(
      (1...8).flatMap { steps(kept(.halfHourly, seed: $0)) }.allSatisfy {
        (1_440...2_341).contains($0)
      })
  }

  @Test func outagesLastFiveToFortyMinutes() {
    let holes = (1...20).flatMap { steps(kept(.outages, seed: $0)).filter { $0 > 1 } }
    #expect(!holes.isEmpty && holes.allSatisfy { (300...2_402).contains($0) })
  }

  // MARK: Silence at rest

  @Test func aDistanceFilterIsSilentAtRest() {
    let fixes = kept(.distance)
    // 10 m/s: every third second, but for the one whose accuracy is 66 m, which comes later.
    #expect(seconds(fixes).first == 1_200 && (seconds(fixes).last ?? .infinity) <= 2_400)
    #expect(Set(steps(fixes)) == [3, 4] && !seconds(fixes).contains(1_500))
  }

  @Test func significantChangesAreCoarseAndFarApart() {
    let fixes = kept(.significant)
    #expect(seconds(fixes).prefix(2) == [0, 1_250])
    #expect(steps(fixes).dropFirst().allSatisfy { $0 == 300 })
    #expect(fixes.count == 6 && fixes.allSatisfy { $0.horizontalAccuracy == 65 })
  }

  @Test func googleLooksMoreOftenInMotion() {
    for seed in 1...8 as ClosedRange<UInt64> {
      let fixes = kept(.google, seed: seed)
      for (fix, step) in zip(fixes.dropFirst(), steps(fixes)) {
        let limits = isMoving(fix.timestamp) ? 170.0...1_261 : 170...1_501
        #expect(limits.contains(step))
      }
    }
  }

  @Test func coarsePositionsAreAsAccurateAsTheyClaim() {
    let fixes = (1...60).flatMap { kept(.google, seed: $0) }
    let inside = fixes.count { error($0) <= $0.horizontalAccuracy ?? 0 }
    // A binomial deviation is .016.
    #expect(abs(Double(inside) / Double(fixes.count) - 0.68) < 0.05 && fixes.count > 500)
  }

  @Test func towersAreFewAndNear() {
    let fixes = kept(.cells)
    #expect(Set(steps(fixes)) == [115] && fixes.allSatisfy { error($0) < 3 * 900 })
    #expect(Set(fixes.map { SIMD2($0.latitude, $0.longitude) }).count < fixes.count * 3 / 4)
    #expect(fixes.allSatisfy { $0.horizontalAccuracy ?? 0 >= 500 })
  }

  // MARK: Seeds

  @Test func eachDayAndRuleHasASeedOfItsOwn() {
    let seeds = ["a", "b"].flatMap { day in
      RecorderRule.allCases.flatMap { rule in
        (1...2).map { DaysEvaluation.seed($0, day: day, rule: rule) }
      }
    }
    #expect(Set(seeds).count == seeds.count)
    #expect(seeds[0] == DaysEvaluation.seed(1, day: "a", rule: .full))
  }
}
