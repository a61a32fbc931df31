import Foundation
@_spi(Server) import LocomotionFormats
import LocomotionJournal
import LocomotionRecordings
import LocomotionSensing
import LocomotionTool
import TestSupport

/// A part of the package that reads untrusted bytes, to be run with any bytes.
///
/// The coverage-guided fuzzer and the test that replays its corpus run the same targets.
struct FuzzTarget: Sendable {
  /// The name of its file in `Corpus`.
  let name: String
  /// Processes `bytes`; returns a description of what went wrong, nil for nothing.
  let run: @Sendable ([UInt8]) -> String?

  static let all: [FuzzTarget] = importers + containers + decoders + lines

  static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

extension [UInt8] {
  /// The parts between the bytes 0xFF, which do not occur in UTF-8: the files of a folder.
  var pieces: [[UInt8]] {
    split(separator: 0xFF, omittingEmptySubsequences: false).map { Array($0) }
  }

  /// The first byte, 0 when there is none, and the rest.
  var headAndTail: (UInt8, [UInt8]) { (first ?? 0, Array(dropFirst())) }
}

extension FuzzTarget {
  /// The importers, each with the names of its input files.
  ///
  /// The files of a folder are the parts between the bytes 0xFF, in this order.
  static let importers: [FuzzTarget] = [
    importer(.gpx, ["walk.gpx"]), importer(.geojson, ["walk.geojson"]),
    importer(.overland, ["batch.json"]), importer(.ndjson, ["walk.ndjson"]),
    importer(.moves, ["day.json"]), importer(.sensorloggerpush, ["push.json"]),
    importer(
      .sensorlogger,
      [
        "Accelerometer.csv", "Gravity.csv", "Gyroscope.csv", "Location.csv", "Metadata.csv",
        "AccelerometerUncalibrated.csv", "TotalAcceleration.csv", "WristMotion.csv",
      ]),
    importer(
      .phyphox, ["Accelerometer.csv", "meta/time.csv", "Gyroscope.csv", "Location.csv"]),
    importer(
      .geolife, ["000/Trajectory/a.plt", "000/labels.txt", "001/Trajectory/b.plt"]),
    importer(
      .shl,
      [
        "User1/220617/Hand_Motion.txt", "User1/220617/Label.txt",
        "User1/220617/Hand_Location.txt",
      ]),
    importer(
      .ucihar,
      ["subject", "y"].map { "train/\($0)_train.txt" }
        + ["total_acc", "body_gyro"].flatMap { name in
          ["x", "y", "z"].map { "train/Inertial Signals/\(name)_\($0)_train.txt" }
        }, lineLength: 128),
    importer(.pamap2, ["subject101.dat"]),
    importer(.arc, ["export/samples/a.json", "export/items/a.json"]),
    importer(.owntracks, ["jane/phone/2024-05.rec", "a.json"]), importer(.tcx, ["walk.tcx"]),
    importer(.kml, ["walk.kml"]), importer(.dawarich, ["export.json"]),
    importer(.strava, ["activities.csv", "activities/1.gpx", "activities/2.tcx"]),
    importer(.appleHealth, ["export.xml", "workout-routes/a.gpx", "workout-routes/b.gpx"]),
    FuzzTarget(name: "fit") { bytes in
      let (kind, content) = bytes.headAndTail
      return imported { () throws(RecordingError) in
        // Most inputs get the header and the checksums that let their messages be read.
        let file = kind == 0 ? content : sealedFIT(content)
        let source = ImportSource(name: "fuzz", files: ["a.fit": file])
        return try RecordingFormat.fit.read(source, receive)
      }
    },
  ]

  /// Imports of a folder and of an archive, and of a file whose format must be detected.
  static let containers: [FuzzTarget] = [
    FuzzTarget(name: "csv") { bytes in
      let names = ["walk.csv", "walk.gps.csv", "labels.csv", "steps.csv", "walk.truth.csv"]
      return withFolder(of: Array(zip(names, bytes.pieces))) { folder in
        imported { () throws(RecordingError) in
          try RecordingFormat.csv.read(ImportSource(path: folder), receive)
        }
      }
    },
    FuzzTarget(name: "zip") { bytes in
      withFolder(of: [("walk.zip", bytes)]) { folder in
        imported { () throws(RecordingError) in
          let source = try ImportSource(path: "\(folder)/walk.zip")
          return try RecordingFormat(detecting: source).read(source, receive)
        }
      }
    },
    FuzzTarget(name: "detection") { bytes in
      let (kind, content) = bytes.headAndTail
      let names = ["a", "a.json", "a.ndjson", "samples/a.json", "a.plt", "a.csv", "a.gpx"]
      let name = names[Int(kind) % names.count]
      return imported { () throws(RecordingError) in
        let source = ImportSource(name: "fuzz", files: [name: content])
        return try RecordingFormat(detecting: source).read(source, receive)
      }
    },
  ]

  /// The importer of a format, from memory.
  ///
  /// A number alone in a line is repeated `lineLength` times: a row of UCI HAR is long.
  private static func importer(
    _ format: RecordingFormat, _ names: [String], lineLength: Int = 1
  ) -> FuzzTarget {
    FuzzTarget(name: format.rawValue) { bytes in
      var files: [String: [UInt8]] = [:]
      for (index, piece) in zip(names.indices, bytes.pieces) {
        let isLong = lineLength > 1 && index > 1
        files[names[index]] = isLong ? repeatedLines(piece, count: lineLength) : piece
      }
      return imported { () throws(RecordingError) in
        try format.read(ImportSource(name: "fuzz", files: files), receive)
      }
    }
  }

  private static func repeatedLines(_ bytes: [UInt8], count: Int) -> [UInt8] {
    let lines = bytes.prefix(1 << 10).split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return Array(
      lines.map { line in
        line.isEmpty || line.contains(0x20)
          ? line : Array(repeatElement(line + [0x20], count: count).joined())[...]
      }.joined(separator: [UInt8(ascii: "\n")]))
  }

  @Sendable private static func receive(_ event: ImportEvent) throws(RecordingError) {
    switch event {
    case .recording: break
    case .batch(let batch):
      for fix in batch.fixes {
        precondition(fix.latitude.isFinite && fix.longitude.isFinite, "a fix that is nowhere")
      }
    case .label(let start, let end, _): precondition(start <= end, "an interval ends first")
    }
  }

  /// Checks that an import counts every row, or is rejected for its content.
  static func imported(_ body: () throws(RecordingError) -> ImportReport) -> String? {
    rejected { () throws(RecordingError) in
      let report = try body()
      precondition(report.read == report.kept + report.droppedCount, "rows are unaccounted for")
    }
  }

  /// Runs `body`, which may reject its input but must not report an error of the system.
  static func rejected(_ body: () throws(RecordingError) -> Void) -> String? {
    do throws(RecordingError) {
      try body()
      return nil
    } catch {
      if case .notFound = error { return nil }
      return error.isInputRejection ? nil : "\(error)"
    }
  }

  /// Runs `body` with a folder of these files, which is removed at the end.
  private static func withFolder(
    of files: [(name: String, bytes: [UInt8])], _ body: (String) -> String?
  ) -> String? {
    let folder = ScratchFolder()
    do {
      for file in files { try folder.write(file.bytes, to: file.name) }
    } catch {
      return "\(error)"
    }
    return withExtendedLifetime(folder) { body(folder.path) }
  }
}

extension FuzzTarget {
  /// The parsers of what apps push and of `locomotion record`'s standard input.
  static let lines: [FuzzTarget] = [
    FuzzTarget(name: "message") { bytes in
      let (kind, body) = bytes.headAndTail
      let apps: [LiveMessage.App?] = [nil, .overland, .sensorlogger]
      return rejected { () throws(RecordingError) in
        let message = try LiveMessage(
          body, app: apps[Int(kind) % 3], isApple: kind.isMultiple(of: 2))
        let report = message.report
        precondition(report.read == report.kept + report.droppedCount, "unaccounted for")
        let fixes = message.batches.reduce(0) { $0 + $1.fixes.count }
        precondition(fixes == report.fixes, "fixes that the report does not know of")
      }
    },
    FuzzTarget(name: "line") { bytes in
      do throws(RecordingError) {
        let batch = try JournalBatch(LineJSON(recorded: bytes))
        let places = batch.fixes.allSatisfy { abs($0.latitude) <= 90 && abs($0.longitude) <= 360 }
        return places ? nil : "a fix that is nowhere"
      } catch {
        return error.description.isEmpty ? "no reason" : nil
      }
    },
  ]
}
