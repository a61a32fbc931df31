import Foundation
import LocomotionRecordings
import LocomotionSensing
import TestSupport
import Testing

extension ScratchFolder {
  /// Writes `text`, compressed when the name ends in `.gz`, and returns the file's path.
  @discardableResult
  func compress(_ text: String, to name: String) throws -> String {
    let output = try CompressedOutput(path: path(name))
    try output.write(Array(text.utf8))
    try output.close()
    return path(name)
  }
}

/// One event of a recording; floats by their bits, so that NaN equals NaN.
enum Event: Hashable {
  case acceleration(Int64, [UInt32])
  case rotationRate(Int64, [UInt32])
  case fix(Int64, [UInt64?])
}

/// The events of `batch`: its fixes, then accelerations, then rotation rates.
func events(_ batch: SensorBatch) -> [Event] {
  func bits(_ series: SensorBatch.Series, _ index: Int) -> [UInt32] {
    [series.x[index], series.y[index], series.z[index]].map(\.bitPattern)
  }
  return batch.fixes.map { fix in
    .fix(
      fix.timestamp.nanoseconds,
      [
        fix.latitude, fix.longitude, fix.altitude, fix.horizontalAccuracy, fix.speed, fix.course,
      ].map { $0?.bitPattern })
  }
    + (0..<batch.accelerations.count).map {
      .acceleration(
        batch.accelerations.timestamps[$0].nanoseconds, bits(batch.accelerations, $0))
    }
    + (0..<batch.rotationRates.count).map {
      .rotationRate(
        batch.rotationRates.timestamps[$0].nanoseconds, bits(batch.rotationRates, $0))
    }
}

/// Every event of the recording, in the order of the sequence.
func allEvents(_ reader: consuming RecordingReader) throws -> [Event] {
  var result: [Event] = []
  var batch = SensorBatch()
  // One event at a time: a larger batch does not show the order across kinds.
  while try reader.read(into: &batch, maximumEvents: 1) { result += events(batch) }
  return result
}

/// What the first read of a recording in memory gives, and the counts after it.
func firstRead(
  _ accelerations: String?, fixes: String? = nil
) throws -> (batch: SensorBatch, counts: RecordingReader.Counts) {
  var reader = try recording(accelerations, fixes: fixes)
  var batch = SensorBatch()
  #expect(try reader.read(into: &batch))
  return (batch, reader.counts)
}

/// A recording in memory.
func recording(_ accelerations: String?, fixes: String? = nil) throws -> RecordingReader {
  try RecordingReader(
    accelerations: accelerations.map { Array($0.utf8) }, fixes: fixes.map { Array($0.utf8) })
}

/// The error that `body` throws; a failed expectation when it throws none.
func recordingError(_ body: () throws -> Void) -> RecordingError? {
  #expect(throws: RecordingError.self) { try body() }
}

/// The error of reading a whole recording in memory.
func errorReading(_ accelerations: String?, fixes: String? = nil) -> RecordingError? {
  recordingError { _ = try allEvents(recording(accelerations, fixes: fixes)) }
}

/// The error of reading the whole recording at `path`.
func errorReading(path: String) -> RecordingError? {
  recordingError { _ = try allEvents(RecordingReader(path: path)) }
}
