/// What a measurement is doing.
public enum MeasurementState: String, Hashable, Sendable, Codable {
  /// Samples are recorded.
  case recording
  /// Nothing is recorded until it is resumed.
  case paused
  /// It has come to its end, or there is none.
  case stopped
}
