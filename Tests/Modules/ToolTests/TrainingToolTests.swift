import Foundation
import LocomotionRecordings
import LocomotionReport
import LocomotionSensing
import SensorSimulator
import TestSupport
import Testing

/// The pages and the JSON that `train` and `evaluate` write beside the model.
@Suite struct TrainingToolTests {
  private let folder = ScratchFolder()

  /// Markup that would change the page unescaped, as far as a file system allows it in names.
  private static let hostile = "<script>alert('1')<img src=x onerror=\"a&b\">"

  private func object(_ name: String) throws -> [String: Any] {
    let json = try JSONSerialization.jsonObject(with: folder.data(name))
    return try #require(json as? [String: Any])
  }

  private func check(page: String) {
    HTMLReportTests.expectProperNesting(of: page, "training")
    let page = HTMLReportTests.withoutScript(page)
    for word in ["http:", "https:", "url(", "@import", "href=", "<img", ":nan"] {
      #expect(!page.contains(word), "\(word)")
    }
    #expect(page.contains("default-src 'none'"))
    for heading in ["Confusion", "Calibration", "By data set", "By person", "Where it fails"] {
      #expect(page.contains("\"heading\":\"\(heading): "), "\(heading)")
    }
    #expect(page.matches(of: #/"bins":\[\[0\.\d+,/#).count == 2)
  }

  @Test func trainingWritesItsWindowsWithCrossValidation() throws {
    let sets = [
      try folder.makeDataset(of: "ada", "bob"), try folder.makeDataset(of: "eve", "dan", "kim"),
    ]
    try ToolRun.done(
      ["train", "--as-recorded", "--dataset"] + sets
        + ["--out", folder.path("model"), "--windows", folder.path("windows.csv")])
    let lines = try folder.text("windows.csv").split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false)
    }
    #expect(lines[0].prefix(3) == ["dataset", "person", "recording"])
    #expect(lines[0].suffix(2) == ["score_stationary", "score_walking"])
    #expect(lines.count > 300 && lines.allSatisfy { $0.count == lines[0].count })
    // Each is scored by the model of the other set, which is mostly right about it.
    let right = lines.dropFirst().count { line in
      guard let still = Double(line[line.count - 2]), let walk = Double(line[line.count - 1])
      else { return false }
      return (line[6] == "walking") == (walk > still)
    }
    #expect(right * 10 > lines.count * 7)
  }

  @Test func problemsOfTheDataAreSaidBeforeTrainingAndInItsReport() throws {
    let dataset = try folder.makeDataset(of: "ada", "bob")
    let more = "ada0,ada,2,58,walkin\nada9,ada,0,9,walking\nbob1,,0,9000,standing\n"
    try folder.write(folder.text("set2/labels.csv") + more, to: "set2/labels.csv")
    let expected = [
      "ada9: no recording of this name in the folder",
      "labels.csv: 1 label without a subject, taken for one person",
      "label 'walkin' stands for no activity (0.93 min): did you mean 'walking'?",
      "bob1: 1 of 4 labels beyond the recording's ends, by up to 8850 s",
    ]
    let model = folder.path("model")
    let page = folder.path("report.html")
    let train = ["train", "--as-recorded", "--dataset", dataset, "--out", model]
    let strict = try ToolRun(train + ["--strict"])
    #expect(strict.status == 3 && !FileManager.default.fileExists(atPath: model))
    #expect(strict.errors.contains("problems of the data, which '--strict' does not allow"))
    let run = try ToolRun.done(train + ["--report", page])
    let html = try folder.text("report.html")
    let check = try ToolRun(["check-dataset", dataset])
    #expect(check.status == 0 && check.lines.contains { $0.hasPrefix("ada0 ") })
    for problem in expected {
      #expect(strict.errors.contains(problem), "\(strict.errors)")
      #expect(run.errors.contains(problem) && run.output.contains(problem))
      #expect(check.output.contains("  \(problem)\n"), "\(check.output)")
    }
    #expect(html.contains("ada9: no recording of this name in the folder"))
    #expect(try ToolRun(["check-dataset", dataset, "--strict"]).status == 3)
    #expect(try ToolRun(["evaluate", "--dataset", dataset, "--strict"]).status == 3)
    let sound = try folder.makeDataset(of: "eve")
    #expect(try ToolRun(["check-dataset", sound, "--strict"]).status == 0)
  }

  @Test func minutesOutsideTheRecordingLabelNothing() throws {
    let dataset = try folder.makeDataset(of: "ada")
    let labels = try folder.text("set1/labels.csv") + "ada0,ada,4000,96000,standing\n"
    try folder.write(labels, to: "set1/labels.csv")
    let row = try ToolRun.done(["check-dataset", dataset]).lines.first {
      $0.hasPrefix("  stationary")
    }
    #expect(row?.contains("1.9") == true, "\(row ?? "")")
  }

  @Test func scoresOnTheModelsOwnDataSetAreSaidToBeThat() throws {
    let own = try folder.makeDataset(of: "ada", "bob")
    let other = try folder.makeDataset(of: "eve")
    let model = folder.path("model")
    try ToolRun.done(["train", "--as-recorded", "--dataset", own, "--out", model])
    let words = "The model was trained on set2: its scores there are those of people it knows."
    let scored = try ToolRun(["evaluate", "--model", model, "--dataset", own, other])
    #expect(scored.errors.contains(words) && scored.output.hasPrefix(words))
    #expect(!scored.output.contains("trained on set1"))
    let json = try ToolRun(["evaluate", "--model", model, "--dataset", own, "--json"])
    #expect(json.errors.contains(words) && json.output.hasPrefix("{"))
    let unknown = try ToolRun(["evaluate", "--model", model, "--dataset", other])
    #expect(unknown.status == 0 && !unknown.errors.contains("was trained on"))
  }

  @Test func trainingWritesAPageAndJSON() throws {
    let dataset = try folder.makeDataset(of: "ada", Self.hostile)
    let page = folder.path("report.html")
    let json = folder.path("report.json")
    let model = folder.path("model")
    let run = try ToolRun.done(
      ["train", "--dataset", dataset, "--out", model, "--report", page, "--json", json])

    let report = try object("report.json")
    let people = try #require(report["unseenPeople"] as? [String: Any])
    for stage in ["windows", "live", "smoothed"] {
      let scores = try #require(people[stage] as? [String: Any])
      let overall = try #require(scores["overall"] as? [String: Any])
      let confusion = try #require(overall["confusion"] as? [String: [String: Int]])
      #expect(confusion["walking"]?.keys.contains("unknown") == true)
      #expect((overall["reliability"] as? [String: Any])?["bins"] is [Any])
      #expect((scores["bySubject"] as? [String: Any])?.count == 2)
    }
    #expect((report["classes"] as? [String])?.contains("walking") == true)
    #expect(run.output.contains("Every class counts the same"))
    #expect(run.output.contains("were right; the"))
    // Standing that is labelled walking is an error in every recording.
    let failures = try #require(people["failures"] as? [[String: Any]])
    #expect(failures.count >= 4)
    for key in ["dataset", "person", "recording", "start", "end", "windows", "truth", "answer"] {
      #expect(failures.allSatisfy { $0[key] != nil }, "\(key)")
    }
    #expect(failures.contains { $0["truth"] as? String == "walking" })
    let lengths = failures.compactMap { $0["windows"] as? Int }
    #expect(lengths == lengths.sorted(by: >))

    let html = try folder.text("report.html")
    check(page: html)
    // In words, and for the script.
    let escaped =
      "&lt;script&gt;alert(&#39;1&#39;)&lt;img src=x onerror=&quot;a&amp;b&quot;&gt;"
    for text in [escaped, PageValue.text(Self.hostile).json] {
      #expect(html.contains(text), "\(text)")
    }
  }

  @Test func evaluationWritesAPage() throws {
    let dataset = try folder.makeDataset(of: "ada", "bob")
    let page = folder.path("report.html")
    for arguments in [[], ["--leave-one-subject-out"]] {
      let run = try ToolRun.done(
        ["evaluate", "--dataset", dataset, "--json", "--report", page] + arguments)
      _ = try run.object()
      check(page: try folder.text("report.html"))
    }
  }

  @Test func aModelCanBeAdaptedToOnePerson() throws {
    let dataset = try folder.makeDataset(of: "ada")
    let first = folder.path("first.model")
    let second = folder.path("second.model")
    let json = folder.path("report.json")
    let page = folder.path("report.html")
    let run = try ToolRun.done(
      ["train", "--dataset", dataset, "--on-default", "--out", first]
        + ["--json", json, "--report", page])
    #expect(run.output.contains("Trained on top of a base"))
    let adaptation = try #require(try object("report.json")["adaptation"] as? [String: Any])
    #expect(adaptation["leftOut"] as? String == "recordings")
    #expect(adaptation["stretches"] as? Int ?? 0 > 0)
    check(page: try folder.text("report.html"))
    try ToolRun.done(["train", "--dataset", dataset, "--base", first, "--out", second])
    #expect(try ToolRun(["evaluate", "--dataset", dataset, "--model", second]).status == 0)
  }

  @Test func customActivitiesAreTrainedClassifiedAndScored() throws {
    var dataset = try DatasetScript(in: folder)
    for person in 0..<4 {
      let labels = ["2,58,standing", "65,115,walking", "125,175,Nordic walking"]
      try dataset.add("r\(person)", of: "p\(person)", seed: UInt64(person), labels: labels) {
        $0.stand(.seconds(60)).walk(.seconds(60)).run(.seconds(60))
      }
    }
    let model = folder.path("model")
    let training = try ToolRun([
      "train", "--dataset", dataset.path, "--class", "nordic_walking=walking", "--out", model,
      "--report", folder.path("page.html"), "--json", folder.path("report.json"),
    ])
    #expect(training.status == 0, "\(training.errors)")
    #expect(training.output.contains("custom activity"))
    #expect(!training.errors.contains("stands for no activity"))
    let custom = try #require(try object("report.json")["custom"] as? [[String: Any]])
    #expect(custom.map { $0["name"] as? String } == ["nordic_walking"])
    #expect(try #require(custom[0]["recall"] as? Double) > 0.9)
    #expect(try folder.text("page.html").contains("nordic_walking"))

    let recording = dataset.path + "/r0.csv"
    for mode in ["live", "lagged", "smoothed"] {
      let run = try ToolRun(["classify", recording, "--model", model, "--mode", mode])
      #expect(run.lines[0].hasSuffix(",custom,p_nordic_walking"))
      let inside = run.rows.filter { Double($0[0]).map { $0 > 140 && $0 < 170 } ?? false }
      #expect(!inside.isEmpty)
      #expect(inside.allSatisfy { $0[2] == "walking" && $0[9] == "nordic_walking" }, "\(mode)")
      let before = run.rows.filter { Double($0[0]).map { $0 > 80 && $0 < 110 } ?? false }
      #expect(before.allSatisfy { $0[2] == "walking" && $0[9].isEmpty }, "\(mode)")
    }
    #expect(try ToolRun(["timeline", "--json", "--model", model, recording]).status == 0)
    let scores = try ToolRun(["evaluate", "--dataset", dataset.path, "--model", model])
    #expect(scores.output.contains("nordic_walking"), "\(scores.errors)")
    let plain = try ToolRun(["classify", recording]).lines[0]
    #expect(plain.hasPrefix("t_start,t_end,activity,p_stationary,p_walking,p_running,"))
    #expect(plain.hasSuffix(",p_train"))
  }

  @Test(arguments: [
    ["--on-default", "--base", "m"], ["--method", "forest"],
    ["--on-default", "--balance", "people"], ["--on-default", "--class-weights", "walking=2"],
    ["--class", "Scooter=cycling"], ["--class", "scooter"], ["--class", "scooter=flying"],
    ["--class", "a=none,a=none"], ["--class", "walking=none"], ["--class-weights", "walking=0"],
    ["--class-weights", "walking"], ["--class-weights", "hopping=1"], ["--balance", "sometimes"],
    ["--class", (1...9).map { "a\($0)=none" }.joined(separator: ",")],
  ]) func badOrContradictoryOptionsAreAUsageError(arguments: [String]) throws {
    let run = try ToolRun(["train", "--dataset", "d", "--out", "o"] + arguments)
    #expect(run.output.isEmpty)
    run.expectRefusal(2, [])
  }
}

extension SimulatedRecording {
  /// Writes the recording as a tidy file, and returns its path.
  @discardableResult
  func write(
    to path: String, hasGyroscope: Bool = false, every seconds: Double = 10
  ) throws -> String {
    var writer = try RecordingWriter(path: path, hasGyroscope: hasGyroscope)
    for batch in batches(everySeconds: seconds) { try writer.write(batch) }
    try writer.close()
    return path
  }
}

/// A labelled data set of simulated recordings in the tidy format.
struct DatasetScript {
  let path: String
  private var labels = "recording,subject,start,end,label\n"

  /// An empty data set in a folder of a scratch folder, or in the scratch folder itself.
  init(in folder: ScratchFolder, _ name: String = "set") throws {
    path = try folder.makeFolder(name)
  }

  /// Adds a recording of a person, which begins at 0 s, and its labels: start and end, seconds, and
  /// the label itself.
  mutating func add(
    _ name: String, ending: String = ".csv", of person: String, seed: UInt64,
    labels intervals: [String], _ scenario: (Scenario) -> Scenario
  ) throws {
    func quoted(_ text: String) -> String {
      "\"\(text.replacingOccurrences(of: "\"", with: "\"\""))\""
    }
    let start = Scenario(seed: seed, start: Timestamp(nanoseconds: 0))
    try scenario(start).recording().write(to: "\(path)/\(name)\(ending)")
    for interval in intervals { labels += "\(quoted(name)),\(quoted(person)),\(interval)\n" }
    try Data(labels.utf8).write(to: URL(fileURLWithPath: path + "/labels.csv"))
  }
}

extension ScratchFolder {
  /// A data set in the tidy format in which each of `people` stands and walks; the last standing of
  /// each is labelled walking, so that there are errors.
  func makeDataset(of people: String...) throws -> String {
    var dataset = try DatasetScript(in: self, "set\(people.count)")
    for (index, person) in people.enumerated() {
      for part in 0..<2 {
        let labels = ["2,58,standing", "65,115,walking", "125,148,walking"]
        try dataset.add(
          "\(person)\(part)", of: person, seed: UInt64(10 * index + part), labels: labels
        ) {
          $0.stand(.seconds(60)).walk(.seconds(60)).stand(.seconds(30))
        }
      }
    }
    return dataset.path
  }
}
