import Locomotion
import TestSupport
import Testing

/// Saved states: nothing is forgotten, and no damage traps.
@Suite struct SavedStateTests {
  private static func outing(seed: UInt64) -> [SensorBatch] {
    cut(events(of: PipelinePropertyTests.outing(seed: seed)), seed: seed, largest: 500)
  }

  /// A pipeline in the middle of an outing, with a fix that waits.
  private static func pipeline(seed: UInt64) -> LocomotionPipeline {
    var pipeline = LocomotionPipeline()
    var output = LocomotionOutput()
    let outing = outing(seed: seed)
    for batch in outing.prefix(outing.count / 2) { pipeline.ingest(batch, into: &output) }
    var fix = SensorBatch()
    let last = output.samples.last?.end ?? Timestamp(nanoseconds: 0)
    fix.append(
      LocationFix(
        timestamp: last.advanced(byNanoseconds: 5_000_000_000), latitude: 48, longitude: 11,
        horizontalAccuracy: 5))
    pipeline.ingest(fix, into: &output)
    return pipeline
  }

  /// A model with custom activities of which each is answered now and then.
  private static let customModel: ActivityModel = {
    let activities = [("stroll", Activity.walking), ("shuttle", .automotive), ("hover", nil)]
      .compactMap { CustomActivity(name: $0.0, behavesLike: $0.1) }
    var function = ActivityModel.default.parameters.function
    let width = 1 + function.means.count * (1 + ActivityModel.knotsPerFeature)
    var random = SplitMix64(seed: 5)
    function.weights = (0..<3 * width).map { _ in Float(0.05 * random.nextNormal()) }
    let term = ActivityModel.CustomTerm(activities: activities, function: function)
    return ActivityModel.default.with { $0.custom = term }
  }()

  /// What isn't saved: the model and what follows from it, which the reader has; memory that the
  /// next window is analysed in; and what is empty between two batches.
  private static let notSaved: Set<String> = [
    "ActivityClassifier.model", "ActivityClassifier.transitions", "ActivityClassifier.customFilter",
    "ActivityClassifier.analyzer", "CadenceEstimator.spectrum", "CadenceEstimator.evidence",
    "CadenceEstimator.analyses", "CadenceEstimator.logOdds", "CadenceEstimator.line",
    "CadenceEstimator.track", "RateFilter.kernel", "RateFilter.predicted",
    "WindowStages.analyses", "WindowStages.batchAnalyzers", "EpochPipeline.closed",
    "EpochPipeline.reports", "RotationIntake.largestRate", "TrackClassifier.model",
    "TrackClassifier.extractor",
  ]

  /// What may stay as it begins: whether there are custom activities is up to the model, a course
  /// is forgotten after 416 steps, and the others are anything else for a moment only.
  private static let unchanged: Set<String> = [
    "State.custom", "State.coastedSeconds", "State.silentSeconds", "StepCounter.owed",
    "EpochAccumulator.cellsBeforeBreak", "TrackHistory.forgotten", "CadenceEstimator.memory",
  ]

  /// An outing with every kind of fault, in which some fixes come before their time.
  static func faultyOuting(seed: UInt64, fixesAlone: Bool) -> [Event] {
    var generator = SplitMix64(seed: seed)
    var faulty: [Event] = []
    let all = events(of: PipelinePropertyTests.outing(seed: seed, rate: 50))
    func moved(_ time: Timestamp) -> Timestamp {
      time.advanced(byNanoseconds: Int64.random(in: -5...5, using: &generator) << 30)
    }
    for (index, event) in all.enumerated() {
      let part = 100 * index / all.count
      switch event {
      case .acceleration(var value, var time):
        // A gap that is filled, one that isn't, and a clock that is set back.
        if fixesAlone || part == 30 || (45..<50).contains(part) { continue }
        if part >= 70 { time = time.advanced(byNanoseconds: -1_100_000_000) }
        // A sensor that is stuck.
        if (53..<58).contains(part) {
          faulty.append(.acceleration(Acceleration(x: 0, y: 0, z: 9.81), time))
          continue
        }
        switch Int.random(in: 0..<200, using: &generator) {
        case 0: continue
        case 1: faulty.append(.acceleration(value, time))
        case 2: value.x = .nan
        case 3: value.y = 170
        case 4: value.z = 5_000
        case 5: time = moved(time)
        default: break
        }
        faulty.append(.acceleration(value, time))
      case .rotation(var value, var time):
        if fixesAlone || part == 31 || (45..<50).contains(part) { continue }
        if part >= 70 { time = time.advanced(byNanoseconds: -1_100_000_000) }
        switch Int.random(in: 0..<200, using: &generator) {
        case 0: faulty.append(.rotation(value, time))
        case 1: value.x = .nan
        case 2: value.y = 5_000
        case 3: time = moved(time)
        default: break
        }
        faulty.append(.rotation(value, time))
      case .pressure(var value, var time):
        switch Int.random(in: 0..<50, using: &generator) {
        case 0: faulty.append(.pressure(value, time))
        case 1: value = .nan
        case 2: value = 5_000
        case 3: time = time.advanced(byNanoseconds: -(1 << 32))
        default: break
        }
        faulty.append(.pressure(value, time))
      case .fix(var fix):
        if seed == 33, part > 10 { fix.horizontalAccuracy = nil }
        if part >= 80 { fix.timestamp = fix.timestamp.advanced(byNanoseconds: -30_000_000_000) }
        if Int.random(in: 0..<20, using: &generator) == 0 { fix.latitude += 0.01 }
        if (60..<75).contains(part) { fix.longitude += 0.02 }
        // Positions that are rounded.
        if seed == 34, part < 60 {
          fix.latitude = (fix.latitude * 1e4).rounded() / 1e4
          fix.longitude = ((fix.longitude + 0.0001 * Double(index % 3)) * 1e4).rounded() / 1e4
        }
        faulty.insert(.fix(fix), at: max(0, faulty.count - [0, 400][index % 2]))
      }
    }
    return faulty
  }

  @Test func noFieldOfAPipelineIsForgotten() throws {
    var (changed, all): (Set<String>, Set<String>) = ([], [])
    for seed in 31...34 as ClosedRange<UInt64> {
      let model = seed == 32 ? Self.customModel : .default
      var pipeline = LocomotionPipeline(model: model)
      let fresh = StoredFields(of: pipeline, omitting: Self.notSaved)
      var output = LocomotionOutput()
      let faulty = Self.faultyOuting(seed: seed, fixesAlone: seed == 34)
      let batches = cut(faulty, seed: seed, largest: TestLength.runs(300, long: 120))
      for (index, batch) in batches.enumerated() {
        pipeline.ingest(batch, into: &output)
        let fields = StoredFields(of: pipeline, omitting: Self.notSaved)
        let restored = StoredFields(
          of: try LocomotionPipeline(savedState: pipeline.savedState, model: model),
          omitting: Self.notSaved)
        #expect(fields.differences(from: restored) == [], "seed \(seed), batch \(index)")
        changed.formUnion(fields.differences(from: fresh))
        all.formUnion(fields.allProperties)
      }
    }
    // A field that no fault changes would be restored without being saved.
    #expect(all.subtracting(changed).subtracting(Self.unchanged) == [])
  }

  @Test func noFieldOfATimelineIsForgotten() throws {
    var builder = TimelineBuilder()
    let samples = run(Self.outing(seed: 32)).samples
    for sample in samples { builder.append(sample) }
    // A clock that is set back, and then one early sample.
    for sample in samples.prefix(60) { builder.append(sample) }
    if let first = samples.first { builder.append(first) }
    #expect(builder.items().count { $0.start == samples.first?.start } == 2)
    var restored = TimelineBuilder()
    let form = ArchiveFile.savedState(model: 0)
    try form.restore(&restored, from: form.bytes(of: &builder))
    let fields = StoredFields(of: builder, omitting: [])
    #expect(fields.differences(from: StoredFields(of: restored, omitting: [])) == [])
  }

  @Test func noFieldOfAnOutputIsForgotten() throws {
    var output = run(Self.outing(seed: 33))
    output.fixes.append(FixReport.blank)
    output.fixes[output.fixes.count - 1].status = .rejected(.outlier)
    output.fixes[output.fixes.count - 1].fix.latitude = .infinity
    var restored = LocomotionOutput()
    let form = ArchiveFile.savedState(model: 0)
    try form.restore(&restored, from: form.bytes(of: &output))
    #expect(restored == output)
    #expect(output.samples.contains { $0.transition != nil })
  }

  @Test func anotherModelIsRefused() throws {
    var parameters = ActivityModel.default.parameters
    parameters.manifest += " "
    let saved = LocomotionPipeline().savedState
    #expect {
      _ = try LocomotionPipeline(savedState: saved, model: ActivityModel(parameters))
    } throws: {
      guard case SavedStateError.otherModel = $0 else { return false }
      return true
    }
  }

  @Test func theLayoutDependsOnTheTypesAndNotOnTheValues() {
    var (fresh, used, timeline) = (
      LocomotionPipeline(), Self.pipeline(seed: 34), TimelineBuilder()
    )
    let layout = ArchiveFile.layout(of: &fresh)
    #expect(ArchiveFile.layout(of: &used) == layout)
    #expect(ArchiveFile.layout(of: &timeline) != layout)
  }

  /// Behind a right checksum wrong values do no harm either: `checkStage` tries that.
  @Test func everyShorterLongerOrChangedStateIsRefused() {
    let saved = Self.pipeline(seed: 35).savedState
    func expectRefused(_ bytes: [UInt8]) {
      #expect(throws: SavedStateError.self) { _ = try LocomotionPipeline(savedState: bytes) }
    }
    expectRefused(saved + [0])
    for place in Array(0..<64) + stride(from: 64, to: saved.count, by: 97) {
      expectRefused(Array(saved.prefix(place)))
      var damaged = saved
      damaged[place] ^= 0x10
      expectRefused(damaged)
    }
  }
}
