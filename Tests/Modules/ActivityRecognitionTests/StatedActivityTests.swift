import LocomotionActivityRecognition
import LocomotionSensing
import Testing

/// The classes of what other systems state.
@Suite struct StatedActivityTests {
  @Test(
    arguments: [
      ("walking", Activity.walking), ("running", .running), ("cycling", .cycling),
      ("car", .automotive), ("bus", .automotive), ("train", .train), ("metro", .train),
      ("stationary", .stationary), ("airplane", nil), (nil, nil),
    ] as [(String?, Activity?)])
  func namesOfLabelsHaveClasses(name: String?, expected: Activity?) throws {
    let time = Timestamp(nanoseconds: 0)
    let stated = try #require(
      StatedInterval(.activity(name: name, distance: nil), from: time, to: time, source: "a"))
    #expect(stated.activity == expected)
  }

  @Test func aVisitIsRest() throws {
    let time = Timestamp(nanoseconds: 0)
    let place = StatedInterval.Kind.visit(latitude: 0, longitude: 0, radius: nil)
    let stated = try #require(StatedInterval(place, from: time, to: time, source: "a"))
    #expect(stated.activity == .stationary)
  }
}
