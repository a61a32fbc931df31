/// What the archive lists of a stored day, also as JSON.
struct StoredDay: Hashable, Sendable, Encodable {
  /// The civil date, `YYYY-MM-DD`.
  let date: String
  /// The device that recorded it.
  let device: String
  /// How often the day's content has been stored or changed, from 1.
  let revision: Int
  /// Whether no later recording of the device can change the day.
  let isFinal: Bool
  /// Whether the day counts in totals: of the user's devices this one recorded most of that date.
  let isPrimary: Bool
  /// The name of the time zone whose midnights cut the day.
  let timeZone: String
  /// The first instant of the day, seconds.
  let start: Double
  /// The first instant after it, seconds.
  let end: Double
  /// The time that is not in gaps, seconds.
  let recorded: Double
  /// The distance of all travel, metres; nil without locations.
  let distance: Double?
  /// The steps of all stays and travel.
  let steps: Double

  private enum CodingKeys: String, CodingKey {
    case date, device, revision, timeZone, start, end, recorded, distance, steps
    case isFinal = "final"
    case isPrimary = "primary"
  }
}
