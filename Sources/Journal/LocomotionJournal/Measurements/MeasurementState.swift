/// The state of a measurement.
public enum MeasurementState: String, Hashable, Sendable, Codable {
  /// Samples are recorded.
  case recording
  /// Nothing is recorded until it is resumed.
  case paused
  /// It is over, or there is none.
  case stopped
}
