import Locomotion
import LocomotionAnalysis
import LocomotionFormats
import LocomotionRecordings
@_spi(Server) import LocomotionTool
import LocomotionTraining

extension Command {
  static let scoreFixes = Command(
    name: "score fixes",
    synopsis: "--dataset DIRECTORY… [--model FILE]",
    summary: "Scores activities from fixes alone, thinned as recorders do, second by second.",
    options: [.dataset, .model],
    run: runScoreFixes)

  private static func runScoreFixes(_ arguments: Arguments) throws {
    let model = try arguments.model()
    let recorders = TrackCollector.Recorder.allCases
    var scores = recorders.map { TrackTermTrainer.Score(recorder: $0.name) }
    try arguments.forEachRecording(\.hasFixes, "fixes") {
      $0.activity != nil
    } _: { recording, labels, _ in
      let fixes = try RecordingSource(path: recording.path).fixes()
      for (index, recorder) in recorders.enumerated() {
        var batch = SensorBatch()
        batch.fixes = recorder.thinned(fixes)
        var live: [LocomotionSample] = []
        let analysis = try Analysis(of: batch, model: model) { live += $0.samples }
        for interval in labels {
          scores[index].add(interval, live: live, smoothed: analysis.samples)
        }
      }
    }
    try TextOutput.print(TrackTermTrainer.Score.text(of: scores))
  }
}

extension TrackTermTrainer.Score {
  /// Adds the seconds with fixes of a labelled interval.
  fileprivate mutating func add(
    _ interval: LabelledDataset.Interval, live known: [LocomotionSample],
    smoothed later: [LocomotionSample]
  ) {
    guard let truth = interval.activity.flatMap(Activity.init(name:)) else { return }
    for (now, then) in zip(known, later)
    where now.rawLocation != nil && interval.start <= now.start && now.end <= interval.end {
      live.add(
        truth: truth, answer: now.activity?.activity,
        probabilities: now.activity?.probabilities ?? .uniform)
      smoothed.add(
        truth: truth, answer: then.activity?.activity,
        probabilities: then.activity?.probabilities ?? .uniform)
    }
  }
}

extension RecordingSource {
  /// All location fixes, in the order in which they are read.
  func fixes() throws(RecordingError) -> [LocationFix] {
    var reader = try reader()
    var batch = SensorBatch()
    var fixes: [LocationFix] = []
    while try reader.read(into: &batch) { fixes += batch.fixes }
    return fixes
  }
}
