public import LocomotionSensing

/// One day of one device, as the archive derived it.
public struct DayRow: Hashable, Sendable {
  /// The travel of a day with one activity.
  public struct Travel: Hashable, Sendable {
    /// The name of the activity; `unknown` for travel without one.
    public var activity: String
    /// The time in it, seconds.
    public var seconds: Double
    /// The distance, metres; nil without locations.
    public var distance: Double?
    /// The steps.
    public var steps: Double

    /// A row from its values.
    public init(activity: String, seconds: Double, distance: Double?, steps: Double) {
      self.activity = activity
      self.seconds = seconds
      self.distance = distance
      self.steps = steps
    }
  }

  /// The civil date, `YYYY-MM-DD`.
  public var date: String
  /// The name of the time zone whose midnights cut the day.
  public var timeZone: String
  /// The first instant of the day.
  public var start: Timestamp
  /// The first instant after it.
  public var end: Timestamp
  /// The storyline, byte for byte as `locomotion journal day --json` prints it.
  public var json: String
  /// Whether no later recording of the device can change the day.
  public var isFinal: Bool
  /// The time that is not in gaps, seconds.
  public var recordedSeconds: Double
  /// The time in stays, seconds.
  public var staySeconds: Double
  /// The distance of all travel, metres; nil without locations.
  public var distance: Double?
  /// The steps of all travel.
  public var steps: Double
  /// The travel by activity, each activity once.
  public var travel: [Travel]
  /// The items, in the order of time, each trip before its legs.
  public var items: [ItemRow]

  /// A row from its values.
  public init(
    date: String, timeZone: String, start: Timestamp, end: Timestamp, json: String,
    isFinal: Bool, recordedSeconds: Double, staySeconds: Double, distance: Double?, steps: Double,
    travel: [Travel], items: [ItemRow]
  ) {
    self.date = date
    self.timeZone = timeZone
    self.start = start
    self.end = end
    self.json = json
    self.isFinal = isFinal
    self.recordedSeconds = recordedSeconds
    self.staySeconds = staySeconds
    self.distance = distance
    self.steps = steps
    self.travel = travel
    self.items = items
  }
}

/// What the archive has stored of one day, without its items.
public struct StoredDay: Hashable, Sendable {
  /// The civil date, `YYYY-MM-DD`.
  public let date: String
  /// The device that recorded it.
  public let device: String
  /// How often the day's content has been stored or changed, from 1.
  public let revision: Int
  /// Whether no later recording of the device can change the day.
  public let isFinal: Bool
  /// Whether the day counts in totals: of the user's devices this one recorded most of that date.
  public let isPrimary: Bool
  /// The name of the time zone whose midnights cut the day.
  public let timeZone: String
  /// The first instant of the day.
  public let start: Timestamp
  /// The first instant after it.
  public let end: Timestamp
  /// The time that is not in gaps, seconds.
  public let recordedSeconds: Double
  /// The time in stays, seconds.
  public let staySeconds: Double
  /// The distance of all travel, metres; nil without locations.
  public let distance: Double?
  /// The steps of all travel.
  public let steps: Double
}
