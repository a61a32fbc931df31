public import LocomotionSensing

/// A person's day with a phone, defined leg by leg.
///
/// ```swift
/// let recording = Scenario(seed: 7, latitude: 48.1, longitude: 11.6)
///   .rest(.minutes(10))
///   .walk(.minutes(5), cadence: 108, speed: 1.4, heading: 70)
///   .drive(.minutes(12), speed: 14, heading: 110)
///   .stop(.seconds(40))
///   .recording()
/// ```
///
/// Every leg starts and ends at rest, except that walking and running, or driving and tunnels,
/// follow each other without a halt. A heading is the direction from the leg's first position to
/// its last one; between them people deviate and roads turn. Durations are rounded to whole
/// seconds. The same scenario with the same seed gives the same bytes.
public struct Scenario: Sendable {
  /// The seed of everything that is random.
  public var seed: UInt64
  /// The first instant.
  public var start: Timestamp
  /// The first position, degrees on WGS 84.
  public var latitude: Double, longitude: Double
  /// The phone that records.
  public var phone: SimulatedPhone

  private(set) var legs: [Leg] = []

  /// A scenario without legs.
  ///
  /// - Parameters:
  ///   - seed: The seed of everything that is random.
  ///   - start: The first instant.
  ///   - latitude: The first latitude, degrees.
  ///   - longitude: The first longitude, degrees.
  ///   - phone: The phone that records.
  public init(
    seed: UInt64, start: Timestamp = Timestamp(nanoseconds: 1_780_000_000_000_000_000),
    latitude: Double = 48.1, longitude: Double = 11.6, phone: SimulatedPhone = SimulatedPhone()
  ) {
    self.seed = seed
    self.start = start
    self.latitude = latitude
    self.longitude = longitude
    self.phone = phone
  }

  /// Adds a stay in one place; now and then the phone is taken in the hand for 10 to 40 seconds.
  public func rest(
    _ duration: Duration, carrying: Carrying = .table, sky: SkyView = .indoor,
    handlingsPerHour: Double = 0
  ) -> Scenario {
    adding(
      Leg(
        motion: .still, activity: .stationary, duration: duration.wholeSeconds, carrying: carrying,
        sky: sky, handlingsPerHour: handlingsPerHour))
  }

  /// Adds standing still, with the sway of a standing person.
  public func stand(
    _ duration: Duration, carrying: Carrying = .hand, sky: SkyView = .open
  ) -> Scenario {
    rest(duration, carrying: carrying, sky: sky)
  }

  /// Adds a walk.
  ///
  /// - Parameters:
  ///   - duration: The duration of the leg.
  ///   - cadence: Steps per minute, both feet.
  ///   - speed: Metres per second.
  ///   - heading: Degrees clockwise from north, first position to last; ignored with a destination.
  ///   - destination: A place that ``mark(_:)`` has named; the speed is adapted to end there.
  ///   - carrying: The position of the phone on the person.
  ///   - sky: The location service's view of the sky.
  /// - Returns: The scenario with one more leg.
  public func walk(
    _ duration: Duration, cadence: Double = 108, speed: Double = 1.4, heading: Double = 0,
    to destination: String? = nil, carrying: Carrying = .pocket, sky: SkyView = .open
  ) -> Scenario {
    adding(
      Leg(
        motion: .walk, activity: .walking, duration: duration.wholeSeconds, speed: speed,
        cadence: cadence, heading: heading, destination: destination, carrying: carrying, sky: sky,
        acceleration: 1, turnInterval: 90))
  }

  /// Adds a run; the parameters are those of ``walk(_:cadence:speed:heading:to:carrying:sky:)``.
  public func run(
    _ duration: Duration, cadence: Double = 164, speed: Double = 2.9, heading: Double = 0,
    to destination: String? = nil, carrying: Carrying = .pocket, sky: SkyView = .open
  ) -> Scenario {
    adding(
      Leg(
        motion: .run, activity: .running, duration: duration.wholeSeconds, speed: speed,
        cadence: cadence, heading: heading, destination: destination, carrying: carrying, sky: sky,
        acceleration: 1.5, turnInterval: 120))
  }

  /// Adds a bicycle ride; `pedalling` is in turns of the crank per minute.
  public func ride(
    _ duration: Duration, pedalling: Double = 65, speed: Double = 5, heading: Double = 0,
    to destination: String? = nil, carrying: Carrying = .pocket, sky: SkyView = .open
  ) -> Scenario {
    adding(
      Leg(
        motion: .bicycle, activity: .cycling, duration: duration.wholeSeconds, speed: speed,
        cadence: pedalling, heading: heading, destination: destination, carrying: carrying,
        sky: sky, acceleration: 0.8, turnInterval: 60))
  }

  /// Adds a drive on a road; `turning` is the mean time between turns, nil for a straight road.
  public func drive(
    _ duration: Duration, speed: Double = 14, heading: Double = 0, to destination: String? = nil,
    turning: Duration? = .seconds(60), carrying: Carrying = .mount, sky: SkyView = .urban
  ) -> Scenario {
    adding(
      Leg(
        motion: .road, activity: .automotive, duration: duration.wholeSeconds, speed: speed,
        heading: heading, destination: destination, carrying: carrying, sky: sky, acceleration: 1.8,
        turnInterval: turning?.inSeconds))
  }

  /// Adds a road through a tunnel: a straight drive without fixes.
  public func tunnel(
    _ duration: Duration, speed: Double = 14, heading: Double = 0, carrying: Carrying = .mount
  ) -> Scenario {
    drive(
      duration, speed: speed, heading: heading, turning: nil, carrying: carrying, sky: .tunnel)
  }

  /// Adds a ride on rails from one station to the next.
  public func train(
    _ duration: Duration, speed: Double = 20, heading: Double = 0, to destination: String? = nil,
    carrying: Carrying = .pocket, sky: SkyView = .urban
  ) -> Scenario {
    adding(
      Leg(
        motion: .rail, activity: .train, duration: duration.wholeSeconds, speed: speed,
        heading: heading, destination: destination, carrying: carrying, sky: sky, acceleration: 0.7,
        turnInterval: 90))
  }

  /// Adds a halt: in the vehicle of the leg before, or standing when there was none.
  ///
  /// A halt in a vehicle keeps the vehicle's activity; on foot or by bicycle it is stationary.
  public func stop(_ duration: Duration, carrying: Carrying? = nil) -> Scenario {
    guard var leg = legs.last else { return stand(duration) }
    if !leg.motion.isVehicle {
      leg.motion = .still
      leg.activity = .stationary
    }
    leg.duration = duration.wholeSeconds
    leg.speed = 0
    leg.destination = nil
    leg.carrying = carrying ?? leg.carrying
    leg.sky = leg.sky == .tunnel ? .urban : leg.sky
    leg.handlingsPerHour = 0
    leg.displacements = []
    leg.placeAtEnd = nil
    return adding(leg)
  }

  /// Shifts the fixes of the newest leg to a wrong position for a time, and back.
  ///
  /// - Parameters:
  ///   - metres: The distance of the shift.
  ///   - bearing: The direction of the shift, degrees clockwise from north.
  ///   - after: The time of the shift, from the start of the leg.
  ///   - duration: The duration of the shift.
  /// - Returns: The scenario with the fixes of its newest leg shifted.
  public func jump(
    _ metres: Double = 60, bearing: Double = 90, after: Duration = .zero,
    lasting duration: Duration = .seconds(60)
  ) -> Scenario {
    precondition(!legs.isEmpty, "expected a leg before a jump")
    var result = self
    result.legs[result.legs.count - 1].displacements.append(
      Leg.Displacement(
        from: after.inSeconds, to: after.inSeconds + duration.inSeconds, metres: metres,
        bearing: bearing))
    return result
  }

  /// Names the place where the newest leg ends, or where the scenario starts.
  public func mark(_ place: String) -> Scenario {
    var result = self
    if result.legs.isEmpty {
      result.placeAtStart = place
    } else {
      result.legs[result.legs.count - 1].placeAtEnd = place
    }
    return result
  }

  /// Changes the accelerometer's rate, Hz, from the next leg on.
  public func sampling(rate: Double) -> Scenario {
    precondition(rate >= 1 && rate <= 1000, "expected a rate of 1 to 1000 Hz, got \(rate)")
    var result = self
    result.rateOfNextLegs = rate
    return result
  }

  /// Plans the movement and the steps; the sensors' events are generated on demand.
  public func recording() -> SimulatedRecording { SimulatedRecording(self) }

  private(set) var placeAtStart: String?
  private var rateOfNextLegs: Double?

  private func adding(_ leg: Leg) -> Scenario {
    var result = self
    var leg = leg
    leg.rate = rateOfNextLegs ?? phone.sampleRate
    result.legs.append(leg)
    return result
  }
}

/// A simulated person's activity; the raw values are the names of `LocomotionActivityRecognition`.
public enum SimulatedActivity: String, Sendable, Hashable, CaseIterable {
  /// Standing, sitting, lying, or a phone on a table.
  case stationary
  /// On foot.
  case walking
  /// Running.
  case running
  /// On a bicycle.
  case cycling
  /// In a road vehicle, halts included.
  case automotive
  /// In a rail vehicle, halts included.
  case train
}

extension Duration {
  /// A span of so many minutes.
  public static func minutes(_ minutes: Double) -> Duration { .seconds(60 * minutes) }

  /// A span of so many hours.
  public static func hours(_ hours: Double) -> Duration { .seconds(3600 * hours) }

  var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }

  /// The duration of a leg: whole seconds, at least 1.
  var wholeSeconds: Double { max(1, inSeconds.rounded()) }
}

/// One leg of a scenario.
struct Leg: Sendable {
  enum Motion: Sendable {
    case still, walk, run, bicycle, road, rail

    var isVehicle: Bool { self == .road || self == .rail }
    var isOnFoot: Bool { self == .walk || self == .run }
  }

  /// Fixes that are off by `metres` between two instants, seconds since the start of the leg.
  struct Displacement: Sendable {
    var from: Double, to: Double
    var metres: Double, bearing: Double
  }

  var motion: Motion
  var activity: SimulatedActivity
  /// Whole seconds, at least 1.
  var duration: Double
  var speed = 0.0
  /// Steps, or turns of the crank, per minute.
  var cadence = 0.0
  var heading = 0.0
  var destination: String?
  var carrying: Carrying
  var sky: SkyView
  /// The largest change of speed, m/s².
  var acceleration = 1.0
  var turnInterval: Double?
  var handlingsPerHour = 0.0
  var displacements: [Displacement] = []
  var placeAtEnd: String?
  var rate = 100.0

  /// Whether the next leg continues at this one's speed.
  func flows(into next: Leg) -> Bool {
    guard speed > 0, next.speed > 0 else { return false }
    return (motion.isOnFoot && next.motion.isOnFoot)
      || (motion.isVehicle && motion == next.motion)
  }
}
