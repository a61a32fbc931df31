public import LocomotionSensing

/// A measurement of one device, from start to stop.
public struct MeasurementRow: Hashable, Sendable {
  /// The measurement's number, unique on its device.
  public var number: Int
  /// The mode of travel that the user gave at its end; nil when none was given.
  public var modality: String?
  /// When it began.
  public var start: Timestamp
  /// When it ended; nil while it goes on.
  public var end: Timestamp?
  /// The number of accelerations.
  public var samples: Int
  /// The number of location fixes.
  public var fixes: Int

  /// A row from its values.
  public init(
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
