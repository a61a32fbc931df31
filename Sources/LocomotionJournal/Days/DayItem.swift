public import Locomotion
public import LocomotionActivityRecognition
public import LocomotionSensing

/// One entry of a day as a person tells it: a stay, a trip or a gap.
///
/// The items of a stretch of time are half-open intervals, `start ..< end`, in time order; each
/// begins where the one before it ends.
public struct DayItem: Hashable, Sendable {
  /// What the item is.
  public enum Content: Hashable, Sendable {
    /// Time at one place.
    case stay(DayStay)
    /// Time on the way, in legs that tile it; never empty.
    case trip([DayLeg])
    /// Time that nothing is known about.
    case gap
  }

  /// The first instant of the item.
  public let start: Timestamp
  /// The first instant after the item.
  public let end: Timestamp
  /// What the item is.
  public let content: Content
  /// Whether what is recorded from now on may still change the item.
  public let isPartial: Bool
}

/// What is known of a stay.
public struct DayStay: Hashable, Sendable {
  /// The centre of the locations at rest; nil without a location.
  public let location: Stay.Location?
  /// The remembered place at which the stay was.
  public let place: Place?
  /// What the stay was for, in the user's words.
  public let purpose: String?
}

/// A part of a trip that was travelled in one way.
public struct DayLeg: Hashable, Sendable {
  /// The first instant of the leg.
  public let start: Timestamp
  /// The first instant after the leg.
  public let end: Timestamp
  /// How the person travelled; nil when nothing said so.
  public let activity: Activity?
  /// The length of the way, metres; nil without locations.
  public let distance: Double?
  /// Steps counted in the leg.
  public let steps: Double
  /// Whether ``activity`` is the user's word.
  public let isCorrected: Bool
}

/// A stretch of time of which the user said what they were doing.
public struct ActivityCorrection: Hashable, Sendable {
  /// The first instant of it.
  public let start: Timestamp
  /// The first instant after it.
  public let end: Timestamp
  /// What the user was doing.
  public let activity: Activity
}

extension DayItem {
  /// The item in the form of a timeline, without the user's words.
  public var timelineItem: TimelineItem {
    switch content {
    case .stay(let stay): .stay(Stay(start: start, end: end, location: stay.location))
    case .gap: .gap(Gap(start: start, end: end))
    case .trip(let legs):
      .trip(
        Trip(
          legs: legs.map {
            Trip.Leg(
              start: $0.start, end: $0.end, activity: $0.activity, distance: $0.distance,
              steps: $0.steps)
          }))
    }
  }
}
