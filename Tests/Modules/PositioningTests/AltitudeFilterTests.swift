import Foundation
import LocomotionPositioning
import TestSupport
import Testing

struct AltitudeFilterTests {
  private func fix(
    _ second: Double, _ altitude: Double?, vertical: Double? = 5, horizontal: Double? = 10
  ) -> LocationFix {
    LocationFix(
      timestamp: .at(second), latitude: 48, longitude: 11, altitude: altitude,
      horizontalAccuracy: horizontal, verticalAccuracy: vertical)
  }

  @Test func theFirstAltitudeIsTakenAsItIs() throws {
    var filter = AltitudeFilter()
    #expect(filter.estimate(at: .at(0)) == nil)
    filter.update(with: fix(0, 520))
    let estimate = try #require(filter.estimate(at: .at(0)))
    #expect(estimate.altitude == 520 && estimate.climbRate == 0)
    // 5 m, and the part that never averages out on top.
    #expect(abs(estimate.deviation - 5 * 1.2.squareRoot()) < 1e-12)
  }

  @Test func theSecondIsWeighedByTheTextbook() throws {
    var filter = AltitudeFilter()
    filter.update(with: fix(0, 520))
    filter.update(with: fix(1, 522))
    let memory = filter.settings.climbMemory
    let drift = memory * (1 - exp(-1 / memory))
    let predicted = 25 + drift * drift + filter.settings.accelerationDensity / 3
    let gain = predicted / (predicted + 25)
    let estimate = try #require(filter.estimate(at: .at(1)))
    #expect(abs(estimate.altitude - (520 + 2 * gain)) < 1e-9)
  }

  @Test func accuracyIsTakenFromTheHorizontalOneWhereThereIsNoOther() throws {
    var filter = AltitudeFilter()
    filter.update(with: fix(0, 100, vertical: nil, horizontal: 10))
    let expected = 10 / radiusPerDeviation * 1.5 * 1.2.squareRoot()
    #expect(abs(try #require(filter.estimate(at: .at(0))).deviation - expected) < 1e-6)
    filter = AltitudeFilter()
    filter.update(with: fix(0, 100, vertical: nil, horizontal: nil))
    let missing = try #require(filter.estimate(at: .at(0))).deviation
    #expect(abs(missing - 15 * 1.2.squareRoot()) < 1e-12)
  }

  @Test func aClimbIsFollowedAndAJumpIsNot() throws {
    var random = SplitMix64(seed: 8)
    var filter = AltitudeFilter()
    for second in 0..<300 {
      let truth = 400 + 0.5 * Double(second)
      let jump = second == 200 ? 300.0 : 0
      filter.update(with: fix(Double(second), truth + 2 * random.nextNormal() + jump, vertical: 3))
      guard second > 60, let estimate = filter.estimate(at: .at(second)) else {
        continue
      }
      #expect(abs(estimate.altitude - truth) < 5, "second \(second)")
    }
    let climb = try #require(filter.estimate(at: .at(299))).climbRate
    #expect(abs(climb - 0.5) < 0.5)
  }

  @Test func aLiftIsBelievedAfterAFewSeconds() throws {
    var filter = AltitudeFilter()
    for second in 0..<100 { filter.update(with: fix(Double(second), 500, vertical: 3)) }
    for second in 100..<110 { filter.update(with: fix(Double(second), 600, vertical: 3)) }
    #expect(abs(try #require(filter.estimate(at: .at(109))).altitude - 600) < 3)
  }

  @Test func errorsAreAsLargeAsItSays() {
    var random = SplitMix64(seed: 12)
    var inside = 0
    let runs = 4_000
    for _ in 0..<runs {
      var settings = AltitudeFilter.Settings()
      settings.persistentFraction = 0
      settings.tailDegreesOfFreedom = 1e12
      var filter = AltitudeFilter(settings: settings)
      var (height, climb) = (random.nextNormal() * 50, random.nextNormal())
      filter.update(with: fix(0, height + 4 * random.nextNormal(), vertical: 4))
      for second in 1...20 {
        let kept = exp(-1 / settings.climbMemory)
        let (a, b) = (random.nextNormal(), random.nextNormal())
        let q = settings.accelerationDensity
        height += settings.climbMemory * (1 - kept) * climb + (q / 3).squareRoot() * a
        climb = kept * climb + (q * 0.75).squareRoot() * a + (q * 0.25).squareRoot() * b
        filter.update(with: fix(Double(second), height + 4 * random.nextNormal(), vertical: 4))
      }
      guard let estimate = filter.estimate(at: .at(20)) else { continue }
      if abs(estimate.altitude - height) <= estimate.deviation { inside += 1 }
    }
    // A binomial fraction of 0.6827; four standard deviations.
    let fraction = Double(inside) / Double(runs)
    #expect(
      abs(fraction - 0.6827) < 4 * (0.6827 * 0.3173 / Double(runs)).squareRoot(), "\(fraction)")
  }

  @Test func gapsAndClocksStartItAgain() throws {
    var filter = AltitudeFilter()
    filter.update(with: fix(0, 500))
    #expect(filter.estimate(at: .at(301)) == nil)
    filter.update(with: fix(10_000, 900))
    #expect(try #require(filter.estimate(at: .at(10_000))).altitude == 900)
    filter.update(with: fix(9_999, 100))
    #expect(try #require(filter.estimate(at: .at(10_000))).altitude == 900)
    filter.update(with: fix(1_000, 300))
    #expect(try #require(filter.estimate(at: .at(1_000))).altitude == 300)
  }

  @Test func whateverComesItStaysFinite() throws {
    var random = SplitMix64(seed: 3)
    let strange: [Double] = [.nan, .infinity, -.infinity, 0, -1, 1e300, 1e-300, 20_000, -20_000]
    var (filter, fixes) = (AltitudeFilter(), [LocationFix]())
    for index in 0..<20_000 {
      var next = fix(Double(index) + 1_000 * random.nextNormal(), 100 * random.nextNormal())
      func value() -> Double? {
        random.nextUniform() < 0.3 ? strange[Int(random.next() % 9)] : 50 * random.nextNormal()
      }
      next.altitude = value()
      next.verticalAccuracy = value()
      next.horizontalAccuracy = value()
      filter.update(with: next)
      fixes.append(next)
      if index % 3 == 0 {
        filter.update(pressure: value() ?? 980, at: next.timestamp)
        filter.update(pressure: 950 + 30 * random.nextNormal(), at: next.timestamp)
      }
      if let estimate = filter.estimate(at: next.timestamp) {
        #expect(estimate.altitude.isFinite && estimate.deviation.isFinite)
        #expect(estimate.climbRate.isFinite && estimate.deviation > 0)
      }
    }
    let broken = checkStage(AltitudeFilter(), Array(fixes.prefix(900)), into: [Double]()) {
      filter, fixes, _ in
      for fix in fixes {
        filter.update(with: fix)
        filter.update(pressure: 950 + fix.latitude, at: fix.timestamp)
      }
    }
    #expect(broken == [])
  }

  // MARK: Pressures

  /// The pressure at an altitude of the standard atmosphere, hPa.
  private func pressure(_ altitude: Double) -> Double {
    1_013.25 * pow(1 - altitude / 44_330.77, 1 / 0.190_263)
  }

  @Test func theStandardAtmosphereGivesItsTabulatedAltitudes() {
    // ICAO Doc 7488, tables: metres of geopotential altitude and hectopascals.
    for (altitude, pressure) in [(0.0, 1013.25), (1_000, 898.746), (5_000, 540.199)] {
      #expect(abs(AltitudeFilter.standardAltitude(ofPressure: pressure) - altitude) < 1)
    }
  }

  @Test func aPressureAloneGivesDifferencesAndAdmitsTheWeather() throws {
    var filter = AltitudeFilter()
    for second in 0..<60 {
      filter.update(pressure: pressure(500), at: .at(second))
    }
    for second in 60..<90 {
      filter.update(pressure: pressure(512), at: .at(second))
    }
    let estimate = try #require(filter.estimate(at: .at(90)))
    #expect(abs(try #require(estimate.barometricAltitude) - 512) < 0.5)
    #expect(estimate.deviation > 60 && estimate.deviation < 100)
    #expect(try #require(filter.estimate(at: .at(110))).barometricAltitude == nil)
  }

  @Test func fixesObserveTheOffsetAndThePressureTheClimb() throws {
    var random = SplitMix64(seed: 4)
    var (error, worst, worstWithout) = (0.0, 0.0, 0.0)
    var (filter, without) = (AltitudeFilter(), AltitudeFilter())
    for second in 0..<3_600 {
      let truth = 600 + 100 * sin(Double(second) / 300)
      // A receiver's error lasts a minute; the weather is 60 m off.
      error = 0.983_5 * error + 4 * 0.181 * random.nextNormal()
      let time = Timestamp.at(second)
      let measured = fix(Double(second), truth + error, vertical: 4)
      filter.update(pressure: pressure(truth + 60) + 0.02 * random.nextNormal(), at: time)
      filter.update(with: measured)
      without.update(with: measured)
      guard second > 900, let estimate = filter.estimate(at: time),
        let other = without.estimate(at: time)
      else { continue }
      worst = max(worst, abs(estimate.altitude - truth) / estimate.deviation)
      worstWithout = max(worstWithout, abs(other.altitude - truth) / other.deviation)
      #expect(estimate.deviation < 5)
    }
    #expect(worst < 2.5 && worstWithout > 2.5, "\(worst), \(worstWithout)")
  }

  @Test func theCabinOfAStartingAircraftMovesTheOffsetOnly() throws {
    var filter = AltitudeFilter()
    for second in 0..<900 {
      let time = Timestamp.at(second)
      // From the start on, pressure falls as if it went up to 2,400 m, and the receiver to 9,000 m.
      let climb = max(0, Double(second) - 120)
      filter.update(pressure: pressure(500 + min(climb * 2.5, 1_900)), at: time)
      filter.update(with: fix(Double(second), 500 + min(climb * 12, 8_500), vertical: 6))
    }
    let estimate = try #require(filter.estimate(at: .at(899)))
    #expect(abs(estimate.altitude - 9_000) < 3 * estimate.deviation)
    #expect(abs(try #require(estimate.barometricAltitude) - 2_400) < 5)
  }

  @Test func impossiblePressuresChangeNothing() {
    var filter = AltitudeFilter()
    for pressure in [Double.nan, .infinity, -.infinity, 0, -5, 99, 1_201, 101_325] {
      filter.update(pressure: pressure, at: .at(0))
    }
    #expect(filter.estimate(at: .at(0)) == nil)
  }

  @Test func theLocationCarriesIt() throws {
    var filter = LocationFilter()
    for second in 0..<20 {
      _ = filter.update(with: fix(Double(second), 500), acceleration: nil)
    }
    let estimate = try #require(filter.estimate(at: .at(19)))
    #expect(abs(try #require(estimate.altitude) - 500) < 1e-6)
    let fixes = (0..<20).map { fix(Double($0), 500) }
    for mode in [LocationSmoother.Mode.live, .lagged, .smoothed] {
      let reports = LocationSmoother().estimates(for: fixes, mode: mode)
      #expect(reports.allSatisfy { abs(($0.location?.altitude ?? 0) - 500) < 1e-6 })
    }
  }
}
