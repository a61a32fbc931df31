internal import LocomotionSensing

// When the events of a batch take their turn. A time later than the next one of its sensor is a
// fault, or the last before a clock was set back: waiting for it would hold up what comes after.

extension SensorBatch.Series {
  /// The earlier of the times of a sample and the next one; nil behind the last.
  func dueTime(_ index: Int) -> Timestamp? {
    guard index < count else { return nil }
    return min(timestamps[index], timestamps[min(index + 1, count - 1)])
  }
}

extension SensorBatch {
  /// The earlier of the times of a fix and the next one; nil behind the last.
  func dueTimeOfFix(_ index: Int) -> Timestamp? {
    guard index < fixes.count else { return nil }
    return min(fixes[index].timestamp, fixes[min(index + 1, fixes.count - 1)].timestamp)
  }
}
