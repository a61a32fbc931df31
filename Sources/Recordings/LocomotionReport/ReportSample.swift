package import Locomotion

/// What reports show of a second, in a tenth of the memory of a ``LocomotionSample``.
package struct ReportSample: Sendable {
  package let start: Timestamp
  let end: Timestamp
  private var latitude = Double.nan
  private var longitude = Double.nan
  private var radius = Float.nan
  private var groundSpeed = Float.nan
  private var metres = Float.nan
  private var metresDeviation = Float.nan
  private var stepsPerMinute = Float.nan
  /// The probability of the activity, and that of being at rest.
  private var probability = Float.nan
  private var restProbability = Float.nan
  /// The activity; nil where none is named.
  private(set) var activity: Activity?
  /// Why no activity is named; nil where one is, or nothing was answered.
  private(set) var unknownReason: ActivityDecision.UnknownReason?
  /// Whether there are a fix, accelerations, a window of them, rotation rates, rest.
  private(set) var hasFix: Bool
  private(set) var hasAccelerations: Bool
  private var hasWindow: Bool
  private(set) var hasRotation: Bool
  private(set) var isAtRest: Bool

  /// What counts of a sample.
  package init(_ sample: LocomotionSample) {
    (start, end) = (sample.start, sample.end)
    hasFix = sample.rawLocation != nil
    hasAccelerations = sample.hasWindow || sample.coverage > 0
    hasWindow = sample.hasWindow
    hasRotation = sample.rotationLevel != nil
    isAtRest = sample.movingState == .stationary
    if let location = sample.location {
      (latitude, longitude) = (location.latitude, location.longitude)
      (radius, groundSpeed) = (Float(location.radius68), Float(location.speed ?? .nan))
    }
    if let altitude = sample.altitude, abs(altitude.altitude) < 1e5 {
      (metres, metresDeviation) = (Float(altitude.altitude), Float(altitude.deviation))
    }
    stepsPerMinute = sample.cadence?.stepsPerMinute ?? .nan
    guard let decision = sample.activity else { return }
    activity = decision.activity
    if let activity {
      probability = decision.probabilities[activity]
    } else {
      unknownReason = decision.unknownReason ?? .notEnoughData
    }
    restProbability = decision.probabilities[.stationary]
  }

  /// The filtered location with its altitude; nil where it is unknown.
  var location: ReportPoint? {
    latitude.isNaN
      ? nil
      : ReportPoint(latitude: latitude, longitude: longitude, altitude: altitude?.altitude)
  }

  /// The claimed radius of the location, metres; nil without one.
  var radius68: Double? { radius.isFinite ? Double(radius) : nil }

  /// The filtered speed over ground, metres per second; nil where it is unknown.
  var speed: Double? { groundSpeed.isFinite ? Double(groundSpeed) : nil }

  /// The filtered altitude and its standard deviation, metres; nil where it is unknown.
  var altitude: (altitude: Double, deviation: Double)? {
    metres.isNaN ? nil : (Double(metres), Double(metresDeviation))
  }

  /// Steps per minute; nil where there is no cadence.
  var cadence: Double? { stepsPerMinute.isFinite ? Double(stepsPerMinute) : nil }

  /// Whether anything was answered, if only why nothing is known.
  var isAnswered: Bool { activity != nil || unknownReason != nil }

  /// The probability of the activity; 0 without one.
  var activityProbability: Double {
    activity == nil || !probability.isFinite ? 0 : Double(probability)
  }

  /// What a person said of it.
  mutating func correct(to activity: Activity) {
    (self.activity, unknownReason, probability) = (activity, nil, 1)
  }

  /// Lets what fixes alone tell agree with what a timeline says, as `Hindsight.agree` does.
  fileprivate mutating func agree(with activity: Activity, _ certainty: Float) {
    guard isAnswered, !hasWindow else { return }
    let own =
      activity == .stationary ? restProbability : activity == self.activity ? probability : 0
    correct(to: activity)
    probability = own + (1 - own) * certainty
    restProbability = activity == .stationary ? probability : restProbability * (1 - certainty)
  }
}

extension [ReportSample] {
  /// The seconds in order of time, of which those that fixes alone tell agree with a timeline.
  mutating func agree(with items: [TimelineItem]) {
    Hindsight.forEachSecond(of: &self, in: items, { ($0.start, $0.end) }) { $0.agree(with: $1, $2) }
  }
}
