import LocomotionSensing
import Testing

/// What a statement refuses, and what it leaves out.
@Suite struct StatedIntervalTests {
  private let times = (Timestamp(nanoseconds: 1), Timestamp(nanoseconds: 2))

  private func interval(
    _ kind: StatedInterval.Kind, probability: Double? = nil, isReversed: Bool = false
  ) -> StatedInterval? {
    let (start, end) = isReversed ? (times.1, times.0) : times
    return StatedInterval(kind, from: start, to: end, source: "a", probability: probability)
  }

  @Test func whatIsImpossibleIsNoStatement() {
    let place = StatedInterval.Kind.visit(latitude: 50, longitude: 8, radius: 9)
    #expect(interval(place)?.isVisit == true && interval(place, isReversed: true) == nil)
    for (latitude, longitude) in [(91.0, 8.0), (.nan, 8), (50, .infinity), (50, 361)] {
      let place = StatedInterval.Kind.visit(
        latitude: latitude, longitude: longitude, radius: nil)
      #expect(interval(place) == nil)
    }
  }

  @Test(arguments: [-1.0, .nan, .infinity]) func whatIsInvalidIsNotTold(value: Double) {
    let visit = interval(
      .visit(latitude: 50, longitude: 8, radius: value), probability: value)
    #expect(visit?.kind == .visit(latitude: 50, longitude: 8, radius: nil))
    #expect(visit?.probability == nil)
    let walk = interval(.activity(name: "walking", distance: value), probability: 1.5)
    #expect(walk?.kind == .activity(name: "walking", distance: nil) && walk?.isVisit == false)
    #expect(walk?.probability == nil && interval(.activity(name: nil, distance: 0)) != nil)
  }
}
