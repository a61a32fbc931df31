import Locomotion
import TestSupport

/// Writes the samples of an invented day, second by second.
struct TimelineScript {
  /// What the phone had: it decides which values the samples carry.
  enum Sensors: CaseIterable { case location, accelerometer, both }

  let sensors: Sensors
  private(set) var samples: [LocomotionSample] = []
  private(set) var seconds = 0
  /// Metres east and north of the start.
  var position: SIMD2<Double> = .zero
  var radius = 8.0
  /// One standard deviation of the locations' error per axis, metres.
  var noise = 0.0
  /// Metres by the barometer, and by how much each second rises; nil without altitudes.
  var altitude: Double?
  var climbRate = 0.0
  var origin = (latitude: 48.0, longitude: 11.0)
  private var hasReception = true
  private var random: SplitMix64

  init(_ sensors: Sensors = .both, seed: UInt64 = 1) {
    self.sensors = sensors
    random = SplitMix64(seed: seed)
  }

  /// The exact scale at 48° N on WGS 84 (meridian and transverse radius of curvature).
  static let metresPerDegree = (north: 111_190.3, east: 74_625.4)

  /// The script with another value of a property from here on.
  consuming func with<Value>(_ path: WritableKeyPath<Self, Value>, _ value: Value) -> Self {
    self[keyPath: path] = value
    return self
  }

  consuming func rest(
    _ duration: Int, every interval: Int = 1, activity: Activity? = .stationary
  ) -> Self {
    for second in 0..<duration {
      if second.isMultiple(of: interval) { append(.stationary, activity, steps: 0, speed: 0) }
      seconds += 1
    }
    return self
  }

  consuming func move(
    _ duration: Int, speed: Double, _ activity: Activity?, course: SIMD2<Double> = [1, 0],
    every interval: Int = 1, steps: Float = 0
  ) -> Self {
    for second in 0..<duration {
      position += course * speed
      if second.isMultiple(of: interval) { append(.moving, activity, steps: steps, speed: speed) }
      seconds += 1
    }
    return self
  }

  consuming func walk(
    _ duration: Int, course: SIMD2<Double> = [1, 0], every interval: Int = 1
  ) -> Self {
    move(duration, speed: 1.4, .walking, course: course, every: interval, steps: 1.8)
  }

  consuming func drive(_ duration: Int, every interval: Int = 1) -> Self {
    move(duration, speed: 12, .automotive, every: interval)
  }

  /// Adds samples without a location.
  consuming func withoutReception(_ append: (consuming Self) -> Self) -> Self {
    hasReception = false
    return append(self).with(\.hasReception, true)
  }

  /// Goes on elsewhere, without a way there.
  consuming func leap(_ metres: SIMD2<Double>) -> Self {
    position += metres
    return self
  }

  /// Time without a sample.
  consuming func silence(_ duration: Int) -> Self {
    seconds += duration
    return self
  }

  /// Time whose samples know nothing.
  consuming func know(nothing duration: Int) -> Self {
    for _ in 0..<duration {
      samples.append(LocomotionSample(start: .at(seconds), end: .at(seconds + 1)))
      seconds += 1
    }
    return self
  }

  private mutating func append(
    _ state: MovingState, _ activity: Activity?, steps: Float, speed: Double
  ) {
    var sample = LocomotionSample(start: .at(seconds), end: .at(seconds + 1))
    sample.movingState = state
    if let metres = altitude {
      sample.altitude = AltitudeFilter.Estimate(
        altitude: metres, deviation: 5, climbRate: climbRate, barometricAltitude: metres + 50)
      altitude = metres + climbRate
    }
    if sensors != .accelerometer, hasReception {
      let error = SIMD2(random.nextNormal(), random.nextNormal()) * noise
      sample.location = LocationEstimate(
        timestamp: sample.end,
        latitude: origin.latitude + (position.y + error.y) / Self.metresPerDegree.north,
        longitude: origin.longitude + (position.x + error.x) / Self.metresPerDegree.east,
        radius68: radius, speed: speed, speedDeviation: 0.3, course: nil)
      sample.rawLocation = sample.location.map { location in
        LocationFix(
          timestamp: sample.start, latitude: location.latitude, longitude: location.longitude,
          horizontalAccuracy: radius, speed: speed)
      }
    }
    if sensors != .location {
      sample.steps = steps
      sample.coverage = 1
      sample.activity = activity.map { activity in
        ActivityDecision(
          activity: activity, probabilities: ActivityProbabilities { $0 == activity ? 9 : 0.2 })
      }
    }
    samples.append(sample)
  }

  func items(_ settings: TimelineBuilder.Settings = .init()) -> [TimelineItem] {
    var builder = TimelineBuilder(settings: settings)
    for sample in samples { builder.append(sample) }
    return builder.items()
  }

  /// The items in short, as in "stay 0 600, trip 600 900".
  func story(_ settings: TimelineBuilder.Settings = .init()) -> String {
    Self.story(items(settings))
  }

  static func story(_ items: [TimelineItem]) -> String {
    items.map { item in
      let kind =
        switch item {
        case .stay: "stay"
        case .trip: "trip"
        case .gap: "gap"
        }
      return "\(kind) \(Int(item.start.seconds)) \(Int(item.end.seconds))"
    }.joined(separator: ", ")
  }
}

extension [TimelineItem] {
  var trips: [Trip] { compactMap { $0.asTrip } }

  var stays: [Stay] { compactMap { $0.asStay } }
}
