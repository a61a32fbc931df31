import Foundation
import LocomotionPositioning
import TestSupport
import Testing

struct FixFaultTests {
  /// A filter that has followed a drive for 20 s.
  private func drivenFilter() -> LocationFilter {
    var filter = LocationFilter()
    for fix in Journey.drive(seconds: 20) { _ = filter.update(with: fix, acceleration: nil) }
    return filter
  }

  private func driveFix(_ second: Double) -> LocationFix {
    Journey.fix(at: second, SIMD2(10 * second, 0), velocity: SIMD2(10, 0))
  }

  @Test(arguments: [0, -1, .nan, .infinity, -.infinity, 1e-30])
  func accuracyThatIsNoneIsReplacedOrRaised(_ accuracy: Double) throws {
    var filter = drivenFilter()
    var fix = driveFix(20)
    fix.horizontalAccuracy = accuracy
    #expect(filter.update(with: fix, acceleration: nil) == .used)
    let estimate = try #require(filter.estimate(at: fix.timestamp))
    #expect(Journey.distance(Journey.position(estimate), SIMD2(200, 0)) < 3)
    #expect(estimate.radius68 > 0.5 && estimate.radius68 < 30)
  }

  /// Each of `values` in a fix is rejected for `reason`, and the next good fix is used.
  private func expectRejected<Value>(
    _ reason: RejectionReason, _ values: [Value], _ change: (inout LocationFix, Value) -> Void
  ) {
    var filter = drivenFilter()
    for value in values {
      var fix = driveFix(20)
      change(&fix, value)
      #expect(filter.update(with: fix, acceleration: nil) == .rejected(reason), "\(value)")
    }
    #expect(filter.counts.rejected(reason) == values.count)
    #expect(filter.update(with: driveFix(20), acceleration: nil) == .used)
  }

  @Test func uselessAccuracyIsRejected() {
    expectRejected(.noAccuracy, [20_001, 1e5, 1e30]) { $0.horizontalAccuracy = $1 }
  }

  @Test func nullIslandIsRejectedAndItsNeighbourIsNot() {
    var filter = LocationFilter()
    var fix = driveFix(0)
    (fix.latitude, fix.longitude) = (0, 0)
    #expect(filter.update(with: fix, acceleration: nil) == .rejected(.nullIsland))
    fix.longitude = 1e-6
    #expect(filter.update(with: fix, acceleration: nil) == .used)
  }

  @Test func impossiblePositionsAreRejected() {
    let places: [(Double, Double)] = [
      (90.000_1, 0), (-91, 0), (1e9, 0), (.nan, 0), (0, .nan), (.infinity, 0), (0, -.infinity),
      (10, 360.001), (10, -180.001), (10, 1e308),
    ]
    expectRejected(.impossiblePosition, places) { ($0.latitude, $0.longitude) = $1 }
  }

  @Test func longitudesUpTo360AreWrapped() throws {
    var filter = LocationFilter()
    var fix = driveFix(0)
    (fix.latitude, fix.longitude) = (37.4, 237.9)
    #expect(filter.update(with: fix, acceleration: nil) == .used)
    let estimate = try #require(filter.estimate(at: fix.timestamp))
    #expect(abs(estimate.longitude + 122.1) < 1e-12)
  }

  @Test func invalidSpeedAndCourseCountAsMissing() throws {
    var plain = drivenFilter()
    let start = plain
    var fix = driveFix(20)
    (fix.speed, fix.course) = (nil, nil)
    _ = plain.update(with: fix, acceleration: nil)
    for speed: Double in [-1, .nan, .infinity, 1e308] {
      (fix.speed, fix.course) = (speed, -1)
      var copy = start
      #expect(copy.update(with: fix, acceleration: nil) == .used)
      #expect(copy.estimate(at: fix.timestamp) == plain.estimate(at: fix.timestamp))
    }
  }

  @Test func sameTimeTwiceIsADuplicate() {
    var filter = drivenFilter()
    let before = filter.estimate(at: .at(19))
    #expect(filter.update(with: driveFix(19), acceleration: nil) == .rejected(.duplicate))
    #expect(filter.estimate(at: .at(19)) == before)
  }

  @Test func aLateFixIsOutOfOrder() {
    var filter = drivenFilter()
    #expect(filter.update(with: driveFix(12), acceleration: nil) == .rejected(.outOfOrder))
    #expect(filter.update(with: driveFix(20), acceleration: nil) == .used)
    // The good fix in between has ended the suspicion: two more late ones change nothing.
    #expect(filter.update(with: driveFix(13), acceleration: nil) == .rejected(.outOfOrder))
    #expect(filter.update(with: driveFix(14), acceleration: nil) == .rejected(.outOfOrder))
    #expect(filter.update(with: driveFix(21), acceleration: nil) == .used)
  }

  @Test(arguments: [-30, -3_600, -86_400.0 * 7_168])
  func aClockSetBackIsBelievedAtTheThirdFix(_ shift: Double) throws {
    var filter = drivenFilter()
    var statuses: [FixStatus] = []
    for second in 20..<30 {
      var fix = driveFix(Double(second))
      fix.timestamp = Timestamp.at(Double(second) + shift)
      statuses.append(filter.update(with: fix, acceleration: nil))
    }
    #expect(
      statuses == [.rejected(.outOfOrder), .rejected(.outOfOrder), .relocated]
        + [FixStatus](repeating: .used, count: 7))
    let estimate = try #require(filter.estimate(at: .at(29 + shift)))
    #expect(Journey.distance(Journey.position(estimate), SIMD2(290, 0)) < 3)
  }

  @Test func oneFixFromTheFutureLocksNothingOut() {
    for ahead: Double in [3_600, 86_400 * 400] {
      var filter = drivenFilter()
      var odd = driveFix(20)
      odd.timestamp = Timestamp.at(20 + ahead)
      _ = filter.update(with: odd, acceleration: nil)
      let statuses = (21..<31).map {
        filter.update(with: driveFix(Double($0)), acceleration: nil)
      }
      #expect(statuses.suffix(7).allSatisfy { $0 == .used }, "\(ahead) \(statuses)")
    }
  }

  @Test func timesThatNoClockShowsAreRejected() {
    let times = [Int64.min, .max, Timestamp.limit + 1].map(Timestamp.init(nanoseconds:))
    expectRejected(.implausibleTime, times) { $0.timestamp = $1 }
    let filter = drivenFilter()
    #expect(times.allSatisfy { filter.estimate(at: $0) == nil })
  }

  /// Under open sky two outliers whose velocities lead from one to the other relocate the filter,
  /// between houses eight seconds of them.
  @Test(arguments: [(5.0, 1), (10.0, 8)])
  func aTeleportIsAnOutlierUntilItIsConfirmed(_ accuracy: Double, _ seconds: Int) throws {
    var filter = drivenFilter()
    let statuses = (20..<31).map { second in
      let fix = Journey.fix(
        at: Double(second), SIMD2(10 * Double(second), 5_000), accuracy: accuracy,
        velocity: SIMD2(10, 0))
      return filter.update(with: fix, acceleration: nil)
    }
    let refused = [FixStatus](repeating: .rejected(.outlier), count: seconds)
    let used = [FixStatus](repeating: .used, count: 10 - seconds)
    #expect(statuses == refused + [.relocated] + used)
    let estimate = try #require(filter.estimate(at: .at(30)))
    #expect(Journey.distance(Journey.position(estimate), SIMD2(300, 5_000)) < 3)
  }

  @Test func tenMinutesInATunnelWidenTheRadiusAndTheExitIsUsed() throws {
    var filter = drivenFilter()
    var last = 0.0
    for second in stride(from: 19.0, through: 619, by: 60) {
      let radius = try #require(filter.estimate(at: .at(second))).radius68
      #expect(radius > last)
      last = radius
    }
    #expect(last > 5_000)
    let exit = driveFix(619)
    #expect(filter.update(with: exit, acceleration: nil) == .used)
    let estimate = try #require(filter.estimate(at: exit.timestamp))
    #expect(Journey.distance(Journey.position(estimate), SIMD2(6_190, 0)) < 5)
    #expect(estimate.radius68 < 15)
  }

  @Test func afterAGapOfHoursItStartsAgainAnywhere() throws {
    var filter = drivenFilter()
    let fix = Journey.fix(at: 20_000, SIMD2(200_000, 90_000), velocity: SIMD2(1, 1))
    #expect(filter.update(with: fix, acceleration: nil) == .used)
    let estimate = try #require(filter.estimate(at: fix.timestamp))
    #expect(estimate.latitude == fix.latitude || abs(estimate.latitude - fix.latitude) < 1e-9)
  }

  @Test func afterMonthsTheSecondFixIsBelieved() {
    var filter = drivenFilter()
    let later = 86_400.0 * 120
    let statuses = (0..<4).map {
      let fix = Journey.fix(at: later + Double($0), SIMD2(90_000, 10 * Double($0)))
      return filter.update(with: fix, acceleration: nil)
    }
    #expect(statuses == [.rejected(.implausibleTime), .relocated, .used, .used])
  }

  @Test func aHundredThousandStrangeFixesLeaveEverythingFinite() {
    var random = SplitMix64(seed: 8)
    let strange: [Double] = [
      .nan, .infinity, -.infinity, 1e308, -1e308, 1e-308, 0, -1, 1e-30, 1e30, 90, -90, 180, 360,
      1e9,
    ]
    func pick(_ usual: @autoclosure () -> Double) -> Double {
      random.nextUniform() < 0.1 ? strange[Int(random.next() % 15)] : usual()
    }
    var filter = LocationFilter()
    var detector = MovingStateDetector()
    var odometer = Odometer()
    var time: Int64 = 0
    var position = SIMD2(0.0, 0.0)
    for index in 0..<100_000 {
      let dice = random.nextUniform()
      if dice < 0.01 {
        time = Int64(bitPattern: random.next())
      } else if dice < 0.05 {
        time &-= Int64(random.next() % 100_000_000_000)
      } else {
        time &+= Int64(random.next() % 5_000_000_000)
      }
      position += SIMD2(random.nextNormal(), random.nextNormal()) * 10
      var fix = Journey.fix(at: 0, position)
      fix.timestamp = Timestamp(nanoseconds: time)
      fix.latitude = pick(fix.latitude)
      fix.longitude = pick(fix.longitude)
      fix.horizontalAccuracy = pick(5 + 20 * random.nextUniform())
      fix.speed = pick(20 * random.nextUniform())
      fix.speedAccuracy = pick(1)
      fix.course = pick(360 * random.nextUniform())
      fix.courseAccuracy = pick(5)
      let evidence = AccelerationEvidence(level: Float(pick(random.nextUniform())))
      _ = filter.update(with: fix, acceleration: evidence)
      #expect(filter.counts.received == index + 1)
      let asked = Timestamp(nanoseconds: time &+ Int64(truncatingIfNeeded: random.next() >> 28))
      for instant in [fix.timestamp, asked] {
        guard let estimate = filter.estimate(at: instant) else { continue }
        let values = [
          estimate.latitude, estimate.longitude, estimate.radius68, estimate.speed ?? 0,
          estimate.speedDeviation ?? 0, estimate.course ?? 0,
        ]
        #expect(values.allSatisfy { $0.isFinite })
        #expect(abs(estimate.latitude) <= 90 && estimate.radius68 > 0)
        #expect(estimate.longitude >= -180 && estimate.longitude < 180)
        #expect((0..<360).contains(estimate.course ?? 0))
      }
      let estimate = filter.estimate(at: fix.timestamp)
      let decision = detector.update(
        at: fix.timestamp, location: estimate, isFresh: true, acceleration: evidence)
      #expect(decision.probability >= 0 && decision.probability <= 1)
      if let estimate { odometer.update(with: estimate, state: decision.state) }
      #expect(odometer.distance.isFinite && odometer.deviation.isFinite)
    }
    #expect(filter.counts.used > 10_000)
  }
}
