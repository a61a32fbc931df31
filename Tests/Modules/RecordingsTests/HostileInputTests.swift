import Foundation
import LocomotionRecordings
import LocomotionSensing
import TestSupport
import Testing

/// Missing, damaged and hostile files: always a typed error, never a trap.
@Suite struct HostileInputTests {
  private let folder = ScratchFolder()

  let rows = "t,ax,ay,az\n" + (0..<5000).map { "\(Double($0) / 50),\($0 % 7),2,9.81\n" }.joined()

  @Test func aMissingFileIsAnInputOutputError() throws {
    let path = folder.path("none.csv")
    let error = errorReading(path: path)
    #expect(error == .notFound(path: path))
    #expect(error?.isInputRejection == false)
    #expect(error?.description == "\(path): no such file")
  }

  @Test func aFolderIsNotARecording() throws {
    let error = errorReading(path: folder.path)
    #expect(error == .unreadable(path: folder.path, reason: "is a directory"))
    #expect(error?.isInputRejection == false)
  }

  @Test func anEmptyFileIsRejected() throws {
    for path in [
      try folder.write("", to: "empty.csv"), try folder.compress("", to: "empty.csv.gz"),
      try folder.write("\r\n\r\n", to: "blank.csv"),
    ] {
      let error = errorReading(path: path)
      #expect(error == .empty(path: path))
      #expect(error?.isInputRejection == true)
    }
  }

  @Test func aFileWithOnlyAHeaderIsRejectedAsUnusable() throws {
    for path in [
      try folder.write("t,ax,ay,az\n", to: "a.csv"), try folder.write("t,lat,lon", to: "a.gps.csv"),
    ] {
      #expect(
        errorReading(path: path) == .nothingUsable(path: path, reason: "no row below the header"))
    }
    #expect(
      errorReading("t,ax,ay,az\n,1,2,3\nnan,1,2,3\n")
        == .nothingUsable(
          path: "memory.csv",
          reason: "none of the 2 rows has a time: expected seconds up to 4611686018"))
  }

  @Test(arguments: [
    "1,2,3,4", "time,ax,ay,az", "t,ax,ay", "t;ax;ay;az", "t,ax,ay,az,ax", "t,ax,ay,az,gx",
    "t,ax,ay,az,gx,gz", "\u{FF}\u{FE}t", "<html>",
  ])
  func aWrongHeaderIsRejectedWithTheExpectedColumns(header: String) {
    let error = errorReading(header + "\n1,2,3,4\n")
    #expect(
      error
        == .badHeader(
          path: "memory.csv", line: 1, expected: "t,ax,ay,az[,gx,gy,gz][,pressure]", found: header))
    #expect(error?.description.hasPrefix("memory.csv:1: expected the columns t,ax,ay,az") == true)
    #expect(error?.isInputRejection == true)
  }

  @Test func aWrongHeaderOfFixesIsRejectedWithTheExpectedColumns() {
    #expect(
      errorReading("t,ax,ay,az\n1,2,3,4\n", fixes: "t,latitude,longitude\n")
        == .badHeader(
          path: "memory.gps.csv", line: 1, expected: "t,lat,lon[,alt,hacc,speed,course]",
          found: "t,latitude,longitude"))
  }

  @Test func textInANumberColumnIsRejectedWithLineAndColumn() {
    let error = errorReading("t,ax,ay,az\n0,1,2,3\n\n1,1,two,3\n")
    #expect(error == .badNumber(path: "memory.csv", line: 4, column: "ay", text: "two"))
    #expect(error?.description == "memory.csv:4: expected a number in column ay, found \"two\"")
    #expect(
      errorReading("t,ax,ay,az\n12:00,1,2,3\n")
        == .badNumber(path: "memory.csv", line: 2, column: "t", text: "12:00"))
    #expect(
      errorReading(nil, fixes: "t,lat,lon,speed\n0,1,2,fast\n")
        == .badNumber(path: "memory.gps.csv", line: 2, column: "speed", text: "fast"))
  }

  @Test func aBadRowThrowsAfterTheEventsBeforeItAndAgainLater() throws {
    var reader = try recording("t,ax,ay,az\n0,1,2,3\n1,1,2,3\n2,1,2\n3,1,2,3\n")
    var batch = SensorBatch()
    let expected = RecordingError.wrongFieldCount(
      path: "memory.csv", line: 4, expected: 4, found: 3)
    // Row 4 becomes the look-ahead when row 3 is delivered.
    #expect(recordingError { _ = try reader.read(into: &batch) } == expected)
    #expect(batch.accelerations.count == 2)
    #expect(recordingError { _ = try reader.read(into: &batch) } == expected)
    #expect(batch.isEmpty)
  }

  @Test func aTruncatedArchiveGivesItsCompleteLinesAndThenAnError() throws {
    try folder.compress(rows, to: "whole.csv.gz")
    let whole = [UInt8](try folder.data("whole.csv.gz"))
    for kept in [3, 9, 11, 500, whole.count - 9, whole.count - 8, whole.count - 1] {
      let path = try folder.write(whole.prefix(kept), to: "\(kept).csv.gz")
      let error = errorReading(path: path)
      let line = if case .truncatedCompression(path, let line)? = error { line } else { Int.max }
      #expect(line <= 5001, "\(kept) of \(whole.count) bytes: \(String(describing: error))")
      #expect(error?.isInputRejection == true)
    }
  }

  @Test func aDamagedArchiveIsRejected() throws {
    try folder.compress(rows, to: "whole.csv.gz")
    let whole = [UInt8](try folder.data("whole.csv.gz"))
    // The checksum, and the length that follows it.
    for offset in [8, 5, 4, 1] {
      var bytes = whole
      bytes[bytes.count - offset] ^= 0x10
      #expect(try corruptLine(of: bytes) != nil, "byte \(offset) from the end")
    }
    // The magic bytes of gzip alone.
    #expect(try corruptLine(of: [0x1F, 0x8B, 0x07] + Array(0...15)) == 0)
  }

  /// The line at which compressed bytes are found to be corrupt.
  private func corruptLine(of bytes: [UInt8]) throws -> Int? {
    let path = try folder.write(bytes, to: "a.csv.gz")
    guard case .corruptCompression(path, let line, _)? = errorReading(path: path) else {
      return nil
    }
    return line
  }

  @Test func randomBytesAreRejectedAsABadHeader() throws {
    var generator = SplitMix64(seed: 3)
    for number in 0..<50 {
      let bytes = (0..<2000).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let error = errorReading(path: try folder.write(bytes, to: "\(number).csv"))
      let isHeader = if case .badHeader? = error { true } else { false }
      #expect(isHeader, "garbage \(number)")
    }
  }

  @Test func nullBytesAndInvalidTextAreNotNumbers() {
    for bytes: [UInt8] in [[0], [0x31, 0], [0xFF], [0xC3, 0x28], [0xED, 0xA0, 0x80]] {
      let text = Array("t,ax,ay,az\n0,1,".utf8) + bytes + Array(",3\n".utf8)
      let error = recordingError {
        _ = try allEvents(RecordingReader(accelerations: text, fixes: nil))
      }
      let isNumber = if case .badNumber("memory.csv", 2, "ay", _)? = error { true } else { false }
      #expect(isNumber, "\(bytes): \(String(describing: error))")
      expectOneHarmlessLine(error)
    }
  }

  @Test func errorMessagesEscapeAndShortenTextOfTheFile() {
    let nasty = "\u{1B}[31m\r\u{7}\u{202E}\u{2028}" + String(repeating: "x", count: 1000)
    let error = errorReading("t,ax,ay,az\n0,1,\(nasty),3\n")
    expectOneHarmlessLine(error)
    #expect((error?.description.count ?? .max) < 200)
    #expect(error?.description.contains("\\u{1B}[31m\\r") == true)

    let path = "a\nb\u{1B}.csv"
    for error: RecordingError in [
      .notFound(path: path), .unreadable(path: path, reason: "\n"),
      .unwritable(path: path, reason: "\n"), .empty(path: path),
      .badHeader(path: path, line: 1, expected: "\n", found: "\n"),
      .badNumber(path: path, line: 1, column: "\n", text: "\n"),
      .badInterval(path: path, line: 1, start: .nan, end: 0),
      .wrongFieldCount(path: path, line: 1, expected: 1, found: 2),
      .lineTooLong(path: path, line: 1, limit: 1), .truncatedCompression(path: path, line: 1),
      .corruptCompression(path: path, line: 1, reason: "\n"),
      .nothingUsable(path: path, reason: "\n"), .badDescriptor(path: path, reason: "\n"),
    ] {
      expectOneHarmlessLine(error)
      #expect(error.description.hasPrefix("a\\nb\\u{1B}.csv:"))
    }
  }

  /// Expects that the error's text is one line without any character that controls a terminal.
  func expectOneHarmlessLine(_ error: RecordingError?) {
    let harmful = (error?.description ?? "\n").unicodeScalars.contains {
      !(" "..."~" ~= $0)
        && [.control, .format, .lineSeparator, .paragraphSeparator].contains(
          $0.properties.generalCategory)
    }
    #expect(!harmful)
  }
}
