import Locomotion
import LocomotionActivityRecognition
import LocomotionSensing
import Testing

@Suite struct TimelineStayTests {
  @Test(arguments: TimelineScript.Sensors.allCases)
  func stayTripStayComesOutToTheSecond(sensors: TimelineScript.Sensors) {
    let day = TimelineScript(sensors).rest(1200).walk(600).rest(900)
    #expect(day.story() == "stay 0 1200, trip 1200 1800, stay 1800 2700")
  }

  @Test func aStayIsWhereTheLocationsAre() throws {
    let day = TimelineScript().with(\.noise, 6).with(\.position, [700, -300]).rest(2000)
    let stay = try #require(day.items().stays.first)
    let place = try #require(stay.location)
    // 2,000 independent errors of 6 m per axis: the mean's deviation is 0.134 m, four times that.
    #expect(abs((place.latitude - 48) * TimelineScript.metresPerDegree.north + 300) < 0.54)
    #expect(abs((place.longitude - 11) * TimelineScript.metresPerDegree.east - 700) < 0.54)
    // 6 m · √(−2 ln 0.32) = 9.06 m, larger than the claimed 8 m; its deviation is 1.1 %.
    #expect(abs(place.radius68 - 9.06) < 0.4)
  }

  @Test func aStayClaimsNoSmallerRadiusThanItsLocations() throws {
    let day = TimelineScript().with(\.radius, 30).rest(600)
    let place = try #require(day.items().stays.first?.location)
    #expect(abs(place.radius68 - 30) < 1e-9)
  }

  @Test func betterLocationsWeighMore() throws {
    let day = TimelineScript().with(\.radius, 10).rest(400).with(\.position, [20, 0])
      .with(\.radius, 20).rest(400)
    let place = try #require(day.items().stays.first?.location)
    // Weights 1/100 and 1/400: the mean lies at a fifth of the way. A minute has a fix of its own
    // only where the position changes.
    #expect(abs((place.longitude - 11) * TimelineScript.metresPerDegree.east - 4) < 1)
  }

  @Test func withoutLocationAStayHasNoPlace() throws {
    let day = TimelineScript(.accelerometer).rest(600)
    let stay = try #require(day.items().stays.first)
    #expect(stay.location == nil)
  }

  @Test(arguments: [30, 120, 290])
  func aStopInTrafficIsNoStay(stop: Int) throws {
    let day = TimelineScript().drive(600).rest(stop).drive(600)
    #expect(day.story() == "trip 0 \(1200 + stop)")
    let trip = try #require(day.items().trips.first)
    #expect(trip.legs.map(\.activity) == [.automotive])
    #expect(abs((trip.distance ?? 0) - 14_400) < 24)
  }

  @Test(arguments: [
    (300, Activity.stationary, "trip 0 600, stay 600 900, trip 900 1500"),
    // A jam, and half an hour.
    (900, .automotive, "trip 0 2100"),
    (1_800, .automotive, "trip 0 600, stay 600 2400, trip 2400 3000"),
  ])
  func aRestOnTheWayIsAStayWhenItIsLong(seconds: Int, activity: Activity, story: String) {
    let day = TimelineScript().drive(600).rest(seconds, activity: activity).drive(600)
    #expect(day.story() == story)
  }

  @Test func aFalseJumpOfSixtyMetresDoesNotSplitAStay() throws {
    var day = TimelineScript().with(\.noise, 3).drive(600).rest(1800)
    for _ in 0..<3 {
      // The location wanders off in 25 s, rests there, and wanders back.
      day = day.move(25, speed: 2.4, nil).rest(60).move(25, speed: 2.4, nil, course: [-1, 0])
        .rest(900)
    }
    day = day.drive(600)
    #expect(day.story() == "trip 0 600, stay 600 5430, trip 5430 6030")
  }

  @Test func aFalseJumpBeyondNearIsPassedOver() {
    let day = TimelineScript().rest(1800).move(30, speed: 4, nil).rest(40)
      .move(30, speed: 4, nil, course: [-1, 0]).rest(1800)
    #expect(day.story() == "stay 0 3700")
  }

  @Test func aWalkAroundTheBlockSplitsAStay() {
    let day = TimelineScript().rest(7200)
      .walk(140)  // 196 m out: beyond far, though short and back at the same place
      .walk(140, course: [-1, 0]).rest(7200)
    #expect(day.story() == "stay 0 7200, trip 7200 7480, stay 7480 14680")
  }

  @Test func aNearAbsenceBelowItsShareOfBothIsBridged() {
    let day = TimelineScript().rest(2000).walk(90).walk(90, course: [-1, 0]).walk(90)
      .walk(90, course: [-1, 0]).rest(2000)
    #expect(day.story() == "stay 0 4360")  // 360 s < 15 % of 4,000 s, never beyond 126 m
  }

  @Test func aNearAbsenceAboveItsShareOfBothSplits() {
    let day = TimelineScript().rest(1000).walk(90).walk(90, course: [-1, 0]).walk(90)
      .walk(90, course: [-1, 0]).rest(1000)
    #expect(day.story() == "stay 0 1000, trip 1000 1360, stay 1360 2360")
  }

  @Test(arguments: TimelineScript.Sensors.allCases)
  func aHaltSoonAfterLeavingDoesNotProlongTheStay(sensors: TimelineScript.Sensors) {
    let day = TimelineScript(sensors).rest(3600).walk(40)  // 56 m: still near
      .rest(30).walk(600)
    #expect(day.story() == "stay 0 3600, trip 3600 4270")
  }

  @Test func placesNextDoorAreTwoStays() {
    let day = TimelineScript().rest(7200).walk(62)  // 87 m
      .rest(3600)
    #expect(day.story() == "stay 0 7200, trip 7200 7262, stay 7262 10862")
  }

  @Test func poorLocationsAreNotFar() {
    let day = TimelineScript(.location).rest(3600, every: 60).with(\.radius, 120)
      .with(\.position, [230, 0])  // within 150 m and the radii of both
      .rest(60, every: 60).with(\.radius, 8).with(\.position, .zero).rest(3600, every: 60)
    #expect(day.story() == "stay 0 7201")
  }

  @Test func stepsThroughTheHouseDoNotSplitAStayWithoutLocation() {
    #expect(TimelineScript(.accelerometer).rest(900).walk(60).rest(900).story() == "stay 0 1860")
  }

  @Test func aShortRideSplitsAStayWithoutLocation() {
    let day = TimelineScript(.accelerometer).rest(900).drive(120).rest(900)
    #expect(day.story() == "stay 0 900, trip 900 1020, stay 1020 1920")
  }

  @Test func stopAndGoDoesNotAddUpToAStay() {
    var day = TimelineScript(.location)
    for _ in 0..<20 {
      day = day.rest(25).move(40, speed: 6, nil)
    }
    #expect(day.story() == "trip 0 1300")
  }

  @Test func aRestAtTheEdgeOfTheDataIsAStayAfterAMinute() {
    #expect(TimelineScript().rest(70).drive(600).rest(50).story() == "stay 0 70, trip 70 720")
  }

  @Test func briefMotionAtTheEdgeOfTheDataJoinsTheStay() {
    #expect(TimelineScript().walk(40).rest(900).walk(30).story() == "stay 0 970")
  }

  @Test func nothingButRestIsAStayHoweverShort() {
    #expect(TimelineScript(.accelerometer).rest(12).story() == "stay 0 12")
  }

  @Test func aStayAcrossTheAntimeridianHasItsCentreThere() throws {
    let day = TimelineScript().with(\.origin, (0, 180)).with(\.noise, 20).rest(4000)
    let place = try #require(day.items().stays.first?.location)
    #expect(place.longitude >= -180 && place.longitude < 180)
    // 20 m / √4000 = 0.32 m; four times that in degrees at the equator.
    let limit = 1.3 / 111_319
    #expect(180 - abs(place.longitude) < limit)
  }

  @Test func settingsDecide() {
    var settings = TimelineBuilder.Settings()
    settings.shortestStay = 180
    let day = TimelineScript().drive(600).rest(240).drive(600)
    #expect(day.story() == "trip 0 1440")
    #expect(day.story(settings) == "trip 0 600, stay 600 840, trip 840 1440")
  }
}
