public import LocomotionSensing

extension Scenario {
  /// A whole working day of one person, 24 hours from midnight to midnight.
  ///
  /// Asleep at home, on foot to the tram, two stops, on foot to the office; a lunch walk; a drive
  /// with red lights and a tunnel; home, a run, a bicycle ride to friends and back, and to bed. All
  /// of it is fictitious, in a fictitious part of a city.
  public static func demoDay(
    seed: UInt64, start: Timestamp = Timestamp(nanoseconds: 1_778_544_000_000_000_000),
    phone: SimulatedPhone? = nil
  ) -> Scenario {
    var recorder = phone ?? SimulatedPhone()
    if phone == nil { recorder.restFixInterval = 5 }
    let morning = Scenario(
      seed: seed, start: start, latitude: 48.137, longitude: 11.575, phone: recorder
    )
    .mark("home")
    .rest(.minutes(415))
    .rest(.minutes(40), handlingsPerHour: 12)
    .walk(.minutes(8), cadence: 112, speed: 1.45, heading: 75, sky: .urban).mark("tram stop")
    .stand(.minutes(3), sky: .urban)
    .train(.seconds(100), speed: 10, heading: 40)
    .stop(.seconds(25))
    .train(.seconds(140), speed: 12, heading: 45)
    .stop(.seconds(25))
    .train(.seconds(120), speed: 11, heading: 35).mark("city stop")
    .walk(.minutes(6), cadence: 116, speed: 1.5, heading: 120, sky: .urban).mark("office")
    .rest(.minutes(185), handlingsPerHour: 5)
    .jump(70, bearing: 200, after: .minutes(95), lasting: .seconds(75))

    let noon =
      morning
      .walk(.minutes(9), cadence: 104, speed: 1.25, heading: 200, carrying: .bag, sky: .urban)
      .rest(.minutes(35), carrying: .pocket, handlingsPerHour: 8)
      .walk(.minutes(9), cadence: 106, speed: 1.3, to: "office", carrying: .bag, sky: .urban)
      .rest(.minutes(205), handlingsPerHour: 5)

    // By a friend's car to a shop beyond the tunnel, and home.
    let drive =
      noon
      .walk(.minutes(2), cadence: 110, speed: 1.4, heading: 300, sky: .urban)
      .stop(.seconds(30))
      .drive(.seconds(150), speed: 11, heading: 340)
      .stop(.seconds(35))
      .drive(.seconds(170), speed: 13, heading: 350)
      .stop(.seconds(50))
      .drive(.seconds(200), speed: 19, heading: 10, turning: .minutes(3), sky: .open)
      .tunnel(.seconds(75), speed: 19, heading: 15)
      .drive(.minutes(5), speed: 21, heading: 20, turning: .minutes(3), sky: .open)
      .stop(.seconds(40))
      .drive(.seconds(120), speed: 10, heading: 60)
      .walk(.minutes(2), cadence: 100, speed: 1.2, heading: 90, sky: .urban)
      .rest(.minutes(24), carrying: .pocket, handlingsPerHour: 10)
      .walk(.minutes(2), cadence: 100, speed: 1.2, heading: 270, sky: .urban)
      .drive(.minutes(7), speed: 15, heading: 215, sky: .open)
      .stop(.seconds(55))
      .drive(.minutes(14), speed: 13, to: "tram stop")
      .walk(.minutes(8), cadence: 110, speed: 1.4, to: "home", sky: .urban)

    let evening =
      drive
      .rest(.minutes(45), handlingsPerHour: 8)
      .walk(.minutes(2), cadence: 110, speed: 1.4, heading: 10, sky: .urban).mark("park")
      .run(.minutes(16), cadence: 166, speed: 2.9, heading: 350)
      .run(.minutes(16), cadence: 162, speed: 2.8, to: "park")
      .walk(.minutes(3), cadence: 104, speed: 1.3, to: "home", sky: .urban)
      .rest(.minutes(40), handlingsPerHour: 6)
      .ride(.minutes(12), pedalling: 66, speed: 5, heading: 160)
      .stop(.seconds(45))
      .ride(.minutes(5), pedalling: 62, speed: 4.6, heading: 130, sky: .urban)
      .rest(.minutes(75), carrying: .pocket, handlingsPerHour: 4)
      .ride(.minutes(16), pedalling: 68, speed: 5.2, to: "home", sky: .urban)
      .rest(.minutes(20), handlingsPerHour: 8)
    let planned = evening.legs.reduce(0) { $0 + $1.duration }
    return evening.rest(.seconds(max(60, 86_400 - planned)))
  }
}
