import Foundation
import LocomotionPositioning
import TestSupport
import Testing

/// Receivers that lie for seconds or minutes, in ways seen on real phones.
struct ReceiverFaultTests {
  /// Fixes of a phone at `path` with correlated errors of 1 m per axis.
  private func fixes(
    seconds: Int, seed: UInt64, accuracy: Double = 3.8,
    path: (Int) -> (position: SIMD2<Double>, velocity: SIMD2<Double>),
    fault: (Int) -> (offset: SIMD2<Double>, velocity: SIMD2<Double>)
  ) -> [LocationFix] {
    var random = SplitMix64(seed: seed)
    func normal() -> SIMD2<Double> { SIMD2(random.nextNormal(), random.nextNormal()) }
    let keep = exp(-1.0 / 40)
    var error = normal()
    return (0..<seconds).map { second in
      error = error * keep + normal() * (1 - keep * keep).squareRoot()
      let (position, velocity) = path(second)
      let (offset, wrong) = fault(second)
      return Journey.fix(
        at: Double(second), position + error + offset, accuracy: accuracy,
        velocity: velocity + wrong + normal() * 0.1)
    }
  }

  private func errors(
    _ fixes: [LocationFix], _ mode: LocationSmoother.Mode, path: (Int) -> SIMD2<Double>
  ) -> [Double] {
    LocationSmoother().estimates(for: fixes, mode: mode).enumerated().map { second, report in
      report.location.map { Journey.distance(Journey.position($0), path(second)) } ?? .infinity
    }
  }

  /// A chip drifts 75 m to the side within 9 s, its speed agreeing, and snaps back in one fix.
  @Test(arguments: [1, 2, 3, 4]) func aDriftThatSnapsBackIsBridgedInHindsight(seed: UInt64) {
    func path(_ second: Int) -> SIMD2<Double> { SIMD2(15 * Double(second), 0) }
    let fixes = fixes(
      seconds: 240, seed: seed, path: { (path($0), SIMD2(15, 0)) },
      fault: { second in
        (100..<109).contains(second)
          ? (SIMD2(0, 75 * Double(second - 99) / 9), SIMD2(0, 75.0 / 9)) : (.zero, .zero)
      })
    // Live nobody can know while it lasts; four fixes after it, it is over.
    let live = errors(fixes, .live, path: path)
    #expect(live[113...].max() ?? 0 < 8)
    // Six seconds later the second half of it is undone, at the end all of it.
    let lagged = errors(fixes, .lagged, path: path)
    #expect(lagged[107..<120].max() ?? 0 < 15)
    #expect(errors(fixes, .smoothed, path: path).max() ?? 0 < 15)
  }

  /// Fixes jump 42 m aside on a walk and come back half a minute later.
  @Test(arguments: [5, 6, 7]) func aJumpThatReturnsIsForgottenAtOnce(seed: UInt64) throws {
    func path(_ second: Int) -> SIMD2<Double> { SIMD2(1.4 * Double(second), 0) }
    let fixes = fixes(
      seconds: 300, seed: seed, accuracy: 4, path: { (path($0), SIMD2(1.4, 0)) },
      fault: { (150..<185).contains($0) ? (SIMD2(0, 42), .zero) : (.zero, .zero) })
    let live = errors(fixes, .live, path: path)
    #expect(live[185...].max() ?? 0 < 10)
    #expect(errors(fixes, .smoothed, path: path).max() ?? 0 < 15)

    let broken = checkStage(LocationFilter(), fixes, into: [FixStatus]()) {
      for fix in $1 { $2.append($0.update(with: fix, acceleration: nil)) }
    }
    #expect(broken == [])
    var filter = LocationFilter()
    for fix in fixes { _ = filter.update(with: fix, acceleration: nil) }
    #expect(filter.counts.relocated == 2)
  }

  /// After 75 s without fixes the first one counts in full.
  @Test(arguments: [0.0, 6, 12]) func theEndOfATunnelIsWhereTheFixIs(turn: Double) {
    func path(_ second: Int) -> SIMD2<Double> {
      // The road turns in the tunnel, and the car changes its speed.
      let inside = Double(max(0, second - 60))
      return SIMD2(20 * Double(second) - 3 * min(inside, 75), turn * min(inside, 75))
    }
    let all = fixes(
      seconds: 180, seed: 8, path: { (path($0), path($0 + 1) - path($0)) },
      fault: { _ in (.zero, .zero) })
    var filter = LocationFilter()
    for (second, fix) in all.enumerated() where !(60..<135).contains(second) {
      _ = filter.update(with: fix, acceleration: nil)
      guard second >= 135, let estimate = filter.estimate(at: fix.timestamp) else { continue }
      #expect(Journey.distance(Journey.position(estimate), path(second)) < 10)
    }
  }

  /// A phone that reports a pedestrian's speed with an accuracy of 10 m, as iPhones do.
  @Test(arguments: [0.8, 1.0, 1.3]) func aStrollIsMoving(speed: Double) {
    let fixes = fixes(
      seconds: 600, seed: 9, accuracy: 10,
      path: { (SIMD2(speed * Double($0), 0), SIMD2(speed, 0)) },
      fault: { _ in (.zero, .zero) })
    let reports = LocationSmoother().estimates(for: fixes, mode: .live)
    let moving = reports.dropFirst(20).count { $0.moving.state == .moving }
    #expect(moving > 570)
  }

  /// A watch shows a speed without a course or an accuracy, at times, and 0 at others.
  @Test(arguments: [13, 14, 15]) func aSlowWalkIsMovingWhereAWatchShowsNoSpeed(
    seed: UInt64
  ) throws {
    func isSlow(_ second: Int) -> Bool { (120..<240).contains(second) }
    func path(_ second: Int) -> SIMD2<Double> {
      let slow = Double(min(max(0, second - 120), 120))
      return SIMD2(1.3 * (Double(second) - slow) + 0.7 * slow, 0)
    }
    let fixes = fixes(
      seconds: 360, seed: seed, path: { (path($0), .zero) }, fault: { _ in (.zero, .zero) }
    ).enumerated().map { second, fix in
      var fix = fix
      (fix.horizontalAccuracy, fix.course) = (nil, nil)
      fix.speed = isSlow(second) ? second % 30 < 15 ? 0 : nil : 1.3
      return fix
    }
    let reports = LocationSmoother().estimates(for: fixes, mode: .smoothed)
    #expect(reports[125..<235].count { $0.moving.state == .moving } >= 88)
    let first = try #require(reports[120].location)
    let last = try #require(reports[239].location)
    #expect(abs(Journey.distance(Journey.position(first), Journey.position(last)) - 83) < 8)
  }

  /// A network's fixes, and those of some receivers however good their positions are, carry a speed
  /// of exactly 0, whatever the phone does; within two minutes it is taken as missing.
  @Test(arguments: [(30.0, 60.0, 20), (3, 8, 24)])
  func speedsThatContradictThePositionsAreTakenAsMissing(
    deviation: Double, accuracy: Double, fixes: Int
  ) {
    var filter = LocationFilter()
    var random = SplitMix64(seed: accuracy == 60 ? 10 : 12)
    var moving = 0
    for k in 0..<120 {
      let position = SIMD2(12 * 5 * Double(k), 0)
      let error = SIMD2(random.nextNormal(), random.nextNormal()) * deviation
      var fix = Journey.fix(at: 5 * Double(k), position + error, accuracy: accuracy)
      (fix.speed, fix.course) = (0, 0)
      _ = filter.update(with: fix, acceleration: nil)
      if k >= fixes, filter.movingDecision.state == .moving { moving += 1 }
    }
    #expect(moving >= 118 - fixes)
    #expect(filter.counts.rejected < 24)
    if accuracy < 60 { #expect(filter.counts.ignoredSpeeds >= 96) }
  }

  /// How far an estimate lies from the origin of a plane, metres.
  private func distance(_ estimate: LocationEstimate, in plane: LocalTangentPlane) -> Double {
    Journey.distance(
      plane.position(latitude: estimate.latitude, longitude: estimate.longitude), .zero)
  }

  /// A ferry, a fast train and a plane whose first fix is on the way, without speeds.
  @Test(arguments: [8.0, 80, 250, 300], [1.0, 10, 60])
  func aFirstFixInMotionIsFollowed(speed: Double, interval: Double) throws {
    var filter = LocationFilter()
    var random = SplitMix64(seed: 15)
    var plane = Journey.plane
    var farthest = 0.0
    for k in 0..<100 {
      let error = SIMD2(random.nextNormal(), random.nextNormal()) * 3
      let fix = Journey.fix(at: interval * Double(k), error, accuracy: 5, in: plane)
      _ = filter.update(with: fix, acceleration: nil)
      // Ten seconds, or three fixes, to confirm that something moves so fast.
      if k >= 3, interval * Double(k) >= 10 {
        let estimate = try #require(filter.estimate(at: fix.timestamp))
        farthest = max(farthest, distance(estimate, in: plane))
      }
      let next = plane.geodetic(SIMD2(0.8, 0.6) * (speed * interval))
      plane = LocalTangentPlane(latitude: next.latitude, longitude: next.longitude)
    }
    #expect(farthest < 20)
  }

  /// A plane that is not heard of for twenty minutes.
  @Test func aSilentFlightIsFoundAgain() throws {
    var filter = LocationFilter()
    var plane = Journey.plane
    for k in 0..<2_400 {
      let seconds = Double(k)
      let place = plane.geodetic(.zero)
      if k < 600 || k >= 1_800 {
        let fix = LocationFix(
          timestamp: .at(seconds), latitude: place.latitude, longitude: place.longitude,
          horizontalAccuracy: 5, speed: 250, course: 53.13)
        _ = filter.update(with: fix, acceleration: nil)
        if k >= 1_803 {
          let estimate = try #require(filter.estimate(at: fix.timestamp))
          #expect(distance(estimate, in: plane) < 20)
        }
      }
      let next = plane.geodetic(SIMD2(0.8, 0.6) * 250)
      plane = LocalTangentPlane(latitude: next.latitude, longitude: next.longitude)
    }
  }

  /// Outliers that are far apart, none where the others lead, move nothing.
  @Test func wildOutliersDoNotConfirmOneAnother() throws {
    var filter = LocationFilter()
    var random = SplitMix64(seed: 16)
    for k in 0..<600 {
      let isWild = (200..<260).contains(k) && k % 3 > 0
      let error =
        isWild
        ? SIMD2(random.nextNormal(), random.nextNormal()) * 2_000
        : SIMD2(random.nextNormal(), random.nextNormal()) * 3
      let fix = Journey.fix(
        at: 5 * Double(k), SIMD2(7 * Double(k), 0) + error, accuracy: 8)
      _ = filter.update(with: fix, acceleration: nil)
      guard k > 20, let estimate = filter.estimate(at: fix.timestamp) else { continue }
      #expect(
        Journey.distance(Journey.position(estimate), SIMD2(7 * Double(k), 0)) < 60, "\(k)")
    }
  }
}
