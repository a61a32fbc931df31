import Foundation
import LocomotionActivityRecognition
import LocomotionRecordings
import LocomotionSensing
import LocomotionTraining
import TestSupport
import Testing

struct WindowCollectorTests {
  /// A data set of one recording at 100 Hz on disk, removed after `body`.
  private func withDataset<Result>(
    labels: String, seconds: Double = 60, skipping gap: Range<Double>? = nil,
    fixes: String? = nil, unit: Double = 1, ratesAt hasRates: ((Double) -> Bool)? = nil,
    _ body: (LabelledDataset) throws -> Result
  ) throws -> Result {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("locomotion-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var generator = SplitMix64(seed: 31)
    var text = "t,ax,ay,az\(hasRates == nil ? "" : ",gx,gy,gz")\n"
    for index in 0..<Int(seconds * 100) {
      let t = Double(index) / 100
      let noise = generator.nextNormal()
      if gap?.contains(t) == true { continue }
      text += "\(t),\(0.1 * noise / unit),\(noise / unit),\((9.8 + noise) / unit)"
      if let hasRates { text += hasRates(t) ? ",\(noise),0,\(-noise)" : ",,," }
      text += "\n"
    }
    try text.write(to: folder.appendingPathComponent("r.csv"), atomically: true, encoding: .utf8)
    try ("recording,subject,start,end,label\n" + labels).write(
      to: folder.appendingPathComponent("labels.csv"), atomically: true, encoding: .utf8)
    if let fixes {
      try ("t,lat,lon,alt,hacc,speed,course\n" + fixes).write(
        to: folder.appendingPathComponent("r.gps.csv"), atomically: true, encoding: .utf8)
    }
    return try body(LabelledDataset(folder: folder.path))
  }

  private func collected(
    _ dataset: LabelledDataset, _ settings: WindowCollector.Settings = .init()
  ) throws -> (set: TrainingSet, report: WindowCollector.Report) {
    var set = WindowCollector.emptySet()
    var outside = WindowCollector.emptySet()
    let report = try WindowCollector(settings: settings)
      .collect(dataset, into: &set, outside: &outside)
    return (set, report)
  }

  @Test func windowsLieFullyInsideOneInterval() throws {
    try withDataset(labels: "r,anna,10,30,walking\nr,anna,30,36,running\n") { dataset in
      let (set, report) = try collected(dataset)
      // 20 s hold 2000 samples: starts at 0, 256, … 1536, seven; 6 s hold one.
      #expect(set.activities.count { $0 == .walking } == 7)
      #expect(set.activities.count { $0 == .running } == 1)
      #expect(report.windows == 8)
      for row in 0..<set.count {
        let interval: ClosedRange<Double> =
          set.activities[row] == .walking ? 10...30 : 30...36
        #expect(interval.contains(set.ends[row].seconds))
        // In whole nanoseconds: 33.84 − 3.84 isn't 30 in binary.
        let start = set.ends[row].advanced(byNanoseconds: -3_840_000_000)
        #expect(interval.contains(start.seconds))
      }
      #expect(set.origin(ofRow: 0).person == "anna")
      #expect(set.origin(ofRow: 0).recording == "r")
    }
  }

  /// Windows end at 13.84, 16.40, 18.96, 21.52, 24.08, 26.64 and 29.20 s; the rates are of the
  /// 5.12 s before, as far as those are labelled.
  @Test func aRecordingInAnotherUnitIsLeftOut() throws {
    try withDataset(labels: "r,anna,10,30,walking\n", unit: 9.80665) { dataset in
      let (set, report) = try collected(dataset)
      #expect(set.count == 0 && report.recordingsWithoutGravity == 1 && report.recordings == 0)
    }
    try withDataset(labels: "r,anna,10,30,walking\n") { dataset in
      let (_, report) = try collected(dataset)
      #expect(report.recordingsWithoutGravity == 0)
    }
  }

  @Test func onlyWindowsWithRatesThroughoutHaveRotationFeatures() throws {
    let labels = "r,anna,10,30,walking\n"
    var settings = WindowCollector.Settings()
    settings.augmentation = .standard
    try withDataset(labels: labels, ratesAt: { !(15.3..<19.3).contains($0) }) { dataset in
      let (set, _) = try collected(dataset, settings)
      let evaluated = (0..<set.count).filter { set.origin(ofRow: $0).isAsRecorded }
      let described = evaluated.map { set.rotation(ofRow: $0) != nil }
      #expect(described == [false, false, false, false, false, true, true])
      #expect(set.count > 7)
      let copies = (0..<set.count).filter { !evaluated.contains($0) }
      #expect(copies.allSatisfy { set.rotation(ofRow: $0) == nil })
    }
    try withDataset(labels: labels) { dataset in
      let set = try collected(dataset).set
      #expect(set.rotationFeatures.isEmpty)
    }
    try withDataset(labels: labels, ratesAt: { _ in true }) { dataset in
      let (set, _) = try collected(dataset)
      let power = try #require(RotationFeatureExtractor.schema.index(of: "rotation.logPower"))
      #expect(set.rotation(ofRow: 0) == nil)
      for row in 1..<set.count {
        let features = Array(try #require(set.rotation(ofRow: row)))
        // Noise of 1 rad²/s² on two axes; a cell is the mean of two samples, which halves it.
        #expect(abs(features[power]) < 0.3)
      }
    }
  }

  @Test func aWindowHasTheNewestSpeedBeforeItsEnd() throws {
    // Windows end at 13.84, 16.40, 18.96, 21.52, 24.08, 26.64 and 29.20 s.
    let fixes = """
      9.0,47,8,,5,1.25,
      16.0,47,8,,5,1.5,
      17.0,47,8,,5,,
      18.0,47,8,,5,2.5,

      """
    try withDataset(labels: "r,anna,10,30,walking\n", fixes: fixes) { dataset in
      let set = try collected(dataset).set
      // The fix at 17 s has no speed; that of 18 s is older than eight seconds in the end.
      #expect(set.speeds == [1.25, 1.5, 2.5, 2.5, 2.5, nil, nil])
      #expect(set.rows([1, 5]).speeds == [1.5, nil])
      var twice = set
      twice.append(contentsOf: set)
      #expect(twice.speeds == set.speeds + set.speeds)
    }
    try withDataset(labels: "r,anna,10,30,walking\n") { dataset in
      let set = try collected(dataset).set
      #expect(set.speeds == Array(repeating: nil, count: 7))
    }
  }

  @Test func labelsWithoutAnActivityAreSkipped() throws {
    try withDataset(labels: "r,anna,10,30,dancing\n") { dataset in
      let (set, report) = try collected(dataset)
      #expect(set.count == 0)
      #expect(report.recordings == 0)
    }
  }

  @Test func noWindowCrossesAGap() throws {
    try withDataset(labels: "r,anna,0,60,walking\n", skipping: 20..<25) { dataset in
      let set = try collected(dataset).set
      for row in 0..<set.count {
        let end = set.ends[row].seconds
        #expect(end <= 20 || end - 3.84 >= 25)
      }
    }
  }

  @Test func marginsShortenEveryInterval() throws {
    try withDataset(labels: "r,anna,10,30,walking\n") { dataset in
      var settings = WindowCollector.Settings()
      settings.marginSeconds = 5
      let (set, _) = try collected(dataset, settings)
      // 10 s hold windows at 0, 256 and 512.
      #expect(set.count == 3)
      #expect(set.ends.allSatisfy { $0.seconds - 3.84 >= 15 && $0.seconds <= 25 })
    }
  }

  @Test func augmentedCopiesAreMarkedAndReproducible() throws {
    try withDataset(labels: "r,anna,10,30,walking\n") { dataset in
      var settings = WindowCollector.Settings()
      settings.augmentation = .standard
      let (set, report) = try collected(dataset, settings)
      #expect(report.windows == 7)
      #expect(report.augmentedWindows == set.count - 7)
      let variants = Set(set.origins.map(\.variant))
      #expect(
        variants == [
          "", "gait", "soft walk", "slow walk", "smooth walk", "hand", "slow sensor",
          "very slow sensor", "swung", "swung hard",
        ])
      #expect(try collected(dataset, settings).set == set)
      settings.seed = 2
      #expect(try collected(dataset, settings).set != set)
      // The originals don't depend on the copies.
      let plain = try collected(dataset).set
      #expect(set.filter { _, origin in origin.isAsRecorded } == plain)
    }
  }

  @Test func aShortStretchIsMirroredForTrainingOnly() throws {
    try withDataset(labels: "r,anna,10,13,walking\nr,anna,20,21,walking\n") { dataset in
      let (set, report) = try collected(dataset)
      #expect(report.windows == 0 && report.augmentedWindows == 1)
      #expect(set.origins.map(\.variant) == ["mirrored"])
      #expect(!set.origin(ofRow: 0).isAsRecorded)
      var settings = WindowCollector.Settings()
      settings.shortestSeconds = 3.84
      #expect(try collected(dataset, settings).set.count == 0)
    }
  }

  @Test func stairsAreTrainedOnAsWalkingAndNotEvaluated() throws {
    try withDataset(labels: "r,anna,10,30,stairs\n") { dataset in
      let (set, report) = try collected(dataset)
      #expect(report.windows == 0 && report.augmentedWindows == 7)
      #expect(set.activities.allSatisfy { $0 == .walking })
      #expect(set.origins.map(\.variant) == ["stairs"])
    }
  }

  @Test func aHopOfZeroStopsTheProgram() async {
    await #expect(processExitsWith: .failure) {
      var settings = WindowCollector.Settings()
      settings.hop = 0
      _ = WindowCollector(settings: settings)
    }
  }
}

struct RealRecordingsTests {
  /// Twelve people of two sets, sitting, walking, running, cycling and driving.
  @Test(
    .enabled(
      if: TestFiles.datasets != nil, "the recordings are absent: set LOCOMOTION_DATASETS"))
  func unseenPeopleOfRealSetsAreClassified() throws {
    let folder = try #require(TestFiles.datasets)
    var (set, outside) = (WindowCollector.emptySet(), WindowCollector.emptySet())
    for name in ["ml4qs_mika", "difronzo"] {
      let dataset = try LabelledDataset(folder: folder.appendingPathComponent(name).path)
      try WindowCollector().collect(dataset, into: &set, outside: &outside)
    }
    #expect(set.countsBySubject.count == 12)
    let heldOut = try HingeRidgeTrainer().heldOutScores(on: set, leavingOut: .subject)
    let probabilities = heldOut.crossFittedProbabilities(on: set, balance: WindowBalance())
    var evaluation = ActivityEvaluation()
    for window in heldOut.evaluatedWindows(of: set) {
      evaluation.add(
        truth: set.activities[window], answer: probabilities[window].answer,
        probabilities: probabilities[window])
    }
    #expect(try #require(evaluation.accuracy) >= 0.94)
    #expect(try #require(evaluation.macroF1) >= 0.92)
  }
}
