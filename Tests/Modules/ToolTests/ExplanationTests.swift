import Foundation
import Locomotion
import LocomotionActivityRecognition
import LocomotionSensing
import LocomotionTool
import SensorSimulator
import TestSupport
import Testing

/// The output of `classify --explain`, which explains the pipeline's own windows.
@Suite struct ExplanationTests {
  private let folder = ScratchFolder()

  private func recording(hasGyroscope: Bool) -> SimulatedRecording {
    var phone = SimulatedPhone()
    phone.hasGyroscope = hasGyroscope
    return Scenario(seed: 5, start: Timestamp(nanoseconds: 250_000_000), phone: phone)
      .rest(.seconds(20)).walk(.seconds(60)).drive(.seconds(40)).recording()
  }

  @Test(arguments: [false, true])
  func explainedWindowsEqualThoseOfThePipeline(hasGyroscope: Bool) throws {
    let model = ActivityModel.default
    var pipeline = LocomotionPipeline()
    var history = WindowHistory()
    var (evaluated, rotating) = (0, 0)
    let observations = [(nil, 1), (100, 0.5), (50, 1), (100, 1), (160, 1)].map {
      SteppingObservation(stepsPerMinute: $0, probability: $1)
    }
    for var batch in recording(hasGyroscope: hasGyroscope).batches(everySeconds: 7) {
      batch.fixes.removeAll()  // A speed would be evidence that is not in the window.
      history.append(batch)
      for sample in pipeline.ingest(batch).samples {
        let features = history.features(ofSecondEndingAt: sample.end)
        let evidence = try #require(sample.activityEvidence)
        // A novel window has features, but is no evidence.
        let isNovel = features.map { model.isNovel($0.accelerations.slice.span) } ?? false
        #expect((features != nil && !isNovel) == (evidence.exponent > 0))
        guard let features, !isNovel else { continue }
        evaluated += 1
        #expect(features.rotation.isEmpty != evidence.hasRotation)
        if evidence.hasRotation { rotating += 1 }
        let window = ActivityModel.default.probabilities(
          of: features.accelerations.slice.span, rotation: features.rotation.slice.span)
        // The steps found with it are evidence, too.
        #expect(
          evidence.window == window
            || observations.contains { evidence.window == window.weighed(by: $0) })
        history.forget(before: sample.end)
      }
    }
    #expect(evaluated > 100)
    #expect(rotating > 100 || !hasGyroscope)
  }

  @Test(arguments: ["live", "smoothed"], [false, true])
  func everyDecisionIsExplainedByFiveFeatures(mode: String, hasGyroscope: Bool) throws {
    let path = try recording(hasGyroscope: hasGyroscope).write(
      to: folder.path("outing.csv"), hasGyroscope: hasGyroscope)
    let answers = try ToolRun(["classify", path, "--mode", mode]).rows
    let run = try ToolRun(["classify", path, "--mode", mode, "--explain"])
    #expect(run.status == 0)
    #expect(run.lines[0] == "t_end,activity,runner_up,feature,value,contribution")
    var rotating = 0
    let byTime = Dictionary(grouping: run.rows) { $0[0] }
    // In hindsight the first two seconds have an answer, but no window of their own.
    let first = mode == "smoothed" ? 2 : 0
    for answer in answers.dropFirst(first) where answer[2] != "unknown" {
      let lines = try #require(byTime[answer[1]])
      #expect(lines.count == 5)
      #expect(Set(lines.map { $0[3] }).count == 5)
      #expect(lines.allSatisfy { $0[1] == answer[2] && $0[2] != answer[2] })
      let contributions = lines.map { Double($0[5]) ?? .nan }
      #expect(contributions == contributions.sorted(by: >))
      for line in lines {
        let name = String(line[3])
        let isRotation = RotationFeatureExtractor.schema.index(of: name) != nil
        #expect(isRotation || FeatureExtractor.schema.index(of: name) != nil)
        if isRotation { rotating += 1 }
        #expect(Double(line[4])?.isFinite == true)
      }
    }
    #expect(byTime.count > 100)
    #expect((rotating > 0) == hasGyroscope)
  }
}
