import Foundation
import LocomotionSensing
import SensorSimulator
import Testing

@Suite struct FixTests {
  /// Errors of several phones at rest for six hours each.
  private func series(_ sky: SkyView, phone: SimulatedPhone = SimulatedPhone()) -> [[(
    fix: LocationFix, east: Double, north: Double
  )]] {
    var phone = phone
    phone.sampleRate = 1
    return (1...6 as ClosedRange<UInt64>).map { seed in
      errors(Scenario(seed: seed, phone: phone).rest(.hours(6), sky: sky).recording())
    }
  }

  @Test(arguments: [SkyView.open, .urban, .indoor])
  func errorsHaveTheDeviationOfTheirSky(sky: SkyView) {
    let all = series(sky).flatMap { $0 }
    let rms = mean(all.map { ($0.east * $0.east + $0.north * $0.north) / 2 }).squareRoot()
    // The deviation varies by 25 %: √E[exp(0.5 b)] = exp(0.0625). Six times six hours of two axes
    // have 12 · 21,600 / 2τ independent values, at least 1080: 2.2 % of the deviation; its
    // variation adds 1.5 %. Bound: 3 deviations.
    #expect(abs(rms / (sky.positionDeviation * exp(0.0625)) - 1) < 0.08)
  }

  @Test(arguments: [SkyView.open, .urban])
  func errorsAreCorrelatedInTime(sky: SkyView) {
    let lag = Int(sky.errorTimeConstant)
    var (product, square) = (0.0, 0.0)
    for run in series(sky) {
      // Some fixes are missing, so pair by time.
      let bySecond = Dictionary(
        run.map { (Int($0.fix.timestamp.seconds(since: run[0].fix.timestamp).rounded()), $0) },
        uniquingKeysWith: { first, _ in first })
      for (second, now) in bySecond {
        guard let later = bySecond[second + lag] else { continue }
        product += now.east * later.east + now.north * later.north
        square += now.east * now.east + now.north * now.north
      }
    }
    // A tenth of the variance is white, and the deviation's own correlation after τ is
    // exp(−τ/90): E[exp(¼(b + b′))] / E[exp(½ b)] = exp(−(1 − ρ)/16), at least 0.94.
    let breath = exp(-(1 - exp(-sky.errorTimeConstant / 90)) / 16)
    #expect(abs(product / square - 0.9 * exp(-1) * breath) < 0.07)
  }

  @Test(arguments: [SkyView.open, .urban, .indoor])
  func theReportedRadiusIsRightOnAverage(sky: SkyView) {
    let all = series(sky)
    let fractions = all.map { run in
      mean(run.map { inside($0) })
    }
    #expect(abs(mean(fractions) - 0.68) < 0.04)
    // And wrong at times: half an hour of independent fixes would deviate by 0.011.
    let halfHours = all.flatMap { run in
      stride(from: 0, to: run.count - 1800, by: 1800).map { from in
        mean(run[from..<from + 1800].map { inside($0) })
      }
    }
    #expect(variance(halfHours).squareRoot() > 0.033)
  }

  private func inside(_ item: (fix: LocationFix, east: Double, north: Double)) -> Double {
    let radius = item.fix.horizontalAccuracy ?? 0
    return item.east * item.east + item.north * item.north <= radius * radius ? 1 : 0
  }

  @Test func anOverconfidentPhoneHasLowerCoverage() {
    var phone = SimulatedPhone()
    phone.accuracyScale = 0.5
    let fraction = mean(series(.urban, phone: phone).flatMap { $0 }.map { inside($0) })
    // 1 − exp(−½ (1.51/2)²) = 0.248, a little more for the spread of the radius.
    #expect(abs(fraction - 0.25) < 0.04)
  }

  @Test func speedTrailsThePositionByTheLatency() {
    var best: [Double: Double] = [:]
    for seed in 1...4 as ClosedRange<UInt64> {
      let recording = Scenario(seed: seed).drive(.minutes(15), speed: 12, sky: .open).recording()
      for fix in recording.batches(everySeconds: 60).flatMap(\.fixes) {
        guard let speed = fix.speed, let course = fix.course else { continue }
        for shift in [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6] {
          let time = fix.timestamp.advanced(byNanoseconds: -Int64(shift * 1e9))
          let truth = recording.position(at: time)
          let angle = course * .pi / 180
          let (east, north) = (speed * sin(angle) - truth.east, speed * cos(angle) - truth.north)
          best[shift, default: 0] += east * east + north * north
        }
      }
    }
    let shift = best.min { $0.value < $1.value }?.key
    #expect(shift == 0.3)
  }

  @Test func velocityErrorsHaveTheirDeviation() {
    var squares: [Double] = []
    for seed in 1...4 as ClosedRange<UInt64> {
      let recording = Scenario(seed: seed).drive(.minutes(20), sky: .open).recording()
      for fix in recording.batches(everySeconds: 60).flatMap(\.fixes) {
        guard let speed = fix.speed, let course = fix.course, speed > 2 else { continue }
        let truth = recording.position(at: fix.timestamp.advanced(byNanoseconds: -300_000_000))
        let angle = course * .pi / 180
        squares.append(pow(speed * sin(angle) - truth.east, 2))
        squares.append(pow(speed * cos(angle) - truth.north, 2))
      }
    }
    // 60 % of the variance is correlated over 5 s: about 1,600 independent values, 1.8 %.
    #expect(abs(mean(squares).squareRoot() / SkyView.open.velocityDeviation - 1) < 0.06)
  }

  @Test func speedIsSometimesMissingAtRestAndNeverInMotion() {
    let rest = errors(Scenario(seed: 2).rest(.hours(1), sky: .open).recording()).map(\.fix)
    let missing = Double(rest.filter { $0.speed == nil }.count) / Double(rest.count)
    #expect(abs(missing - 0.1) < 0.03)
    let ride = errors(Scenario(seed: 2).ride(.minutes(10)).recording()).map(\.fix)
    #expect(ride[3...].dropLast(4).allSatisfy { $0.speed != nil && $0.course != nil })
    #expect(rest.allSatisfy { ($0.speed ?? 0) < 0.6 })
  }

  @Test func aTunnelHasNoFixes() {
    let recording = Scenario(seed: 3).drive(.minutes(2)).tunnel(.seconds(60)).drive(.minutes(2))
      .recording()
    let times = errors(recording).map { $0.fix.timestamp.seconds(since: recording.span.lowerBound) }
    #expect(times.filter { $0 >= 120 && $0 < 180 }.isEmpty)
    #expect(times.filter { $0 < 120 }.count > 110)
    #expect(times.filter { $0 >= 180 }.count > 110)
  }

  @Test func aJumpShiftsTheFixesForAWhile() {
    let scenario = Scenario(seed: 4).rest(.minutes(10), sky: .open)
    let plain = errors(scenario.recording())
    let shifted = errors(
      scenario.jump(60, bearing: 90, after: .seconds(120), lasting: .seconds(60)).recording())
    let admitted = errors(
      scenario.jump(60, after: .seconds(120), lasting: .seconds(60), isAdmitted: true)
        .recording())
    #expect(plain.count == shifted.count)
    for (index, (a, b)) in zip(plain, shifted).enumerated() {
      let seconds = a.fix.timestamp.seconds(since: scenario.start)
      let expected = seconds >= 120 && seconds < 180 ? 60.0 : 0
      #expect(abs(b.east - a.east - expected) < 1e-3 && abs(b.north - a.north) < 1e-3)
      #expect(a.fix.horizontalAccuracy == b.fix.horizontalAccuracy)
      let grown = (admitted[index].fix.horizontalAccuracy ?? 0) - (a.fix.horizontalAccuracy ?? 0)
      #expect(abs(grown - expected) < 1e-9)
    }
  }

  @Test func aCachedFirstFixIsOldAndElsewhere() throws {
    var phone = SimulatedPhone()
    phone.sendsCachedFirstFix = true
    let recording = Scenario(seed: 5, phone: phone).rest(.seconds(30)).recording()
    let first = try #require(recording.batches(everySeconds: 1).first { _ in true }?.fixes.first)
    #expect(first.timestamp.seconds(since: recording.span.lowerBound) == -600)
    let away = metres(from: (48.1, 11.6), to: (first.latitude, first.longitude))
    #expect(abs((away.east * away.east + away.north * away.north).squareRoot() - 500) < 1)
  }

  @Test func fixesComeLessOftenAtRestWhenAsked() {
    var phone = SimulatedPhone()
    phone.restFixInterval = 10
    let recording = Scenario(seed: 6, phone: phone).rest(.minutes(10), sky: .open)
      .walk(.minutes(2)).recording()
    let times = errors(recording).map { $0.fix.timestamp.seconds(since: recording.span.lowerBound) }
    #expect((55...61).contains(times.filter { $0 < 600 }.count))
    #expect(times.filter { $0 >= 600 }.count > 115)
  }
}
