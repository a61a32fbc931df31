public import Locomotion
public import LocomotionActivityRecognition
public import LocomotionSensing

/// One entry of a day: a stay, a trip or a gap.
///
/// The items of an interval are half-open, `start ..< end`, and in time order; each begins where
/// the one before it ends.
public struct DayItem: Hashable, Sendable, Codable, Identifiable {
  /// What the item is.
  public enum Content: Hashable, Sendable, Codable {
    /// Time at one place.
    case stay(DayStay)
    /// Travel, in legs that tile it; never empty.
    case trip([DayLeg])
    /// Time about which nothing is known.
    case gap
  }

  /// The first instant of the item.
  public let start: Timestamp
  /// The first instant after the item.
  public let end: Timestamp
  /// What the item is.
  public let content: Content
  /// Whether later recording may still change the item.
  public let isPartial: Bool

  /// The start of the item, which no other item has and which stays while the item grows.
  public var id: Timestamp { start }

  /// An item from its parts.
  public init(start: Timestamp, end: Timestamp, content: Content, isPartial: Bool) {
    self.start = start
    self.end = end
    self.content = content
    self.isPartial = isPartial
  }
}

/// A stay and what is known of it.
public struct DayStay: Hashable, Sendable, Codable {
  /// The centre of the locations at rest; nil without a location.
  public let location: Stay.Location?
  /// The remembered place at which the stay was.
  public let place: Place?
  /// The purpose of the stay, as the user entered it.
  public let purpose: String?

  /// A stay from its parts.
  public init(location: Stay.Location?, place: Place?, purpose: String?) {
    self.location = location
    self.place = place
    self.purpose = purpose
  }
}

/// A part of a trip with one activity.
public struct DayLeg: Hashable, Sendable, Codable {
  /// The first instant of the leg.
  public let start: Timestamp
  /// The first instant after the leg.
  public let end: Timestamp
  /// How the person travelled; nil when unknown.
  public let activity: Activity?
  /// An activity beside the six: a flight, one of the model's, or one that the user named.
  public let customActivity: CustomActivity?
  /// The travelled distance, metres; nil without locations.
  public let distance: Double?
  /// Steps counted in the leg.
  public let steps: Double
  /// Whether ``activity`` is the user's correction.
  public let isCorrected: Bool
  /// What ``activity`` was chosen by; nil when it is the user's, or the sensors said nothing.
  public let inference: ModeInference?

  /// The name of the custom activity or else of the activity; nil when neither is known.
  public var name: String? { customActivity?.name ?? activity?.name }

  /// A leg from its parts.
  public init(
    start: Timestamp, end: Timestamp, activity: Activity?, custom: CustomActivity? = nil,
    distance: Double?, steps: Double, isCorrected: Bool, inference: ModeInference? = nil
  ) {
    self.start = start
    self.end = end
    self.activity = activity
    customActivity = custom
    self.distance = distance
    self.steps = steps
    self.isCorrected = isCorrected
    self.inference = inference
  }
}

/// The user's correction of their activity in an interval.
public struct ActivityCorrection: Hashable, Sendable, Codable {
  /// The first instant of it.
  public let start: Timestamp
  /// The first instant after it.
  public let end: Timestamp
  /// What the user was doing.
  public let activity: Activity
}

/// An interval in which a computation or an edit may have changed items.
public struct DayChange: Hashable, Sendable, Codable {
  /// The first instant of it.
  public let start: Timestamp
  /// The first instant after it.
  public let end: Timestamp
}

extension DayItem {
  /// The item as an item of a timeline, without the user's place and purpose.
  public var timelineItem: TimelineItem {
    switch content {
    case .stay(let stay): .stay(Stay(start: start, end: end, location: stay.location))
    case .gap: .gap(Gap(start: start, end: end))
    case .trip(let legs):
      .trip(
        Trip(
          legs: legs.map { leg in
            var part = Trip.Leg(
              start: leg.start, end: leg.end, activity: leg.activity, distance: leg.distance,
              steps: leg.steps)
            part.customActivity = leg.customActivity
            return part
          }))
    }
  }
}
