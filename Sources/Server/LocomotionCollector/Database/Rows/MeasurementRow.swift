package import LocomotionSensing

/// A measurement of one device, from start to stop.
package struct MeasurementRow: Hashable, Sendable {
  /// The measurement's number, unique on its device.
  package var number: Int
  /// The mode of travel that the user gave at its end; nil when none was given.
  package var modality: String?
  /// When it began.
  package var start: Timestamp
  /// When it ended; nil while it goes on.
  package var end: Timestamp?
  /// The number of accelerations.
  package var samples: Int
  /// The number of location fixes.
  package var fixes: Int

  /// A row from its values.
  package init(
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
