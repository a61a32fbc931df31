import LocomotionActivityRecognition
import TestSupport
import Testing

/// What a model learns from its owner's labelled stretches.
@Suite struct LearningTests {
  private static let classes: [Activity] = [.stationary, .walking, .cycling]

  /// A model of few features, with moments of some random windows.
  private func base(features: Int = 5, rank: Int = 6) -> ActivityModel {
    var random = SplitMix64(seed: 3)
    let columns = 1 + 7 * features
    let rows = (0..<rank).map { _ in (0..<columns).map { _ in random.nextNormal() } }
    return ActivityModel(.random(seed: 1, classes: Self.classes, features: features))
      .with { $0.moments = .init(rounding: rows) }
  }

  /// Stretches of random windows; `count` of them.
  private func stretches(
    _ count: Int, features: Int = 5, windows: Int = 3, seed: UInt64 = 5
  ) -> [LabelledStretch] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { index in
      LabelledStretch(
        activity: Self.classes[index % 3],
        windows: (0..<windows).map { _ in
          // Windows of an activity have something in common.
          randomFeatures(&random, count: features).enumerated().map {
            $0.element / 8 + ($0.offset == index % 3 ? 5 : 0)
          }
        })
    }
  }

  /// A window's columns in Double.
  private func columns(_ model: ActivityModel, _ features: [Float]) -> [Double] {
    let function = model.parameters.function
    return [1]
      + features.indices.flatMap { index -> [Double] in
        let inverse = 1 / function.scales[index]
        let u = Double(min(6, max(-6, (features[index] - function.means[index]) * inverse)))
        return [u] + (0..<6).map { max(0, u - Double(function.knots[6 * index + $0])) }
      }
  }

  /// The normal equations of the primal problem, which are as many as the columns.
  @Test func theWeightsSolveTheNormalEquations() throws {
    let base = base()
    let stretches = stretches(9)
    let learned = base.learning(from: stretches)
    #expect(learned.outcome == .learned)
    #expect(learned.contradicted == 0 && learned.stretches == 9)
    let moments = try #require(base.parameters.moments)
    let width = 1 + 7 * base.featureCount
    var matrix = (0..<width).map { row in (0..<width).map { row == $0 ? 0.01 : 0.0 } }
    func add(_ row: [Double], _ weight: Double) {
      for i in row.indices {
        for j in row.indices { matrix[i][j] += weight * row[i] * row[j] }
      }
    }
    for (index, scale) in moments.scales.enumerated() {
      add(
        moments.rows[index * width..<(index + 1) * width].map { Double($0) * Double(scale) }, 1)
    }
    var right = Self.classes.map { _ in [Double](repeating: 0, count: width) }
    for stretch in stretches {
      let weight = 0.02 / 3.0.squareRoot() / Double(stretch.windows.count)
      for window in stretch.windows {
        let phi = columns(base, window)
        add(phi, weight)
        for (place, activity) in Self.classes.enumerated() {
          let score = try #require(expandedScore(base.parameters, window, activity)).score
          let residual = (activity == stretch.activity ? 1 : -1) - score
          for column in phi.indices { right[place][column] += weight * phi[column] * residual }
        }
      }
    }
    let shifts = matrix.solution(of: right.transposed)
    for place in Self.classes.indices {
      for column in 0..<width {
        let index = place * width + column
        let expected = Double(base.parameters.function.weights[index]) + shifts[column][place]
        // Weights are stored in single precision; targets and windows are of order 1 to 6.
        #expect(abs(Double(learned.model.parameters.function.weights[index]) - expected) <= 1e-5)
      }
    }
  }

  @Test func nothingButTheWeightsChanges() {
    let base = base()
    var parameters = base.learning(from: stretches(6)).model.parameters
    #expect(parameters.function.weights != base.parameters.function.weights)
    parameters.function.weights = base.parameters.function.weights
    #expect(parameters == base.parameters)
  }

  @Test func withoutStretchesOrMomentsTheBaseStays() {
    let base = base()
    #expect(base.learning(from: []).outcome == .nothingStated)
    #expect(base.learning(from: []).model == base)
    let unknown = LabelledStretch(activity: .train, windows: stretches(1)[0].windows)
    let empty = LabelledStretch(activity: .walking, windows: [])
    #expect(base.learning(from: [unknown, empty]).outcome == .nothingStated)
    let plain = base.with { $0.moments = nil }
    #expect(plain.learning(from: stretches(4)).outcome == .noMoments)
    #expect(plain.learning(from: stretches(4)).model == plain)
  }

  @Test func onlyTheNewestStretchesCount() {
    let base = base()
    let all = stretches(ActivityModel.mostStretches + 5)
    let newest = Array(all.suffix(ActivityModel.mostStretches))
    #expect(base.learning(from: all) == base.learning(from: newest))
  }

  @Test func ofManyWindowsSomeOfAllPartsCount() {
    #expect(LabelledStretch.chosen(from: [1, 2, 3]) == [1, 2, 3])
    #expect(LabelledStretch.chosen(from: Array(0..<80)) == [5, 15, 25, 35, 45, 55, 65, 75])
  }

  /// One of eighteen stretches has the label of another activity.
  @Test func aStretchThatAllOthersContradictDoesNotCount() {
    let base = base()
    let right = stretches(18)
    var wrong = right
    wrong[7].activity = wrong[7].activity == .cycling ? .walking : .cycling
    let learned = base.learning(from: wrong)
    #expect(learned.contradicted == 1 && learned.stretches == 17)
    var without = right
    without.remove(at: 7)
    #expect(learned.model == base.learning(from: without).model)
  }

  /// Labels that contradict each other teach nothing that the base doesn't know better.
  @Test func theBaseStaysWhereTheStretchesContradictEachOther() {
    var base = base()
    base = base.learning(from: stretches(24)).model
    var contradictory = stretches(12, seed: 41)
    for index in contradictory.indices where index % 2 == 0 {
      contradictory[index].activity = Self.classes[(index / 2) % 3]
    }
    let learned = base.learning(from: contradictory)
    #expect(learned.outcome == .noGain || (learned.error ?? 1) <= (learned.baseError ?? 0))
  }

  @Test func hostileWindowsNeverMakeAnInvalidModel() {
    let base = base()
    for value in [
      Float.infinity, -.infinity, .nan, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
    ] {
      var some = stretches(4)
      some[1].windows[0] = [Float](repeating: value, count: base.featureCount)
      let learned = base.learning(from: some)
      #expect(learned.model.parameters.defect == nil)
    }
  }

  @Test func activitiesThatAreNeverDoneAreNeverAnswered() throws {
    var parameters = ActivityModel.Parameters.random(seed: 2)
    parameters.rotation = .random(seed: 3)
    parameters.track = .random(seed: 4)
    parameters.custom = .random(
      seed: 5,
      activities: customActivities(("tram", .train), ("scooter", .cycling), ("skiing", nil)))
    let whole = ActivityModel(parameters)
    let kept: Set<Activity> = [.stationary, .walking, .cycling]
    let limited = try #require(whole.limited(to: kept))
    #expect(limited.customActivities.map(\.name) == ["scooter", "skiing"])
    #expect(try ActivityModel(file: limited.file) == limited)
    var random = SplitMix64(seed: 8)
    for _ in 0..<20 {
      let features = randomFeatures(&random, count: whole.featureCount)
      let (all, some) = (whole.scores(of: features.span), limited.scores(of: features.span))
      for activity in Activity.allCases {
        let lane = activity.rawValue
        #expect(some[lane] == (kept.contains(activity) ? all[lane] : -.infinity))
      }
      let custom = whole.customScores(of: features.span)
      let left = limited.customScores(of: features.span)
      #expect(left?[0] == custom?[1] && left?[1] == custom?[2] && left != nil)
    }
    #expect(whole.limited(to: [.walking]) == nil)
    #expect(whole.limited(to: Set(Activity.allCases)) == whole)
  }

  @Test func theBuiltInModelCanLearn() throws {
    let moments = try #require(ActivityModel.default.parameters.moments)
    #expect(moments.scales.count == 96)
  }
}
