internal import LocomotionSensing

extension Scenario {
  /// The recorded part of a person's day, about 80 minutes: from home to work and back.
  ///
  /// A person has a home, a way to work, a pace and usual hours; some days differ. `person` and
  /// `day` count from 0, `day` from Monday, 11 May 2026 (UTC). All of it is fictitious.
  public static func shortDay(person: Int, day: Int, phone: SimulatedPhone) -> Scenario {
    // Digits of π·10⁹ and e·10⁹, so that neighbours have nothing in common.
    let habit = UInt64(person + 1) &* 3_141_592_653
    let chance = habit &+ UInt64(day + 1) &* 2_718_281_828
    /// A number from 0 to 1 that depends on the person, or on the day as well.
    func number(_ seed: UInt64, _ place: UInt64) -> Double {
      var bits = seed ^ (place &* 0x9E37_79B9_7F4A_7C15)
      bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
      bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
      return Double((bits ^ (bits >> 31)) >> 11) / Double(1 << 53)
    }
    let heading = 360 * number(habit, 1)
    let cadence = 98 + 24 * number(habit, 2)
    let speed = 1.1 + 0.5 * number(habit, 3)
    let seconds = 86_400 * day + 25_200 + Int(5_400 * number(habit, 4) + 900 * number(chance, 5))
    let start = Timestamp(
      nanoseconds: 1_778_457_600_000_000_000 + Int64(seconds) * 1_000_000_000)
    let home = Scenario(
      seed: chance, start: start, latitude: 48.1 + 0.1 * number(habit, 6),
      longitude: 11.5 + 0.15 * number(habit, 7), phone: phone
    )
    .mark("home")
    .rest(.minutes(14 + 4 * number(chance, 8)), handlingsPerHour: 6)
    .walk(
      .minutes(4 + 4 * number(habit, 9)), cadence: cadence, speed: speed, heading: heading,
      sky: .urban
    )
    .mark("stop")
    // One day in five by another way.
    let mode = Int(5 * number(number(chance, 10) < 0.2 ? chance : habit, 11))
    let minutes = Duration.minutes(6 + 6 * number(habit, 12))
    func travel(_ scenario: Scenario, to place: String?) -> Scenario {
      switch mode {
      case 0: scenario.walk(minutes, cadence: cadence, speed: speed, heading: heading, to: place)
      case 1: scenario.ride(minutes, speed: 5, heading: heading, to: place)
      case 2: scenario.drive(minutes, speed: 11, heading: heading, to: place)
      case 3: scenario.train(minutes, speed: 14, heading: heading, to: place)
      default: scenario.run(minutes, heading: heading, to: place)
      }
    }
    return travel(
      travel(home, to: nil).mark("work")
        .rest(.minutes(18 + 6 * number(chance, 13)), handlingsPerHour: 8), to: "stop"
    )
    .walk(
      .minutes(4 + 4 * number(habit, 9)), cadence: cadence, speed: speed, to: "home", sky: .urban
    )
    .rest(.minutes(12 + 4 * number(chance, 14)))
  }
}
