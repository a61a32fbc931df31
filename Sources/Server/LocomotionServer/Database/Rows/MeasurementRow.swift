import LocomotionSensing

/// A measurement of one device, from start to stop.
struct MeasurementRow: Hashable, Sendable {
  /// The measurement's number, unique on its device.
  var number: Int
  /// The mode of travel that the user gave at its end; nil when none was given.
  var modality: String?
  /// When it began.
  var start: Timestamp
  /// When it ended; nil while it goes on.
  var end: Timestamp?
  /// The number of accelerations.
  var samples: Int
  /// The number of location fixes.
  var fixes: Int

  /// A row from its values.
  init(
    number: Int, modality: String?, start: Timestamp, end: Timestamp?, samples: Int, fixes: Int
  ) {
    self.number = number
    self.modality = modality
    self.start = start
    self.end = end
    self.samples = samples
    self.fixes = fixes
  }
}
