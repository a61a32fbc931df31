import BenchmarkScores
import LocomotionPositioning
import LocomotionSensing
import Testing

struct LocationTruthTests {
  private let script = TrackScript()

  private func place(_ truth: LocationTruth, _ seconds: Double) -> SIMD2<Double>? {
    truth.position(at: TrackScript.time(seconds)).map {
      script.plane.position(latitude: $0.latitude, longitude: $0.longitude)
    }
  }

  @Test func positionsAreLinearBetweenMoments() {
    let truth = LocationTruth(moments: [
      script.moment(10), script.moment(11, east: 20, north: -8), script.moment(12, east: 20),
    ])
    #expect(place(truth, 10) == .zero)
    for (seconds, east, north) in [(10.25, 5.0, -2.0), (11, 20, -8), (11.5, 20, -4)] {
      let found = place(truth, seconds) ?? SIMD2(.nan, .nan)
      #expect(abs(found.x - east) < 1e-6 && abs(found.y - north) < 1e-6)
    }
  }

  @Test func truthIsUnknownOutsideAndInGapsOverTwoSeconds() {
    let truth = LocationTruth(moments: [
      script.moment(0, isMoving: false), script.moment(2, isMoving: false),
      script.moment(4.1, isMoving: true), script.moment(5, isMoving: true),
    ])
    #expect(place(truth, -0.1) == nil && place(truth, 5.1) == nil)
    #expect(place(truth, 1) != nil && place(truth, 2) != nil)
    #expect(place(truth, 3) == nil && truth.isMoving(at: TrackScript.time(3)) == nil)
    #expect(truth.isMoving(at: TrackScript.time(2)) == false)
    #expect(truth.isMoving(at: TrackScript.time(4.5)) == true)
  }

  @Test func aMarkedMomentHoldsUntilTheNext() {
    let truth = LocationTruth(moments: [
      script.moment(0, isMoving: true), script.moment(1, isMoving: nil),
      script.moment(2, isMoving: false), script.moment(3, isMoving: true),
    ])
    let states = [0.0, 0.9, 1, 1.9, 2, 2.9, 3].map { truth.isMoving(at: TrackScript.time($0)) }
    #expect(states == [true, true, nil, nil, false, false, true])
  }

  @Test func withoutMarksThePositionsDecide() {
    // 0.4 m/s, then 0.6 m/s.
    let moments = (0...40).map { second in
      let time = Double(second)
      return script.moment(time, north: time <= 20 ? 0.4 * time : 0.6 * time - 4)
    }
    let truth = LocationTruth(moments: moments)
    #expect(truth.isMoving(at: TrackScript.time(10.3)) == false)
    #expect(truth.isMoving(at: TrackScript.time(30.3)) == true)
    // Half a second on both sides is needed.
    #expect(truth.isMoving(at: TrackScript.time(0.4)) == nil)
    #expect(truth.isMoving(at: TrackScript.time(0.5)) == false)
  }

  @Test func momentsWithoutPositionOrOrderAreSkipped() {
    var lost = script.moment(1)
    lost.latitude = .nan
    let truth = LocationTruth(moments: [
      script.moment(0), lost, script.moment(2), script.moment(2, east: 9), script.moment(1.5),
      script.moment(3),
    ])
    #expect(truth.moments.map(\.timestamp.seconds) == [0, 2, 3])
    #expect(place(truth, 1) == .zero)
  }

  @Test func positionsAreContinuousAtTheAntimeridian() {
    let moments = [(0.0, 179.999), (1, -179.999)].map {
      LocationTruth.Moment(timestamp: TrackScript.time($0), latitude: 0, longitude: $1)
    }
    let middle = LocationTruth(moments: moments).position(at: TrackScript.time(0.5))
    #expect(middle.map { abs(abs($0.longitude) - 180) < 1e-9 } ?? false)
  }
}
