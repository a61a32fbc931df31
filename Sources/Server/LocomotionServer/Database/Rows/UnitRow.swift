import LocomotionSensing

/// What the archive's database knows of one upload unit; its bytes are in the object store.
struct UnitRow: Hashable, Sendable {
  /// The owner's name, 1 to 128 bytes.
  var user: String
  /// The device that recorded it: 32 lower-case hexadecimal digits.
  var device: String
  /// The unit's number among those of its device, from 0.
  var sequence: Int
  /// The SHA-256 of the unit's bytes: 64 lower-case hexadecimal digits.
  var digest: String
  /// The digest of the device's unit before it; nil for the first one, and where it is not told.
  var predecessor: String?
  /// The number of the measurement; nil for none.
  var measurement: Int?
  /// The time of the first event; nil without events.
  var first: Timestamp?
  /// The time of the last event; nil without events.
  var last: Timestamp?
  /// The number of accelerations.
  var samples: Int
  /// The number of rotation rates.
  var rotationRates: Int
  /// The number of pressures.
  var pressures: Int
  /// The number of location fixes.
  var fixes: Int
  /// The number of events.
  var events: Int
  /// The unit's size, bytes.
  var bytes: Int
  /// Whether it carries a snapshot of the user's edits and places.
  var hasAnnotations: Bool
  /// The version of the unit's format.
  var formatVersion: Int
  /// The key of its bytes in the object store.
  var objectKey: String

  /// A row from its values.
  init(
    user: String, device: String, sequence: Int, digest: String, predecessor: String?,
    measurement: Int?, first: Timestamp?, last: Timestamp?, samples: Int, rotationRates: Int,
    pressures: Int,
    fixes: Int, events: Int, bytes: Int, hasAnnotations: Bool, formatVersion: Int,
    objectKey: String
  ) {
    self.user = user
    self.device = device
    self.sequence = sequence
    self.digest = digest
    self.predecessor = predecessor
    self.measurement = measurement
    self.first = first
    self.last = last
    self.samples = samples
    self.rotationRates = rotationRates
    self.pressures = pressures
    self.fixes = fixes
    self.events = events
    self.bytes = bytes
    self.hasAnnotations = hasAnnotations
    self.formatVersion = formatVersion
    self.objectKey = objectKey
  }
}
