package import LocomotionFormats
package import LocomotionJournal
package import LocomotionRecordings
import LocomotionSensing

extension JournalBatch {
  /// What a line of `record` holds.
  package init(_ line: LineJSON) throws(RecordingError) {
    self.init()
    fixes = line.fixes.compactMap(\.self)
    accelerations = try Self.series(line, SensorNames.accelerations)
    rotationRates = try Self.series(line, SensorNames.rotationRates)
    guard let (times, values) = try line.samples(of: [SensorNames.pressures]) else { return }
    // The times at which there is none have been those of other sensors.
    for (time, value) in zip(times.compactMap(\.self), values[0]) where !value.isNaN {
      pressures.append(Float(value), at: time)
    }
  }

  private static func series(
    _ line: LineJSON, _ names: [String]
  ) throws(RecordingError) -> SampleSeries {
    var series = SampleSeries()
    guard let (times, values) = try line.samples(of: names) else { return series }
    for (index, time) in times.compactMap(\.self).enumerated() {
      series.append(x: values[0][index], y: values[1][index], z: values[2][index], at: time)
    }
    return series
  }
}

extension RecordingError {
  /// What is wrong with a line of `record`, for a log.
  var reasonOfLine: String {
    guard case .malformed(_, let place, let expected, let found) = self else { return description }
    return "\(place): expected \(expected), found \(found)"
  }
}

extension JournalError: CommandError {
  package var exitStatus: ExitStatus { isInputRejection ? .rejected : .inputOutput }
}
