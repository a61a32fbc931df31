import Locomotion
import TestSupport
import Testing

@Suite struct TimelineStayTests {
  @Test(arguments: TimelineScript.Sensors.allCases)
  func stayTripStayComesOutToTheSecond(sensors: TimelineScript.Sensors) {
    let day = TimelineScript(sensors).rest(1200).walk(600).rest(900)
    #expect(day.story() == "stay 0 1200, trip 1200 1800, stay 1800 2700")
    // A halt soon after leaving, 56 m away and still near, does not prolong the stay.
    let halting = TimelineScript(sensors).rest(3600).walk(40).rest(30).walk(600)
    #expect(halting.story() == "stay 0 3600, trip 3600 4270")
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

  /// A day and its story.
  private static let stories: [(day: TimelineScript, story: String)] = [
    // A false jump beyond near is passed over.
    (
      TimelineScript().rest(1800).move(30, speed: 4, nil).rest(40)
        .move(30, speed: 4, nil, course: [-1, 0]).rest(1800), "stay 0 3700"
    ),
    // A walk around the block splits a stay: 196 m out, beyond far, though short and back again.
    (
      TimelineScript().rest(7200).walk(140).walk(140, course: [-1, 0]).rest(7200),
      "stay 0 7200, trip 7200 7480, stay 7480 14680"
    ),
    // A near absence is bridged below its share of both, 360 s < 15 % of 4,000 s, within 126 m.
    (
      TimelineScript().rest(2000).walk(90).walk(90, course: [-1, 0]).walk(90)
        .walk(90, course: [-1, 0]).rest(2000), "stay 0 4360"
    ),
    // Above it, it splits the stay.
    (
      TimelineScript().rest(1000).walk(90).walk(90, course: [-1, 0]).walk(90)
        .walk(90, course: [-1, 0]).rest(1000), "stay 0 1000, trip 1000 1360, stay 1360 2360"
    ),
    // Places next door, 87 m apart, are two stays.
    (
      TimelineScript().rest(7200).walk(62).rest(3600),
      "stay 0 7200, trip 7200 7262, stay 7262 10862"
    ),
    // Poor locations are not far: within 150 m and the radii of both.
    (
      TimelineScript(.location).rest(3600, every: 60).with(\.radius, 120)
        .with(\.position, [230, 0]).rest(60, every: 60).with(\.radius, 8).with(\.position, .zero)
        .rest(3600, every: 60), "stay 0 7201"
    ),
    // Without a location steps through the house don't split a stay, and a short ride does.
    (TimelineScript(.accelerometer).rest(900).walk(60).rest(900), "stay 0 1860"),
    (
      TimelineScript(.accelerometer).rest(900).drive(120).rest(900),
      "stay 0 900, trip 900 1020, stay 1020 1920"
    ),
    // At the edge of the data a rest is a stay after a minute, and brief motion joins the stay.
    (TimelineScript().rest(70).drive(600).rest(50), "stay 0 70, trip 70 720"),
    (TimelineScript().walk(40).rest(900).walk(30), "stay 0 970"),
    // A rest on the way is a stay from five minutes on; a jam, only when it lasts half an hour.
    (TimelineScript().drive(600).rest(300).drive(600), "trip 0 600, stay 600 900, trip 900 1500"),
    (TimelineScript().drive(600).rest(900, activity: .automotive).drive(600), "trip 0 2100"),
    (
      TimelineScript().drive(600).rest(1_800, activity: .automotive).drive(600),
      "trip 0 600, stay 600 2400, trip 2400 3000"
    ),
    // Nothing but rest is a stay, however short.
    (TimelineScript(.accelerometer).rest(12), "stay 0 12"),
  ]

  @Test(arguments: stories.indices) func everyDayHasItsStory(index: Int) {
    #expect(Self.stories[index].day.story() == Self.stories[index].story)
  }

  @Test func stopAndGoDoesNotAddUpToAStay() {
    var day = TimelineScript(.location)
    for _ in 0..<20 {
      day = day.rest(25).move(40, speed: 6, nil)
    }
    #expect(day.story() == "trip 0 1300")
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

@Suite struct TimelineTripTests {
  @Test func legsFollowTheModes() throws {
    let trip = try #require(TimelineScript().walk(300).drive(900).walk(200).items().trips.first)
    #expect(trip.legs.map(\.activity) == [.walking, .automotive, .walking])
    #expect(trip.legs.map { Int($0.start.seconds) } == [0, 300, 1200])
    #expect(trip.legs.map { Int($0.end.seconds) } == [300, 1200, 1400])
    #expect(trip.dominantActivity == .automotive)
    // Each leg's way is known to a step at either end: 8 m on foot, one second of the drive.
    for (leg, expected) in zip(trip.legs, [420.0, 10_800, 280]) {
      #expect(abs((leg.distance ?? 0) - expected) < 20)
    }
    #expect(abs(trip.legs[0].steps - 540) < 0.01)
    #expect(trip.legs[1].steps == 0)
  }

  @Test func aShortFlickerOfTheModeIsMerged() throws {
    let day = TimelineScript().drive(600).move(50, speed: 12, .train).drive(600)
    let trip = try #require(day.items().trips.first)
    #expect(trip.legs.map(\.activity) == [.automotive])
  }

  /// The same mode on both sides swallows twice the cost of a change.
  @Test(arguments: [
    (59, Activity.automotive, 1), (61, .automotive, 3), (29, .train, 2), (31, .train, 3),
  ])
  func aWalkOnTheWayIsALegAboveItsCost(length: Int, next: Activity, legs: Int) throws {
    let day = TimelineScript().drive(600).walk(length).move(600, speed: 12, next)
    let trip = try #require(day.items().trips.first)
    #expect(trip.legs.count == legs)
  }

  @Test func waitingBelongsToTheLegBeforeIt() throws {
    let trip = try #require(TimelineScript().walk(300).rest(200).drive(600).items().trips.first)
    #expect(trip.legs.map { Int($0.end.seconds) } == [500, 1100])
  }

  @Test func secondsOfDoubtDoNotDelayAChangeOfMode() throws {
    var day = TimelineScript()
    for _ in 0..<50 {
      day = day.move(11, speed: 20, .train).move(1, speed: 20, nil)
    }
    for _ in 0..<25 {
      day = day.walk(11).move(1, speed: 1.4, nil)
    }
    let trip = try #require(day.items().trips.first)
    #expect(trip.legs.map(\.activity) == [.train, .walking])
    #expect(Int(trip.legs[0].end.seconds) == 600)
  }

  @Test func withoutActivitiesTheModeIsUnknown() throws {
    let trip = try #require(TimelineScript(.location).drive(600).items().trips.first)
    #expect(trip.legs.count == 1)
    #expect(trip.dominantActivity == nil)
    #expect(trip.distance != nil)
  }

  @Test func withoutLocationTheDistanceIsUnknown() throws {
    let trip = try #require(TimelineScript(.accelerometer).walk(600).items().trips.first)
    #expect(trip.distance == nil)
    #expect(trip.dominantActivity == .walking)
    #expect(abs(trip.steps - 1080) < 0.05)
  }

  @Test func creepingBetweenDrivesIsAJam() throws {
    var day = TimelineScript().drive(600)
    for _ in 0..<20 {
      day = day.move(20, speed: 1.2, .walking).rest(40, activity: .walking)
    }
    day = day.drive(600)
    #expect(day.items().trips.map { $0.legs.map(\.activity) } == [[.automotive]])
    // Who walks there makes steps, and who walks about comes back.
    let walk = TimelineScript().drive(600).walk(1_200).drive(600)
    #expect(try #require(walk.items().trips.first).legs.count == 3)
    let round = TimelineScript().drive(600).move(600, speed: 0.8, .walking)
      .move(600, speed: 0.8, .walking, course: [-1, 0]).drive(600)
    #expect(try #require(round.items().trips.first).legs.count == 3)
  }

  @Test func jitterAtRestAddsNoWay() throws {
    let day = TimelineScript().with(\.noise, 3).drive(300).rest(250).drive(300)
    let trip = try #require(day.items().trips.first)
    // 600 s at 12 m/s; 3 m of independent error per axis lengthen each 12 m step, so that the
    // bound is the drive's own noise: E|step| < √(12² + 4·3²) = 13.4 m. Counting the rest's
    // jitter (5.3 m per second) would add 1,300 m.
    let way = try #require(trip.distance)
    #expect(way > 7100)
    #expect(way < 600 * 13.5)
  }

  @Test func aSlowWalkIsMeasuredThroughJitterOfItsRadius() throws {
    let day = TimelineScript().with(\.noise, 1).with(\.radius, 15).walk(3000)
    let way = try #require(day.items().trips.first?.distance)
    // Steps of 15 m with 1 m of error at either end: + (2·1² / 2) / 15² = 0.4 %, and a remainder.
    let bound = 0.008 * 4200 + 15
    #expect(abs(way - 4200) < bound)
  }

  @Test func aTunnelIsMeasuredStraightAndSharedByUsualSpeed() throws {
    var day = TimelineScript().walk(300)
    let entrance = day.samples.count
    day = day.move(600, speed: 18, .train).walk(100)
    var builder = TimelineBuilder()
    for (index, sample) in day.samples.enumerated() {
      var sample = sample
      // Location is gone in the train and for the first 50 s on foot after it.
      if (entrance..<entrance + 650).contains(index) {
        (sample.location, sample.rawLocation) = (nil, nil)
      }
      builder.append(sample)
    }
    let trip = try #require(builder.items().trips.first)
    #expect(trip.legs.map(\.activity) == [.walking, .train, .walking])
    let whole = 400 * 1.4 + 600 * 18
    // A little more than the chord, as of any way that nobody saw.
    #expect(abs((trip.distance ?? 0) - whole) < 120)
    // The way in the dark, 10,870 m, divides as 600·18 to 51·1.4 (unit: metres).
    #expect(abs((trip.legs[1].distance ?? 0) - 10_800) < 210)
  }

  /// At home, then without reception, then elsewhere.
  private static func underground(
    seconds: Int, metres: Double, activity: Activity? = .stationary
  ) -> TimelineScript {
    TimelineScript().rest(1800).withoutReception { $0.rest(seconds, activity: activity) }
      .leap([metres, 0]).rest(1800)
  }

  /// As smooth as rest, so that only the places tell of it.
  @Test(arguments: [2000.0, 4000, 6000])
  func aRideWithoutReceptionIsATripByTrain(metres: Double) throws {
    let items = Self.underground(seconds: 600, metres: metres).items()
    #expect(items.stays.count == 2 && items.count == 3)
    let trip = try #require(items.trips.first)
    #expect(trip.start >= Timestamp.at(1740) && trip.end <= Timestamp.at(2460))
    #expect(trip.legs.map(\.activity) == [.train])
    #expect(abs((trip.distance ?? 0) - metres) < 0.02 * metres)
    // The stays are where they were observed.
    for stay in items.stays { #expect((stay.location?.radius68 ?? 999) < 10) }
  }

  @Test func aVehicleThatIsRecognisedIsTheModeOfARideWithoutReception() throws {
    let day = Self.underground(seconds: 600, metres: 4000, activity: .automotive)
    #expect(day.story() == "stay 0 1800, trip 1800 2400, stay 2400 4200")
    #expect(day.items().trips.first?.legs.map(\.activity) == [.automotive])
  }

  @Test func aSlowMotionWithoutReceptionHasNoMode() throws {
    let day = Self.underground(seconds: 900, metres: 900)
    #expect(day.items().trips.first?.legs.map(\.activity) == [nil])
  }

  @Test func restWithoutReceptionStaysRest() {
    #expect(Self.underground(seconds: 900, metres: 20).story() == "stay 0 4500")
    #expect(Self.underground(seconds: 40, metres: 20).story() == "stay 0 3640")
  }

  @Test func sparseLocationsGiveTheSameStory() throws {
    let day = TimelineScript(.location).rest(3600, every: 60).move(900, speed: 10, nil, every: 10)
      .rest(3600, every: 120)
    let items = day.items()
    #expect(items.count == 3)
    let trip = try #require(items.trips.first)
    #expect(abs(trip.start.seconds - 3600) < 15 && abs(trip.end.seconds - 4500) < 15)
    #expect(abs((trip.distance ?? 0) - 9000) < 101)
  }

  /// Five kilometres in a silence of nine minutes: the recorder says no more than that.
  @Test func aWayInSilenceIsATripOfTheStraightDistance() throws {
    let day = TimelineScript(.location).rest(1800, every: 60).silence(480)
      .with(\.position, [3000, 4000]).rest(1800, every: 60)
    let items = day.items()
    #expect(items.count == 3)
    let trip = try #require(items.trips.first)
    #expect(trip.start.seconds >= 1730 && trip.end.seconds <= 2300)
    // The straight line, and at most an eighth more for what ways have of turns.
    #expect(try #require(trip.distance) >= 4_999 && trip.distance ?? 0 < 5_600)
    let stay = try #require(items.stays.first)
    #expect(try #require(stay.endDeviation) > 10)
    #expect(stay.startDeviation == nil)
  }

  @Test func aSilenceOfARideIsPartOfIt() throws {
    let day = TimelineScript().drive(600).silence(1200).leap([20_000, 0]).drive(600)
    let items = day.items()
    #expect(TimelineScript.story(items) == "trip 0 2400")
    #expect(abs((items.trips.first?.distance ?? 0) - 34_400) < 350)
  }

  /// Whoever is where they were has not moved, however long nobody looked.
  @Test(arguments: [901, 7_200, 40_000])
  func silenceAtRestIsPartOfTheStay(length: Int) throws {
    let day = TimelineScript().rest(600).silence(length).rest(600)
    #expect(day.story() == "stay 0 \(1_200 + length)")
    #expect(day.items().stays.first?.observedSeconds == 1_200)
  }

  @Test(arguments: [(900, "stay 0 2100"), (901, "stay 0 600, gap 600 1501, stay 1501 2101")])
  func silenceWithoutALocationIsAGapAboveItsLimit(length: Int, story: String) {
    #expect(TimelineScript(.accelerometer).rest(600).silence(length).rest(600).story() == story)
  }

  /// From one place to another in a silence of hours: in between there was a stay somewhere.
  @Test func aRestIsInferredInASilenceThatIsTooLongForTheWay() throws {
    let day = TimelineScript(.location).move(900, speed: 12, nil, every: 10).silence(14_400)
      .leap([6_000, 0]).move(900, speed: 12, nil, every: 10)
    let items = day.items()
    #expect(items.count == 3)
    let stay = try #require(items.stays.first)
    #expect(stay.observedSeconds == 0)
    #expect(stay.end.seconds(since: stay.start) > 12_000)
  }

  @Test func tripsTellWhatWasClimbedAndDescended() throws {
    let day = TimelineScript().with(\.altitude, 500)
      // The weather of a night is no climb.
      .with(\.climbRate, 0.01).rest(3_600).with(\.climbRate, 0.2).walk(600).with(\.climbRate, -0.1)
      .walk(300).with(\.climbRate, 0).rest(900)
    let trips = day.items().trips
    let change = try #require(trips.first?.altitudeChange)
    #expect(trips.count == 1)
    #expect(abs(change.climb - 120) < 3 && abs(change.descent - 30) < 3)
    #expect(change.climbDeviation > 3 && change.climbDeviation < 6)
    let (highest, lowest) = (try #require(change.highest), try #require(change.lowest))
    #expect(abs(highest.altitude - lowest.altitude - change.climb) < 3)
    #expect(abs(highest.altitude - 656) < 2 && highest.deviation == 5)
    let legs = try #require(trips.first?.legs)
    #expect(abs(legs.compactMap { $0.altitudeChange?.climb }.reduce(0, +) - change.climb) < 1e-3)
    let without = TimelineScript().rest(600).walk(600).rest(600)
    for case .trip(let trip) in without.items() { #expect(trip.altitudeChange == nil) }
  }

  @Test func samplesThatKnowNothingAreSilence() {
    let day = TimelineScript().know(nothing: 1000).rest(600).know(nothing: 100).drive(300)
      .know(nothing: 1000)
    // When the ride began within the silence is inferred.
    let items = day.items()
    #expect(items.count == 4)
    let starts = items.map { $0.start.seconds }
    #expect(zip(starts, [0, 1000, 1700, 2000]).allSatisfy { abs($0 - $1) < 20 })
  }

  @Test func theDominantActivityIsByDistanceOrElseByTime() {
    func leg(_ start: Int, _ end: Int, _ activity: Activity?, _ distance: Double?) -> Trip.Leg {
      Trip.Leg(start: .at(start), end: .at(end), activity: activity, distance: distance, steps: 0)
    }
    let near = leg(0, 900, .walking, 1200)
    #expect(Trip(legs: [near, leg(900, 1200, .train, 6000)]).dominantActivity == .train)
    #expect(Trip(legs: [near, leg(900, 1200, .train, nil)]).dominantActivity == .walking)
    #expect(Trip(legs: [near, leg(900, 1200, .train, nil)]).distance == 1200)
    #expect(Trip(legs: [leg(0, 60, nil, nil)]).dominantActivity == nil)
  }
}
