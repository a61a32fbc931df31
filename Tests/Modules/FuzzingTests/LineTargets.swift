@_spi(Server) import LocomotionFormats
import LocomotionJournal
import LocomotionRecordings
import LocomotionSensing
import LocomotionTool

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
