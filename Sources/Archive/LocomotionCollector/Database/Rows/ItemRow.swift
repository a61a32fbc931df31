public import LocomotionSensing

/// A stay, trip, leg or gap of one day, cut at the day's ends.
public struct ItemRow: Hashable, Sendable {
  /// What an item is.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    /// Time at one place.
    case stay
    /// Travel.
    case trip
    /// A part of the trip before it, with one activity.
    case leg
    /// Time about which nothing is known.
    case gap
  }

  /// A point on WGS 84.
  public struct Point: Hashable, Sendable {
    /// Geodetic latitude, degrees, −90 to 90.
    public var latitude: Double
    /// Geodetic longitude, degrees, −180 to 180.
    public var longitude: Double

    /// A point from its coordinates.
    public init(latitude: Double, longitude: Double) {
      self.latitude = latitude
      self.longitude = longitude
    }
  }

  /// What it is.
  ///
  /// The legs of a trip follow it, before any other item.
  public var kind: Kind
  /// The first instant.
  public var start: Timestamp
  /// The first instant after it.
  public var end: Timestamp
  /// The name of the activity of a leg, or of most of a trip; nil when unknown.
  public var activity: String?
  /// The travelled distance, metres; nil without locations.
  public var distance: Double?
  /// The steps; nil for what has none.
  public var steps: Double?
  /// The centre of a stay; nil without locations.
  public var position: Point?
  /// The radius of a stay that holds the centre with probability 0.68, metres; nil when unknown.
  public var radius: Double?
  /// The way of a trip or of a leg, in the order of time.
  public var path: [Point]
  /// The user's name for the place of a stay.
  public var placeName: String?
  /// The purpose of a stay, as the user entered it.
  public var purpose: String?
  /// Whether the activity is the user's correction.
  public var isCorrected: Bool
  /// Whether later recording may still change the item.
  public var isPartial: Bool

  /// A row from its values.
  public init(
    kind: Kind, start: Timestamp, end: Timestamp, activity: String? = nil,
    distance: Double? = nil, steps: Double? = nil, position: Point? = nil, radius: Double? = nil,
    path: [Point] = [], placeName: String? = nil, purpose: String? = nil,
    isCorrected: Bool = false, isPartial: Bool = false
  ) {
    self.kind = kind
    self.start = start
    self.end = end
    self.activity = activity
    self.distance = distance
    self.steps = steps
    self.position = position
    self.radius = radius
    self.path = path
    self.placeName = placeName
    self.purpose = purpose
    self.isCorrected = isCorrected
    self.isPartial = isPartial
  }
}
