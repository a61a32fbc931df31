import Foundation
import LocomotionPositioning
import TestSupport
import Testing

struct LocationSmootherTests {
  /// A drive with a halt, errors as the filter expects them, some fixes without Doppler, and some
  /// faults.
  private func commute(seed: UInt64) -> [LocationFix] {
    var random = SplitMix64(seed: seed)
    var position = SIMD2(0.0, 0.0)
    let measurement = LocationFilter.Settings().measurement
    let (white, correlated) = (
      8 / radiusPerDeviation * measurement.whiteFraction.squareRoot(),
      8 / radiusPerDeviation * measurement.correlatedFraction.squareRoot()
    )
    let keep = exp(-1 / measurement.errorMemory)
    func normal() -> SIMD2<Double> { SIMD2(random.nextNormal(), random.nextNormal()) }
    var u = normal()
    return (0..<240).map { second in
      let velocity = (90..<150).contains(second) ? SIMD2(0.0, 0.0) : SIMD2(12.0, 3.0)
      position += velocity
      u = u * keep + normal() * (1 - keep * keep).squareRoot()
      let error = u * correlated + normal() * white
      let noise = normal() * 0.2
      var fix = Journey.fix(
        at: Double(second), position + error, accuracy: 8,
        velocity: second % 5 == 3 ? nil : velocity + noise)
      if velocity == .zero { fix.course = nil }
      switch second {
      case 40: fix.latitude += 0.5
      case 60: fix.timestamp = Timestamp.at(59)
      case 70: fix.latitude = .nan
      default: break
      }
      return fix
    }
  }

  @Test func agreesWithTheDenseSmoother() throws {
    let settings = LocationFilter.Settings.plain
    let q = settings.motion.accelerationDensity
    var random = SplitMix64(seed: 9)
    var fixes: [LocationFix] = []
    var dense: [DenseFilter] = []
    for second in 0..<80 {
      let truth = SIMD2(25 * Double(second), 3 * Double(second))
      let z = truth + SIMD2(random.nextNormal(), random.nextNormal()) * 6
      let v = SIMD2(25, 3) + SIMD2(random.nextNormal(), random.nextNormal()) * 0.3
      fixes.append(Journey.fix(at: Double(second), z, accuracy: 9, velocity: v))
      let (variance, speedVariance) = (
        pow(9 / radiusPerDeviation, 2), pow(settings.measurement.velocityDeviation, 2)
      )
      if var state = dense.last {
        state.predict(1, q)
        state.update([z.x, z.y], offset: 0, variance: variance)
        state.update([v.x, v.y], offset: 2, variance: speedVariance)
        dense.append(state)
      } else {
        dense.append(
          DenseFilter(
            x: [z.x, z.y, v.x, v.y],
            p: [
              [variance, 0, 0, 0], [0, variance, 0, 0], [0, 0, speedVariance, 0],
              [0, 0, 0, speedVariance],
            ]))
      }
    }
    for k in (0..<79).reversed() { dense[k] = dense[k].smoothed(dense[k + 1], 1, q) }
    let reports = LocationSmoother(settings: settings).estimates(for: fixes, mode: .smoothed)
    for (report, state) in zip(reports, dense) {
      let estimate = try #require(report.location)
      #expect(
        Journey.distance(Journey.position(estimate), SIMD2(state.x[0], state.x[1])) < 1e-6)
      #expect(abs(estimate.radius68 - radiusPerDeviation * state.p[0][0].squareRoot()) < 1e-6)
      #expect(abs(try #require(estimate.speedDeviation) - state.p[2][2].squareRoot()) < 1e-9)
    }
  }

  @Test func liveRowsAreTheFilters() {
    let fixes = commute(seed: 10)
    var filter = LocationFilter()
    for (fix, report) in zip(fixes, LocationSmoother().estimates(for: fixes, mode: .live)) {
      #expect(filter.update(with: fix, acceleration: nil) == report.status)
      #expect(filter.estimate(at: fix.timestamp) == report.location)
    }
  }

  @Test func everyFixHasAReportAlsoTheRejected() throws {
    let fixes = commute(seed: 11)
    for mode in [LocationSmoother.Mode.live, .lagged, .smoothed] {
      let reports = LocationSmoother().estimates(for: fixes, mode: mode)
      #expect(reports.count == fixes.count)
      #expect(reports[40].status == .rejected(.outlier))
      #expect(reports[60].status == .rejected(.duplicate))
      #expect(reports[70].status == .rejected(.impossiblePosition))
      for second in [40, 60, 70] {
        #expect(reports[second].fix.timestamp == fixes[second].timestamp)
        let estimate = try #require(reports[second].location)
        let time = fixes[second].timestamp.seconds
        let truth = SIMD2(12, 3) * (time + 1)
        #expect(Journey.distance(Journey.position(estimate), truth) < 15, "\(mode) \(second)")
      }
    }
  }

  @Test func aLagOfTheWholeTrackIsSmoothing() throws {
    let fixes = commute(seed: 12)
    let whole = LocationSmoother().estimates(for: fixes, mode: .smoothed)
    let lagged = LocationSmoother().estimates(for: fixes, mode: .lagged(seconds: 1_000))
    for (a, b) in zip(whole, lagged) {
      #expect(a.status == b.status)
      guard a.status == .used else { continue }
      let (x, y) = (try #require(a.location), try #require(b.location))
      #expect(Journey.distance(Journey.position(x), Journey.position(y)) < 1e-6)
      #expect(abs(x.radius68 - y.radius68) < 1e-6)
    }
  }

  @Test func hindsightIsMoreAccurateThanNone() {
    var squares = [0.0, 0.0, 0.0]
    for seed in 20..<30 {
      let fixes = commute(seed: UInt64(seed))
      var truth = SIMD2(0.0, 0.0)
      let reports = [LocationSmoother.Mode.live, .lagged, .smoothed].map {
        LocationSmoother().estimates(for: fixes, mode: $0)
      }
      for second in fixes.indices {
        truth += (90..<150).contains(second) ? .zero : SIMD2(12, 3)
        if second == 60 { continue }
        for mode in 0..<3 {
          guard let estimate = reports[mode][second].location else { continue }
          squares[mode] += pow(Journey.distance(Journey.position(estimate), truth), 2)
        }
      }
    }
    #expect(squares[1] < 0.95 * squares[0] && squares[2] < 0.97 * squares[0], "\(squares)")
  }

  @Test func theHaltIsFoundToTheSecondOrTwo() {
    let reports = LocationSmoother().estimates(for: commute(seed: 13), mode: .smoothed)
    let wrong = reports.indices.filter { second in
      reports[second].moving.state != ((90..<150).contains(second) ? .stationary : .moving)
    }
    #expect(wrong.count <= 4, "\(wrong)")
  }

  /// A walk with so many fixes a second.
  private func walk(
    fixesPerSecond rate: Double, count: Int, seed: UInt64 = 15
  ) -> [LocationFix] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { index in
      let seconds = Double(index) / rate
      let error = SIMD2(random.nextNormal(), random.nextNormal()) * 4
      return Journey.fix(
        at: seconds, SIMD2(1.2 * seconds, 0) + error, accuracy: 6, velocity: SIMD2(1.2, 0))
    }
  }

  /// Counts, not times: each fix costs the same whether 100 or 30,000 lie within the lag.
  @Test(arguments: [100, 1_000, 30_000]) func theWorkForALaggedRowIsBounded(count: Int) {
    let fixes = walk(fixesPerSecond: Double(count) / 6, count: count)
    let portions = LocationSmoother.portions(of: fixes.map { FixReport($0) }, lag: 6)
    #expect(portions.flatMap(\.own) == Array(0..<count))
    // Both passes and the smoothing look at what is seen; twice 64 fixes at most.
    let seen = portions.reduce(0) { $0 + $1.seen.count }
    #expect(seen <= count * 128, "\(seen / count) for a fix")
  }

  @Test func laggedRowsDoNotDependOnTheFurtherFuture() {
    // Of the dense track 600 fixes are within the lag: nine share a look ahead.
    for (fixes, end, known) in [
      (commute(seed: 14), 120, 113), (walk(fixesPerSecond: 100, count: 2_000), 1_400, 790),
    ] {
      let all = LocationSmoother().estimates(for: fixes, mode: .lagged(seconds: 6))
      let cut = LocationSmoother().estimates(for: Array(fixes[..<end]), mode: .lagged(seconds: 6))
      // Not the fixes themselves: one is at no latitude, which equals no other.
      #expect(all[..<known].map(\.location) == cut[..<known].map(\.location))
      #expect(all[..<known].map(\.moving) == cut[..<known].map(\.moving))
      #expect(all.map(\.fix.timestamp) == fixes.map(\.timestamp))
    }
  }

  @Test func denseLaggedRowsAreMoreAccurateThanLiveOnes() throws {
    let walks = (0..<8).map { walk(fixesPerSecond: 100, count: 2_000, seed: 15 + $0) }
    let squares = try [LocationSmoother.Mode.live, .lagged(seconds: 6)].map { mode in
      try walks.reduce(0.0) { total, fixes in
        let reports = LocationSmoother().estimates(for: fixes, mode: mode)
        return try reports[200..<1_400].reduce(total) { sum, report in
          let truth = SIMD2(1.2 * report.fix.timestamp.seconds, 0)
          let estimate = try #require(report.location)
          return sum + pow(Journey.distance(Journey.position(estimate), truth), 2)
        }
      }
    }
    #expect(squares[1] < 0.95 * squares[0], "\(squares)")
  }
}
