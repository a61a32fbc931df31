import LocomotionActivityRecognition
import TestSupport
import Testing

extension ActivityModel.Parameters {
  /// A model of random numbers, which uses every part of the format.
  ///
  /// The means are those of a walk, so that features of synthetic windows reach all segments.
  static func random(
    seed: UInt64, classes: [Activity] = Activity.allCases,
    features: Int = FeatureExtractor.schema.count, weight: Double = 0.05
  ) -> ActivityModel.Parameters {
    var random = SplitMix64(seed: seed)
    let knotsPerFeature = ActivityModel.knotsPerFeature
    func numbers(_ count: Int, _ next: () -> Double) -> [Float] {
      (0..<count).map { _ in Float(next()) }
    }
    var knots: [Float] = []
    for _ in 0..<features {
      knots += numbers(knotsPerFeature) { 1.5 * random.nextNormal() }.sorted()
    }
    let function = ActivityModel.Function(
      means: numbers(features) { random.nextNormal() },
      scales: numbers(features) { 1 + 2 * random.nextUniform() },
      knots: knots,
      weights: numbers(classes.count * (1 + features * (1 + knotsPerFeature))) {
        weight * random.nextNormal()
      })
    var parameters = ActivityModel.Parameters(classes: classes, function: function)
    parameters.windowTemperature = 0.7
    parameters.evidenceExponent = 0.35
    parameters.confidenceThreshold = 0.6
    parameters.manifest = "{\"people\": 12, \"note\": \"Größe ✓\"}"
    return parameters
  }
}

extension ActivityModel.Function {
  /// A function of random numbers.
  static func random(
    seed: UInt64, classes: [Activity] = Activity.allCases,
    features: Int = RotationFeatureExtractor.schema.count
  ) -> ActivityModel.Function {
    var function = ActivityModel.Parameters.random(
      seed: seed, classes: classes, features: features
    ).function
    (function.filteredTemperature, function.hindsightTemperature) = (1.25, 0.8)
    return function
  }
}

extension ActivityModel.TrackTerm {
  /// A term of random numbers.
  static func random(
    seed: UInt64, classes: [Activity] = Activity.allCases
  ) -> ActivityModel.TrackTerm {
    .init(
      function: .random(
        seed: seed, classes: classes, features: TrackFeatureExtractor.schema.count),
      temperature: 0.4, evidenceExponent: 0.05)
  }
}

extension ActivityModel.CustomTerm {
  /// A term of random numbers.
  static func random(
    seed: UInt64, activities: [CustomActivity], features: Int = FeatureExtractor.schema.count
  ) -> ActivityModel.CustomTerm {
    let numbers = ActivityModel.Parameters.random(
      seed: seed, classes: Array(repeating: .walking, count: activities.count), features: features)
    return .init(activities: activities, function: numbers.function)
  }
}

/// Custom activities by name and what they behave like.
func customActivities(_ pairs: (String, Activity?)...) -> [CustomActivity] {
  pairs.compactMap { CustomActivity(name: $0.0, behavesLike: $0.1) }
}

/// The formula of the model in Double, hinge by hinge.
func expandedScore(
  _ parameters: ActivityModel.Parameters, _ features: [Float], _ activity: Activity
) -> (score: Double, magnitude: Double)? {
  guard let row = parameters.classes.firstIndex(of: activity) else { return nil }
  let width = 1 + 7 * features.count
  let function = parameters.function
  let weights = function.weights[row * width..<(row + 1) * width].map(Double.init)
  var (score, magnitude) = (weights[0], abs(weights[0]))
  for index in features.indices {
    let standardised =
      (Double(features[index]) - Double(function.means[index])) / Double(function.scales[index])
    let u = min(6, max(-6, standardised))
    var terms = [weights[1 + 7 * index] * u]
    for k in 0..<6 {
      terms.append(weights[2 + 7 * index + k] * max(0, u - Double(function.knots[6 * index + k])))
    }
    score += terms.reduce(0, +)
    magnitude += terms.reduce(0) { $0 + abs($1) }
  }
  return (score, magnitude)
}

/// Random features that extend beyond the clip on either side.
func randomFeatures(_ random: inout SplitMix64, count: Int) -> [Float] {
  (0..<count).map { _ in Float(6 * random.nextNormal()) }
}

/// The difference of two classes' scores as the sum of what is explained.
func explainedDifference(
  _ explanation: ActivityExplanation, _ activity: Activity, _ rival: Activity
) throws -> Float {
  let baselines = try [activity, rival].map { try #require(explanation.baseline(of: $0)) }
  return explanation.arguments(for: activity, against: rival)
    .reduce(baselines[0] - baselines[1]) { $0 + $1.contribution }
}

/// A model's file with the right checksum in its last four bytes.
func sealed(_ file: [UInt8]) -> [UInt8] {
  file.dropLast(4) + little(checksum(of: file.dropLast(4)))
}

extension ModelFileError {
  /// What reading a file as a model throws; nil for a model.
  init?(reading file: [UInt8]) {
    do throws(ModelFileError) {
      _ = try ActivityModel(file: file)
      return nil
    } catch {
      self = error
    }
  }

  /// The field of an invalid number.
  var invalidField: String? {
    if case .invalidNumber(let defect) = self { defect.field } else { nil }
  }
}
