import Foundation
import LocomotionPositioning
import TestSupport
import Testing

struct LocationFilterTests {
  @Test func missingAccuracyIsTheStatedDefault() throws {
    var filter = LocationFilter(settings: .plain)
    let fix = Journey.fix(at: 0, .zero, accuracy: nil)
    #expect(filter.update(with: fix, acceleration: nil) == .used)
    #expect(abs(try #require(filter.estimate(at: fix.timestamp)).radius68 - 4) < 1e-5)
  }

  @Test func agreesWithTheDenseFourStateFilter() throws {
    let settings = LocationFilter.Settings.plain
    let q = settings.motion.accelerationDensity
    var filter = LocationFilter(settings: settings)
    var random = SplitMix64(seed: 2)
    var dense: DenseFilter?
    var lastTime = 0.0
    var (time, position, velocity) = (0.0, SIMD2(0.0, 0.0), SIMD2(12.0, 5.0))
    for index in 0..<300 {
      let step = index == 0 ? 0 : 0.25 + 3 * random.nextUniform()
      time = ((time + step) * 64).rounded() / 64
      velocity += SIMD2(random.nextNormal(), random.nextNormal()) * 0.3
      position += velocity * step
      let accuracy = 4 + 20 * random.nextUniform()
      let measured = position + SIMD2(random.nextNormal(), random.nextNormal()) * accuracy / 1.5
      let doppler = velocity + SIMD2(random.nextNormal(), random.nextNormal()) * 0.3
      let hasDoppler = index % 3 != 1
      let fix = Journey.fix(
        at: time, measured, accuracy: accuracy, velocity: hasDoppler ? doppler : nil)
      #expect(
        filter.update(with: fix, acceleration: nil, moving: 0.99) { _ in } == .used)

      let variance = pow(accuracy / radiusPerDeviation, 2)
      let speedVariance = pow(settings.measurement.velocityDeviation, 2)
      if var state = dense {
        state.predict(time - lastTime, q)
        state.update([measured.x, measured.y], offset: 0, variance: variance)
        if hasDoppler {
          state.update([doppler.x, doppler.y], offset: 2, variance: speedVariance)
        }
        dense = state
      } else {
        dense = DenseFilter(
          x: [measured.x, measured.y, doppler.x, doppler.y],
          p: [
            [variance, 0, 0, 0], [0, variance, 0, 0], [0, 0, speedVariance, 0],
            [0, 0, 0, speedVariance],
          ])
      }
      lastTime = time
      let state = try #require(dense)
      let estimate = try #require(filter.estimate(at: fix.timestamp))
      // The two differ by the projections: a plane that moves along and one that does not, over
      // which a length of 20 km shrinks by (20 km)³/6R² = 3 cm at its end.
      #expect(
        Journey.distance(Journey.position(estimate), SIMD2(state.x[0], state.x[1])) < 0.03)
      #expect(abs(estimate.radius68 - radiusPerDeviation * state.p[0][0].squareRoot()) < 1e-6)
      #expect(
        abs(try #require(estimate.speedDeviation) - state.p[2][2].squareRoot()) < 1e-9)
      let speed = (state.x[2] * state.x[2] + state.x[3] * state.x[3]).squareRoot()
      #expect(abs(try #require(estimate.speed) - speed) < 2e-4)
    }
  }

  @Test func radiusGrowsAsTheModelSays() throws {
    var settings = LocationFilter.Settings.plain
    settings.motion.accelerationDensity = 0.5
    var filter = LocationFilter(settings: settings)
    let fix = Journey.fix(at: 0, .zero, accuracy: 15, velocity: SIMD2(20, 0))
    _ = filter.update(with: fix, acceleration: nil)
    for t in [0.0, 1, 4, 10] {
      let estimate = try #require(filter.estimate(at: .at(t)))
      let speedVariance = pow(settings.measurement.velocityDeviation, 2)
      let variance =
        pow(15 / radiusPerDeviation, 2) + speedVariance * t * t + 0.5 * t * t * t / 3
      #expect(abs(estimate.radius68 - radiusPerDeviation * variance.squareRoot()) < 1e-5)
      #expect(abs(Journey.position(estimate).x - 20 * t) < 1e-6)
    }
  }

  @Test func errorsAreAsLargeAsClaimed() throws {
    // 400 runs of the model itself: white acceleration, Gauss–Markov and white fix errors.
    var settings = LocationFilter.Settings.plain
    settings.measurement.whiteFraction = 0.3
    settings.measurement.correlatedFraction = 0.7
    settings.motion.accelerationDensity = 2
    let sigma = 10 / radiusPerDeviation
    var random = SplitMix64(seed: 4)
    var sum = 0.0
    var inside = 0
    func normal() -> SIMD2<Double> { SIMD2(random.nextNormal(), random.nextNormal()) }
    for _ in 0..<400 {
      var filter = LocationFilter(settings: settings)
      var velocity = SIMD2(15.0, 0.0)
      var position = SIMD2(0.0, 0.0)
      var u = normal()
      let keep = exp(-1 / settings.measurement.errorMemory)
      for second in 0..<40 {
        if second > 0 {
          // Exact increments of integrated white acceleration over one second.
          let (a, b) = (normal() * 2.0.squareRoot(), normal() * 2.0.squareRoot())
          let part = b / 12.0.squareRoot()
          position += velocity + a / 2 + part
          velocity += a
          u = u * keep + normal() * (1 - keep * keep).squareRoot()
        }
        let error = u * sigma * 0.7.squareRoot() + normal() * sigma * 0.3.squareRoot()
        let fix = Journey.fix(
          at: Double(second), position + error, accuracy: 10,
          velocity: velocity + normal() * settings.measurement.velocityDeviation)
        _ = filter.update(with: fix, acceleration: nil, moving: 0.99) { _ in }
      }
      let estimate = try #require(filter.estimate(at: .at(39)))
      let error = Journey.distance(Journey.position(estimate), position)
      sum += pow(error * radiusPerDeviation / estimate.radius68, 2)
      inside += error <= estimate.radius68 ? 1 : 0
    }
    // χ² with 800 degrees of freedom and a binomial count, both within 3.3 deviations.
    #expect(abs(sum - 800) < 3.3 * 1_600.0.squareRoot())
    #expect(abs(Double(inside) - 400 * 0.6827) < 3.3 * (400 * 0.6827 * 0.3173).squareRoot())
  }

  @Test func slowSpeedWithoutCourseIsRest() throws {
    var filter = LocationFilter()
    for second in 0..<20 {
      var fix = Journey.fix(at: Double(second), SIMD2(second % 2 == 0 ? 1 : -1, 0), accuracy: 5)
      fix.speed = 0.1
      _ = filter.update(with: fix, acceleration: nil)
    }
    #expect(filter.movingDecision.state == .stationary)
    let estimate = try #require(filter.estimate(at: .at(19)))
    #expect(estimate.speed == 0 && estimate.course == nil)
  }

  @Test func missingSpeedIsNotZeroSpeed() throws {
    var filter = LocationFilter()
    for second in 0..<60 {
      let fix = Journey.fix(at: Double(second), SIMD2(15 * Double(second), 0), accuracy: 8)
      #expect(filter.update(with: fix, acceleration: nil).name != "rejected")
    }
    let estimate = try #require(filter.estimate(at: .at(59)))
    #expect(filter.movingDecision.state == .moving)
    #expect(abs(try #require(estimate.speed) - 15) < 1)
    #expect(Journey.distance(Journey.position(estimate), SIMD2(885, 0)) < 5)
    #expect(abs(try #require(estimate.course) - 90) < 3)
  }

  @Test func stillnessPinsThePhoneAndFixesAverageOut() throws {
    var filter = LocationFilter()
    var random = SplitMix64(seed: 5)
    for second in 0..<600 {
      let error = SIMD2(random.nextNormal(), random.nextNormal()) * 8
      _ = filter.update(
        with: Journey.fix(at: Double(second), error, accuracy: 12),
        acceleration: AccelerationEvidence(level: 0.02))
    }
    let estimate = try #require(filter.estimate(at: .at(599)))
    #expect(filter.movingDecision.state == .stationary && estimate.speed == 0)
    // White errors of 8 m over 600 fixes have a mean of 0.33 m per axis; what is reported stays
    // within two deviations of what the filter takes them to have.
    #expect(Journey.distance(Journey.position(estimate), .zero) < 3)
  }

  @Test(arguments: [(62.0, 179.5), (-35, -179.9), (89.7, 10)])
  func longDriveKeepsItsPlaneAlong(_ latitude: Double, _ longitude: Double) throws {
    // 100 km straight on: past the antimeridian or by the pole, where the course turns fast.
    var filter = LocationFilter()
    var plane = LocalTangentPlane(latitude: latitude, longitude: longitude)
    var velocity = SIMD2(20.0, 20.0)
    for second in 0..<3_600 {
      // A plane touches the truth every second, so that its north is true north.
      let fix = LocationFix(
        timestamp: .at(second), latitude: plane.latitude,
        longitude: plane.longitude, horizontalAccuracy: 5, speed: 800.0.squareRoot(),
        course: Journey.course(velocity))
      #expect(filter.update(with: fix, acceleration: nil) == .used)
      let estimate = try #require(filter.estimate(at: fix.timestamp))
      let error = plane.position(latitude: estimate.latitude, longitude: estimate.longitude)
      #expect(Journey.distance(error, .zero) < 0.01)
      if second > 5 {
        let turn = abs(try #require(estimate.course) - (try #require(fix.course)))
        #expect(min(turn, 360 - turn) < 0.01)
      }
      let place = plane.geodetic(velocity)
      let next = LocalTangentPlane(latitude: place.latitude, longitude: place.longitude)
      velocity = plane.rotate(velocity, to: next)
      plane = next
    }
  }

  @Test(arguments: [(1.4, 1.0, 8.0), (15, 1, 8), (15, 20, 20), (1.4, 10, 8)])
  func aJourneyWithoutSpeedsIsFollowedFromRest(
    _ speed: Double, _ interval: Double, _ accuracy: Double
  ) throws {
    var filter = LocationFilter()
    var random = SplitMix64(seed: 17)
    func error() -> SIMD2<Double> {
      SIMD2(random.nextNormal(), random.nextNormal()) * accuracy / 2
    }
    var time = 0.0
    while time < 300 {
      _ = filter.update(
        with: Journey.fix(at: time, error(), accuracy: accuracy), acceleration: nil)
      time += interval
    }
    #expect(filter.movingDecision.state == .stationary)
    var truth = SIMD2(0.0, 0.0)
    while time < 600 {
      _ = filter.update(
        with: Journey.fix(at: time, truth + error(), accuracy: accuracy), acceleration: nil)
      time += interval
      truth.x += speed * interval
    }
    // Not better than that: with no speed and one model a pedestrian's steps come late.
    let last = Timestamp.at(time - interval)
    let position = Journey.position(try #require(filter.estimate(at: last)))
    #expect(Journey.distance(position, truth - SIMD2(speed * interval, 0)) < 2 * accuracy)
  }

  @Test func aFilterIsAStage() {
    var random = SplitMix64(seed: 6)
    let fixes = (0..<300).map { second in
      var fix = Journey.fix(
        at: Double(second), SIMD2(Double(second) * 3, random.nextNormal() * 5), accuracy: 9,
        velocity: second % 4 == 0 ? nil : SIMD2(3, 0))
      if second % 50 == 17 { fix.latitude += 1 }
      return (fix, AccelerationEvidence(level: Float(random.nextUniform())))
    }
    let broken = checkStage(
      LocationFilter(), fixes, into: [LocationEstimate?](), reset: { $0.reset() }
    ) {
      for (fix, evidence) in $1 {
        _ = $0.update(with: fix, acceleration: evidence)
        $2.append($0.estimate(at: fix.timestamp))
      }
    }
    #expect(broken == [])
  }

  @Test func estimateAgesOut() {
    var filter = LocationFilter()
    for fix in Journey.drive(seconds: 10) { _ = filter.update(with: fix, acceleration: nil) }
    #expect(filter.estimate(at: .at(9 + 59))?.timestamp == Timestamp.at(68))
    #expect(filter.estimate(at: .at(9 + 61))?.speed == nil)
    #expect(filter.estimate(at: .at(9 + 1_799)) != nil)
    #expect(filter.estimate(at: .at(9 + 1_801)) == nil)
    #expect(filter.estimate(at: .at(-10)) == nil)
  }
}
