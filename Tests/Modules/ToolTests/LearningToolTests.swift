import Foundation
import Locomotion
import LocomotionTool
import SensorSimulator
import TestSupport
import Testing

/// `journal learn`, and the commands that take its model.
@Suite struct LearningToolTests {
  private let folder = ScratchFolder()

  private static let recording = Scenario(
    seed: 4, start: Timestamp(nanoseconds: 1_700_000_000_000_000_000)
  )
  .stand(.seconds(60)).walk(.seconds(240)).stand(.seconds(60)).recording()

  /// Records the scenario in a journal, and returns a file with it.
  private func record() throws -> String {
    let record = try RecordRun(store: folder.store, user: "ada")
    for batch in Self.recording.batches(everySeconds: 10) {
      let all = batch.accelerations
      func list(_ values: [Float]) -> String { values.map { "\($0)" }.joined(separator: ",") }
      let times = all.timestamps.map {
        "\($0.nanoseconds / 1_000_000_000)."
          + String(format: "%03d", $0.nanoseconds / 1_000_000 % 1_000)
      }
      guard !times.isEmpty else { continue }
      try record.send(
        "{\"t\":[\(times.joined(separator: ","))],\"ax\":[\(list(all.x))],"
          + "\"ay\":[\(list(all.y))],\"az\":[\(list(all.z))]}")
    }
    #expect(try record.finish().status == 0)
    return try Self.recording.write(to: folder.path("walk.csv"))
  }

  /// The mean probability of each activity in the walk.
  private func means(_ file: String, _ options: [String]) throws -> [String: Double] {
    let run = try ToolRun.done(["classify", file, "--mode", "smoothed"] + options)
    let lines = run.output.split(separator: "\n").map { $0.split(separator: ",") }
    let rows = lines[80..<280]
    return Dictionary(
      uniqueKeysWithValues: lines[0].indices.dropFirst(3).map { column in
        let values = rows.map { Double($0[column]) ?? 0 }
        return (String(lines[0][column]), values.reduce(0, +) / Double(values.count))
      })
  }

  @Test func aCorrectedWalkTeachesWhatItWas() throws {
    let file = try record()
    let plain = try means(file, [])
    #expect(plain["p_walking"] ?? 0 > 0.9)

    let model = folder.path("my.model")
    func learn() throws -> ToolRun { try folder.journal("learn", ["--out", model]) }
    let nothing = try learn()
    #expect(nothing.status == 0 && nothing.output.contains("no correction"), "\(nothing.errors)")
    let correct = ["--start", "1700000070", "--end", "1700000190", "--activity", "cycling"]
    #expect(try folder.journal("correct", correct).status == 0)
    let learned = try learn()
    #expect(learned.status == 0 && learned.output.hasPrefix("learned\n"), "\(learned.errors)")
    #expect(learned.output.contains("corrected stretches: 1"))
    let taught = try means(file, ["--model", model])
    // One stretch of what the base is sure of, and its steps speak for walking.
    #expect(taught["p_cycling"] ?? 0 > 1.5 * (plain["p_cycling"] ?? 1), "\(plain) \(taught)")
    let out = ["--out", folder.path("out")]
    try ToolRun.done(["analyze", file, "--model", model] + out)
    let rows = try folder.text("out/classify.csv")
    #expect(rows == (try ToolRun(["classify", file, "--model", model]).output))
    #expect(rows != (try ToolRun(["classify", file]).output))
    let day = try folder.journal("day", ["--storyline", "--model", model])
    #expect(day.status == 0, "\(day.errors)")

    #expect(try folder.journal("undo").status == 0)
    #expect(try learn().output.contains("no correction"))
    #expect(try means(file, ["--model", model]) == plain)
  }

  @Test func whatIsNeverDoneIsNeverAnswered() throws {
    let file = try record()
    let model = folder.path("my.model")
    func learn(never: String...) throws -> Int32 {
      try folder.journal("learn", ["--out", model, "--never"] + never).status
    }
    #expect(try learn(never: "walking", "train") == 0)
    let found = try means(file, ["--model", model])
    #expect(found["p_walking"] == 0 && found["p_train"] == 0)
    #expect(try learn(never: "flying") == 2)
    #expect(
      try learn(never: "stationary", "walking", "running", "cycling", "automotive") == 2)
    #expect(try folder.journal("learn").status == 2)
    // The model never takes the place of the journal, nor of a companion of it.
    for path in [folder.store, folder.store + "-wal"] {
      #expect(try folder.journal("learn", ["--out", path]).status == 2)
    }
  }
}

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
        let features = history.takeFeatures(ofSecondEndingAt: sample.end)
        let evidence = try #require(sample.activityEvidence)
        #expect((features != nil) == (evidence.exponent > 0))
        guard let features else { continue }
        evaluated += 1
        #expect(features.rotation.isEmpty != evidence.hasRotation)
        if evidence.hasRotation { rotating += 1 }
        let window = ActivityModel.default.probabilities(
          of: features.accelerations.slice.span, rotation: features.rotation.slice.span)
        // The steps found with it are evidence, too, and so is that the phone is still.
        #expect(
          evidence.window == window || evidence.window[.stationary] > 0.99
            || observations.contains { evidence.window == window.weighed(by: $0) })
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
    let run = try ToolRun.done(["classify", path, "--mode", mode, "--explain"])
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
