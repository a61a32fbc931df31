import LocomotionActivityRecognition
import LocomotionTraining
import TestSupport
import Testing

@Suite struct CustomTermTrainerTests {
  /// Synthetic people, of whom those of the third and fourth class do a kind of the second.
  private func windows(
    people: Int = 6, count: Int = 4000
  ) -> (set: TrainingSet, outside: TrainingSet) {
    let plain = syntheticSet(windows: count, classes: 5, datasets: 1, peoplePerSet: people)
    var set = TrainingSet(featureCount: plain.featureCount)
    var outside = set
    for row in 0..<plain.count {
      var origin = plain.origin(ofRow: row)
      let kind = plain.activities[row].rawValue
      origin.customActivity = ["", "", "jog", "skip", "ski"][kind]
      let features = plain.features(ofRow: row)
      if kind == 4 {
        outside.append(
          features, activity: .stationary, origin: origin, end: plain.ends[row])
      } else {
        set.append(
          features, activity: kind == 0 ? .stationary : .walking, origin: origin,
          end: plain.ends[row])
      }
    }
    return (set, outside)
  }

  private let activities = [("ski", nil), ("jog", .walking), ("skip", .walking)]
    .compactMap { CustomActivity(name: $0.0, behavesLike: $0.1) }

  private func failure(_ body: () throws(TrainingError) -> Void) -> TrainingError? {
    do throws(TrainingError) {
      try body()
      return nil
    } catch {
      return error
    }
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
    let model = base.with(term)
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
