internal import CLocomotion
internal import Foundation
internal import Locomotion
internal import LocomotionAnalysis
internal import LocomotionC
internal import LocomotionFormats
internal import LocomotionRecordings
internal import LocomotionReport
internal import LocomotionTool

/// The analysis of a recording as a whole, and the documents that `locomotion analyze` writes.
///
/// Each is made when the caller asks for it: "samples" (`locomotion_sample`: live, but for the
/// cadence and the steps, which are those of `locomotion cadence`), "fixes"
/// (`locomotion_fix_report`: live), "items" (`locomotion_timeline_item`), "custom"
/// (``CustomClasses``: those of the model), and the texts "timeline", "track", "summary", "report",
/// "gpx" (a `trk` for each leg), and "reading", a line for each thing that was counted on reading;
/// empty for arrays.
final class WholeAnalysis: Sendable {
  private let name: String
  private let custom: [CustomActivity]
  private let live: [LocomotionSample]
  private let analysis: Analysis
  private let locale: ReportLocale

  /// Analyzes a recording, whose texts are told as `locale` has it.
  ///
  /// It is that at `path`, in any form, by `jobs` threads, nil for one per core; or one of the
  /// caller's, of which `path` is the name.
  init(
    of path: String, _ recording: PlainRecording?, model: ActivityModel, jobs: Int?,
    locale: ReportLocale
  ) throws {
    self.locale = locale
    var live: [LocomotionSample] = []
    if let recording {
      analysis = try Analysis(of: recording.batch, model: model) { live += $0.samples }
      name = path
    } else {
      let source = try RecordingSource(path: path)
      analysis = try Analysis(of: source, model: model, jobs: jobs) { live += $0.samples }
      name = source.name
    }
    (custom, self.live) = (model.namedActivities, live)
  }

  func give(_ kind: String, to results: Results) throws {
    let items = locale.map == nil ? analysis.items : try result.items
    switch kind {
    case "samples":
      let samples = zip(live, analysis.samples).map { live, later in
        var sample = live
        (sample.cadence, sample.steps) = (later.cadence, later.steps)
        return locomotion_sample(sample, custom)
      }
      results.give(kind, samples)
    case "fixes": results.give(kind, analysis.fixes.map { locomotion_fix_report($0) })
    case "items":
      results.give(kind, locomotion_timeline_item.list((items, nil), custom))
    case "custom": results.give(kind, CustomClasses.text(of: custom))
    case "timeline": results.give(kind, try TimelineDocument(result).json)
    case "track": results.give(kind, GeoJSON(try result).text)
    case "summary": results.give(kind, TextSummary(try result).text)
    case "report": results.give(kind, PageDocument(try result).html)
    case "gpx":
      // Others may not read where somebody was, also for an instant.
      let folder = try TemporaryFolder()
      defer { withExtendedLifetime(folder) {} }
      let path = folder.path + "/track.gpx"
      let tracks = ActivityTrack.tracks(of: items, samples: analysis.samples)
      try TrackExporter.write(tracks, as: .gpx, to: path)
      results.give(kind, try String(contentsOfFile: path, encoding: .utf8))
    case "reading":
      let reading = analysis.report
      results.give(kind, reading.read > 0 ? reading.lines.joined(separator: "\n") : "")
    default: throw UsageError("an analysis has no result '\(kind)'")
    }
  }

  private var result: AnalysisResult {
    get throws {
      var result = AnalysisResult(name, analysis)
      result.locale = locale
      try result.consultMap()
      return result
    }
  }
}
