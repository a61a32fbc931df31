import Foundation
import LocomotionActivityRecognition
import LocomotionSensing
import LocomotionTraining
import TestSupport
import Testing

/// The second stage: the rotation term of a model of the accelerations.
struct RotationTermTrainingTests {
  /// The set with two rotation features per window: the first encodes the class by `signal` for the
  /// given person, the second is noise; every third window of the odd people has none.
  private static func rotating(
    _ plain: TrainingSet, signal: (Activity, String) -> Double
  ) -> TrainingSet {
    var generator = SplitMix64(seed: 9)
    return plain.replacing(
      rotationFeatures: 2,
      rotation: { row in
        let person = plain.origin(ofRow: row).person
        let values = [
          Float(signal(plain.activities[row], person) + 0.3 * generator.nextNormal()),
          Float(generator.nextNormal()),
        ]
        return ["p1", "p3", "p5"].contains(person) && row % 3 == 0 ? nil : values[...]
      })
  }

  private let plain = syntheticSet(windows: 900, datasets: 2, peoplePerSet: 3)
  private let useful: TrainingSet

  init() {
    useful = Self.rotating(plain) { activity, _ in activity == .running ? 2 : 0 }
  }

  private var described: Int { (0..<useful.count).count { useful.rotation(ofRow: $0) != nil } }

  @Test func aUsefulTermIsKeptAndReported() throws {
    let (model, report) = try ModelTrainer().train(on: useful)
    #expect(model.rotationFeatureCount == 2)
    let unseen = report.unseenPeople
    let without = try #require(unseen.withoutRotation)
    #expect(without.windowsWithRotation == described)
    #expect(
      try #require(unseen.windows.mergingRail.balancedAccuracy) > #require(without.windows) + 0.02)
  }

  @Test func ratesKeepTheModelOfTheAccelerations() throws {
    let (with, report) = try ModelTrainer().train(on: useful)
    let (without, plainReport) = try ModelTrainer().train(on: plain)
    var parameters = with.parameters
    parameters.rotation = nil
    parameters.manifest = without.parameters.manifest
    #expect(parameters == without.parameters)
    #expect(plainReport.unseenPeople.withoutRotation == nil)
    let figures = try #require(report.unseenPeople.withoutRotation)
    #expect(figures.windows == plainReport.unseenPeople.windows.mergingRail.balancedAccuracy)
    #expect(figures.live == plainReport.unseenPeople.live.mergingRail.balancedAccuracy)
    #expect(figures.smoothed == plainReport.unseenPeople.smoothed.mergingRail.balancedAccuracy)
  }

  @Test func trainingTwiceGivesTheSameBits() throws {
    let (one, other) = (try ModelTrainer().train(on: useful), try ModelTrainer().train(on: useful))
    #expect(one.model.parameters == other.model.parameters)
    #expect(one.report == other.report)
    #expect(one.report.json == other.report.json)
  }

  /// The normal equations window by window in Double, solved by elimination.
  @Test func theTermSolvesTheWeightedRidgeOfTheResiduals() throws {
    let model = try ModelTrainer().train(on: useful).model
    let term = try #require(model.parameters.rotation)
    let heldOut = try HingeRidgeTrainer().heldOutScores(on: useful, leavingOut: .subject)
    let rows = (0..<useful.count).filter { useful.rotation(ofRow: $0) != nil }
    let weights = WindowBalance().weights(for: useful.rows(rows))
    let width = 15
    var system = [[Double]](repeating: Array(repeating: 0, count: width + 3), count: width)
    for (row, weight) in zip(rows, weights) {
      var columns = [1.0]
      for (feature, value) in (useful.rotation(ofRow: row) ?? []).enumerated() {
        let u = Double(min(6, max(-6, (value - term.means[feature]) / term.scales[feature])))
        columns.append(u)
        for knot in term.knots[6 * feature..<6 * feature + 6] {
          columns.append(max(0, u - Double(knot)))
        }
      }
      for i in 0..<width {
        for j in 0..<width { system[i][j] += weight * columns[i] * columns[j] }
        for (index, activity) in heldOut.classes.enumerated() {
          let target = activity == useful.activities[row] ? 1.0 : -1
          let score = heldOut.scores(ofWindow: row)[row * heldOut.classes.count + index]
          system[i][width + index] += weight * columns[i] * (target - score)
        }
      }
    }
    for i in 1..<width { system[i][i] += HingeRidgeTrainer.Settings().ridge }
    let expected = system.map { Array($0[..<width]) }.solution(
      of: system.map { Array($0[width...]) })
    for index in 0..<3 {
      for row in 0..<width {
        // Weights of about 1 in Float; the system's condition is about 10⁴ in Double.
        #expect(abs(Double(term.weights[index * width + row]) - expected[row][index]) <= 1e-6)
      }
    }
  }

  /// A feature that encodes the class differently for each person is uninformative for unseen
  /// people: if a person weren't held out of the term, the accuracy would be nearly 1.
  @Test func theTermIsEvaluatedOnHeldOutPeople() throws {
    let coded = Self.rotating(plain) { activity, person in
      let shift = Int(person.dropFirst()) ?? 0
      return 4 * Double((activity.rawValue + shift) % 3)
    }
    let (model, report) = try ModelTrainer().train(on: coded)
    #expect((model.parameters.rotation != nil) == (report.unseenPeople.withoutRotation != nil))
    guard let without = report.unseenPeople.withoutRotation?.windows else { return }
    #expect(
      try #require(report.unseenPeople.windows.mergingRail.balancedAccuracy) <= without + 0.05)
  }

  @Test func aTermWithoutGainIsDropped() throws {
    // In the second data set the feature has the opposite meaning.
    let misleading = Self.rotating(plain) { activity, person in
      let isSecond = ["p1", "p3", "p5"].contains(person)
      return (activity == .running) == isSecond ? 4 : 0
    }
    let (model, report) = try ModelTrainer().train(on: misleading)
    #expect(model.parameters.rotation == nil)
    #expect(report.unseenPeople.withoutRotation == nil)
    let without = try ModelTrainer().train(on: plain)
    #expect(report.unseenPeople == without.report.unseenPeople)
  }

  @Test func aModelIsEvaluatedWithItsTerm() throws {
    let model = try ModelTrainer().train(on: useful).model
    let unseen = Self.rotating(syntheticSet(windows: 300, seed: 77)) { activity, _ in
      activity == .running ? 2 : 0
    }
    let report = EvaluationReport(of: model, on: unseen)
    var right = 0
    for row in 0..<unseen.count {
      let rotation = Array(unseen.rotation(ofRow: row) ?? [])
      let answer = model.probabilities(
        of: unseen.features(ofRow: row).span, rotation: rotation.slice.span)
      right += answer.mostProbable == unseen.activities[row] ? 1 : 0
    }
    #expect(report.windows.overall.correct == right)
    #expect(report.withoutRotation != nil)
  }

  @Test func theAdapterKeepsTheBasesTerm() throws {
    let base = try ModelTrainer().train(on: useful).model
    let own = Self.rotating(syntheticSet(windows: 300, seed: 5)) { activity, _ in
      activity == .running ? 2 : 0
    }
    // Recordings without a gyroscope keep the term, too.
    for set in [own, syntheticSet(windows: 300, seed: 5)] {
      let model = try ModelAdapter().train(from: base, on: set).model
      #expect(model.parameters.rotation == base.parameters.rotation)
    }
  }
}

@Suite struct CustomTermTrainerTests {
  /// Synthetic people, of whom those of the third and fourth class do a kind of the second.
  private func windows(
    people: Int = 6, count: Int = 4000
  ) -> (set: TrainingSet, outside: TrainingSet) {
    let plain = syntheticSet(windows: count, classes: 5, datasets: 1, peoplePerSet: people)
    let all = plain.replacing(
      activity: { [0, 4].contains(plain.activities[$0].rawValue) ? .stationary : .walking },
      origin: { row in
        var origin = plain.origin(ofRow: row)
        origin.customActivity = ["", "", "jog", "skip", "ski"][plain.activities[row].rawValue]
        return origin
      })
    return (all.filter { $1.customActivity != "ski" }, all.filter { $1.customActivity == "ski" })
  }

  private let activities = [("ski", nil), ("jog", .walking), ("skip", .walking)]
    .compactMap { CustomActivity(name: $0.0, behavesLike: $0.1) }

  private func failure(_ body: () throws(TrainingError) -> Void) -> TrainingError? {
    do throws(TrainingError) { try body() } catch { return error }
    return nil
  }

  @Test func kindsAreRecognisedInPeopleLeftOut() throws {
    let (set, outside) = windows()
    let (term, scores) = try CustomTermTrainer(temperature: 1).train(
      activities, on: set, outside: outside)
    #expect(term.activities == activities)
    #expect(scores.map(\.name) == ["ski", "jog", "skip"])
    #expect(scores.map(\.leftOut) == [.people, .people, .people])
    #expect(scores.map(\.behavesLike) == [nil, "walking", "walking"])
    for score in scores {
      #expect(try #require(score.recall) > 0.5, "\(score)")
      #expect(try #require(score.ordinaryRecall) > 0.5, "\(score)")
      #expect(score.people == 6)
    }
    #expect(scores[0].windows == outside.count)
    #expect(scores[0].ordinaryWindows == set.count)
  }

  @Test func theTermScoresWindowsAsItWasFitted() throws {
    let (set, outside) = windows()
    let (term, heldOut) = try CustomTermTrainer(temperature: 1).train(
      activities, on: set, outside: outside)
    var plain = set.filter { _, origin in origin.customActivity.isEmpty }
    plain.append(contentsOf: set.filter { _, origin in !origin.customActivity.isEmpty })
    let base = try ModelTrainer().train(on: plain).model
    let model = base.with { $0.custom = term }
    let scores = CustomTermTrainer.scores(of: model, on: set, outside: outside)
    #expect(scores.map(\.windows).sorted() == heldOut.map(\.windows).sorted())
    for score in scores {
      let out = try #require(heldOut.first { $0.name == score.name })
      // Windows trained on are recognised at least about as well as those of people left out.
      #expect(try #require(score.recall) > (out.recall ?? 1) - 0.1)
      #expect(score.leftOut == nil)
    }
    for row in stride(from: 0, to: set.count, by: 97) {
      let features = set.features(ofRow: row).span
      let (with, without) = (model.scores(of: features), base.scores(of: features))
      #expect(with == without)
    }
  }

  @Test func onePersonIsLeftOutByRecordings() throws {
    let (set, outside) = windows(people: 1)
    let split = set.splitIntoRecordings(4)
    let score = try CustomTermTrainer(temperature: 1).train(
      Array(activities[1...]), on: split, outside: outside
    ).scores[0]
    #expect(score.leftOut == .recordings)
    #expect(try #require(score.recall) > 0.5)
    let alone = try CustomTermTrainer(temperature: 1).train(
      Array(activities[1...]), on: set, outside: outside
    ).scores[0]
    #expect(alone.leftOut == nil)
    #expect(try #require(alone.recall) > 0.5)
  }

  @Test func whatIsMissingIsNamed() throws {
    let (set, outside) = windows(count: 400)
    let trainer = CustomTermTrainer(temperature: 1)
    let flying = try #require(CustomActivity(name: "flying", behavesLike: .walking))
    let scooter = try #require(CustomActivity(name: "jog", behavesLike: .cycling))
    #expect(
      failure { () throws(TrainingError) in
        _ = try trainer.train([flying], on: set, outside: outside)
      } == .noWindows(customActivity: "flying"))
    let onlyCustom = set.filter { _, origin in !origin.customActivity.isEmpty }
    #expect(
      failure { () throws(TrainingError) in
        _ = try trainer.train([activities[1]], on: onlyCustom, outside: outside)
      } == .nothingOrdinary(customActivity: "jog", behavesLike: .walking))
    #expect(
      failure { () throws(TrainingError) in
        _ = try trainer.train([scooter], on: set, outside: outside)
      } == .noWindows(customActivity: "jog"))
    let many = (0..<6).compactMap { CustomActivity(name: "a\($0)", behavesLike: .walking) }
    #expect(
      failure { () throws(TrainingError) in
        _ = try trainer.train(many, on: set, outside: outside)
      } == .tooManyAlike(found: 6, limit: 5))
  }
}

extension TrainingSet {
  /// The same windows, one after the other in `count` recordings.
  fileprivate func splitIntoRecordings(_ count: Int) -> TrainingSet {
    replacing(origin: { row in
      var origin = origin(ofRow: row)
      origin.recording = "part \(row % count)"
      return origin
    })
  }
}

/// What answers by fixes alone: its training, where classes are easily told apart.
@Suite struct TrackTermTrainerTests {
  /// Steps of each class whose features lie about the class's own value.
  private static func set(datasets: Int, classes: [Activity] = Activity.allCases) -> TrainingSet {
    var random = SplitMix64(seed: 4)
    var set = TrackCollector.emptySet()
    for dataset in 0..<datasets {
      for activity in classes {
        for recorder in TrackCollector.Recorder.allCases {
          let origin = RecordingOrigin(
            dataset: "set \(dataset)", person: "a",
            recording: "\(activity.name), \(recorder.name)")
          for step in 0..<40 {
            let features = (0..<set.featureCount).map { feature in
              let centre = feature % Activity.allCases.count == activity.rawValue ? 2.0 : 0
              return Float(centre + random.nextNormal())
            }
            set.append(
              features, activity: activity, origin: origin,
              end: .at(15 * step))
          }
        }
      }
    }
    return set
  }

  @Test func classesThatDifferAreToldByDataSetsLeftOut() throws {
    let model = ActivityModel.default
    let (term, scores) = try #require(
      try TrackTermTrainer.train(on: Self.set(datasets: 3), for: model))
    #expect(model.with { $0.track = term }.parameters.defect == nil)
    #expect(scores.count == TrackCollector.Recorder.allCases.count)
    for score in scores {
      #expect(score.live.windows == 3 * 6 * 40)
      #expect(try #require(score.live.balancedAccuracy) > 0.95)
      #expect(try #require(score.smoothed.balancedAccuracy) > 0.95)
    }
  }

  @Test func oneDataSetOrAMissingClassGivesNoTerm() throws {
    let model = ActivityModel.default
    let single = Self.set(datasets: 1)
    #expect(try TrackTermTrainer.train(on: single, for: model)?.term == nil)
    let incomplete = Self.set(datasets: 2, classes: [.walking, .train])
    #expect(try TrackTermTrainer.train(on: incomplete, for: model)?.term == nil)
  }

  @Test func recordersKeepTheirPeriod() {
    let fixes = (0..<600).map {
      LocationFix(timestamp: .at($0), latitude: 0, longitude: 0, speed: 3)
    }
    let expected = [
      (1, true), (1, false), (5, true), (15, true), (15, false), (60, true), (60, false),
    ]
    for (recorder, (period, hasSpeeds)) in zip(TrackCollector.Recorder.allCases, expected) {
      let kept = recorder.thinned(fixes)
      #expect(kept.count == 600 / period)
      #expect(kept.allSatisfy { ($0.speed != nil) == hasSpeeds })
    }
    #expect(Set(TrackCollector.Recorder.allCases.map(\.name)).count == 7)
  }
}
