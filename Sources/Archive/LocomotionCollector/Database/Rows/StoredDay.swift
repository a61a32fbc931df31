/// What the archive lists of a stored day, also as JSON.
public struct StoredDay: Hashable, Sendable, Encodable {
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
  /// The first instant of the day, seconds.
  public let start: Double
  /// The first instant after it, seconds.
  public let end: Double
  /// The time that is not in gaps, seconds.
  public let recorded: Double
  /// The distance of all travel, metres; nil without locations.
  public let distance: Double?
  /// The steps of all travel.
  public let steps: Double

  private enum CodingKeys: String, CodingKey {
    case date, device, revision, timeZone, start, end, recorded, distance, steps
    case isFinal = "final"
    case isPrimary = "primary"
  }
}
