import BenchmarkScores
import LocomotionSensing
import TestSupport
import Testing

@Suite struct SmoothCourseTests {
  private let script = TrackScript()

  /// A ride along a parabola: 20 m/s east, and north by 0.02 m/s².
  private func place(_ second: Double) -> SIMD2<Double> {
    SIMD2(20 * second, 0.01 * second * second)
  }

  private func distance(_ truth: LocationTruth, at second: Double) throws -> Double {
    let place = try #require(truth.position(at: script.fix(second).timestamp))
    let point = LocatedPoint(
      timestamp: script.fix(second).timestamp, latitude: place.latitude,
      longitude: place.longitude)
    let away = script.position(point) - self.place(second)
    return (away * away).sum().squareRoot()
  }

  @Test func aParabolaIsItsOwnCourse() throws {
    let fixes = stride(from: 0.0, to: 600, by: 7).map { second in
      script.fix(second, east: place(second).x, north: place(second).y, accuracy: 1_400)
    }
    let truth = try #require(SmoothCourse.truth(of: fixes))
    for second in stride(from: 0.0, to: 595, by: 10) {
      #expect(try distance(truth, at: second) < 0.5, "\(second)")
      #expect(truth.isMoving(at: script.fix(second).timestamp) == true)
    }
  }

  @Test func fixesFarOffLoseTheirWeight() throws {
    var random = SplitMix64(seed: 2)
    let fixes = stride(from: 0.0, to: 600, by: 4).map { second in
      let isFar = Int(second) % 40 == 0
      let error = SIMD2(random.nextNormal(), random.nextNormal()) * 100
      return script.fix(
        second, east: place(second).x + error.x,
        north: place(second).y + error.y
          + (isFar ? 5_000 : 0), accuracy: 1_000)
    }
    let truth = try #require(SmoothCourse.truth(of: fixes))
    for second in stride(from: 60.0, to: 540, by: 10) {
      #expect(try distance(truth, at: second) < 120, "\(second)")
    }
  }

  @Test func tooFewFixesHaveNoCourse() {
    #expect(SmoothCourse.truth(of: []) == nil)
    #expect(SmoothCourse.truth(of: (0..<5).map { script.fix(Double($0)) }) == nil)
    // All at one time: a mean, and no trap.
    #expect(SmoothCourse.truth(of: (0..<9).map { _ in script.fix(3) })?.moments.count == 1)
  }
}
