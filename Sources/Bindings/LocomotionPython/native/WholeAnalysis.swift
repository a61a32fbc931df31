internal import CLocomotion
internal import Foundation
internal import Locomotion
internal import LocomotionActivityRecognition
internal import LocomotionAnalysis
internal import LocomotionC
internal import LocomotionFormats
internal import LocomotionGait
internal import LocomotionReport
internal import LocomotionSensing

/// The analysis of a recording as a whole, and the documents that `locomotion analyze` writes.
///
/// It gives "samples" (`locomotion_sample`: live, but for the cadence and the steps, which are
/// those of `locomotion cadence`), "fixes" (`locomotion_fix_report`: live), "items"
/// (`locomotion_timeline_item`), and the texts "timeline", "track", "summary", "report" and
/// "reading", a line for each thing that was counted on reading; empty for arrays.
struct WholeAnalysis {
  private var name: String
  private var live: [LocomotionSample] = []
  private let analysis: Analysis

  /// Analyzes the recording at `path`, in any form; `jobs` is nil for one thread per core.
  init(of path: String, model: ActivityModel, jobs: Int?) throws {
    let source = try RecordingSource(path: path)
    var live: [LocomotionSample] = []
    analysis = try Analysis(of: source, model: model, jobs: jobs) { live += $0.samples }
    (name, self.live) = (source.name, live)
  }

  /// Analyzes a recording of the caller's.
  init(of recording: PlainRecording, model: ActivityModel, name: String) throws {
    var live: [LocomotionSample] = []
    analysis = try Analysis(of: recording.batch, model: model) { live += $0.samples }
    (self.name, self.live) = (name, live)
  }

  func give(to results: Results) throws {
    let samples = zip(live, analysis.samples).map { live, later in
      var sample = live
      (sample.cadence, sample.steps) = (later.cadence, later.steps)
      return locomotion_sample(sample, [])
    }
    results.give("samples", samples)
    results.give("fixes", analysis.fixes.map { locomotion_fix_report($0) })
    results.give("items", locomotion_timeline_item.list((analysis.items, nil), []))
    var result = AnalysisResult(name, analysis)
    result.locale.timeZone = .current
    results.give("timeline", try TimelineDocument(analysis.items).json)
    results.give("track", GeoJSON(result).text)
    results.give("summary", TextSummary(result).text)
    let reading = analysis.report
    results.give("reading", reading.read > 0 ? reading.lines.joined(separator: "\n") : "")
    results.give("report", HTMLReport(result, tiles: nil).html)
  }
}
