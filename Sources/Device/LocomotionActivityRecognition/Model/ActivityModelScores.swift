internal import CLocomotionMath

/// A model's function as one straight line per feature, segment between knots, and class.
///
/// A hinge is a straight line on either side of its knot, so the sum of six hinges and a linear
/// term is one line in each of seven segments: two numbers per class replace seven.
struct ScoreTables: Sendable {
  /// The lines of one feature: `lines[segment]`, one lane per class by `Activity.rawValue`.
  struct Line: Sendable {
    var offset: SIMD8<Float>
    var slope: SIMD8<Float>

    @inline(__always)
    func value(at x: Float) -> SIMD8<Float> { offset + slope * x }
  }

  static let segments = ActivityModel.knotsPerFeature + 1

  let centres: ContiguousArray<Float>
  let inverseScales: ContiguousArray<Float>
  /// The knots of each feature; the last two lanes are infinite.
  let knots: ContiguousArray<SIMD8<Float>>
  /// Feature by feature, the lines from the lowest segment to the highest.
  let lines: ContiguousArray<Line>
  /// The constant of each class; −∞ for a class that the model lacks.
  let bias: SIMD8<Float>

  /// The tables of a function, with the lane of each class.
  init(_ function: ActivityModel.Function, lanes: [Int]) {
    let knotCount = ActivityModel.knotsPerFeature
    let featureCount = function.means.count
    let width = ActivityModel.Parameters.weightCount(classes: 1, features: featureCount)
    var knots = ContiguousArray<SIMD8<Float>>(
      repeating: .init(repeating: .infinity), count: featureCount)
    var lines = ContiguousArray<Line>(
      repeating: Line(offset: .zero, slope: .zero), count: featureCount * Self.segments)
    var bias = SIMD8<Float>(repeating: -.infinity)
    for (row, lane) in lanes.enumerated() {
      bias[lane] = function.weights[row * width]
      for feature in 0..<featureCount {
        let first = row * width + 1 + feature * (1 + knotCount)
        var slope = Double(function.weights[first])
        var offset = 0.0
        for segment in 0..<Self.segments {
          if segment > 0 {
            let weight = Double(function.weights[first + segment])
            let knot = function.knots[feature * knotCount + segment - 1]
            slope += weight
            offset -= weight * Double(knot)
            knots[feature][segment - 1] = knot
          }
          lines[feature * Self.segments + segment].offset[lane] = Float(offset)
          lines[feature * Self.segments + segment].slope[lane] = Float(slope)
        }
      }
    }
    centres = ContiguousArray(function.means)
    inverseScales = ContiguousArray(function.scales.map { 1 / $0 })
    self.knots = knots
    self.lines = lines
    self.bias = bias
  }

  /// The feature in units of its scale; NaN counts as the mean.
  func standardised(_ value: Float, _ feature: Int) -> Float {
    let deviation = (value - centres[feature]) * inverseScales[feature]
    return deviation == deviation ? deviation : 0
  }

  /// The feature's term of the score of each class.
  func term(_ value: Float, _ feature: Int) -> SIMD8<Float> {
    let u = Self.clipped(standardised(value, feature))
    let segment = Int(ascent(of: knots[feature], to: u))
    return lines[feature * Self.segments + segment].value(at: u)
  }

  func sum(of features: Span<Float>) -> SIMD8<Float> {
    let (count, segments) = (features.count, Self.segments)
    let centres = centres.span
    let inverseScales = inverseScales.span
    let knots = knots.span
    let lines = lines.span
    // These checks let the compiler omit all others.
    precondition(
      centres.count == count && inverseScales.count == count && knots.count == count
        && lines.count == count * segments, "expected \(centres.count) features, got \(count)")
    var sum = SIMD8<Float>.zero
    for feature in features.indices {
      let deviation = (features[feature] - centres[feature]) * inverseScales[feature]
      let u = Self.clipped(deviation == deviation ? deviation : 0)
      let segment = Int(ascent(of: knots[feature], to: u))
      sum += lines[feature &* segments &+ segment].value(at: u)
    }
    return sum
  }

  static func clipped(_ deviation: Float) -> Float {
    min(ActivityModel.clip, max(-ActivityModel.clip, deviation))
  }
}

extension ActivityModel {
  /// The score of each class, by `Activity.rawValue`, on a logarithmic scale.
  ///
  /// A class that the model lacks and the last two lanes are −∞. A NaN counts as the feature's
  /// mean. Within 4·10⁻⁶ Σ|term| of the formula in Float64
  /// (`ActivityModelTests.scoresMatchTheExpandedFormula`).
  ///
  /// - Precondition: `features.count` = ``featureCount``.
  /// - Complexity: O(features); allocates nothing.
  public func scores(of features: Span<Float>) -> SIMD8<Float> {
    precondition(
      features.count == featureCount,
      "expected \(featureCount) features, got \(features.count)")
    return tables.bias + tables.sum(of: features)
  }

  /// The score of each class from both sensors; without `rotation` features, from accelerations.
  ///
  /// - Precondition: `features.count` = ``featureCount``, and there are as many rotation features
  ///   as the model's term reads, or none. A model without a term ignores them.
  /// - Complexity: O(features); allocates nothing.
  public func scores(of features: Span<Float>, rotation: Span<Float>) -> SIMD8<Float> {
    let scores = scores(of: features)
    guard let rotationTables, !rotation.isEmpty else { return scores }
    let count = rotationTables.centres.count
    precondition(
      rotation.count == count, "expected \(count) rotation features, got \(rotation.count)")
    return scores + (rotationTables.bias + rotationTables.sum(of: rotation))
  }

  /// The probabilities of one window on its own: softmax(score / temperature).
  ///
  /// Training gives every class equal weight, hence these are proportional to likelihoods.
  public func probabilities(of features: Span<Float>) -> ActivityProbabilities {
    probabilities(of: scores(of: features))
  }

  /// The probabilities of one window from both sensors; without `rotation` features, from
  /// accelerations.
  ///
  /// - Precondition: that of ``scores(of:rotation:)``.
  public func probabilities(
    of features: Span<Float>, rotation: Span<Float>
  ) -> ActivityProbabilities {
    probabilities(of: scores(of: features, rotation: rotation))
  }

  private func probabilities(of scores: SIMD8<Float>) -> ActivityProbabilities {
    ActivityProbabilities(softmaxOf: scores / parameters.windowTemperature, parameters.classes)
  }

  /// The constant of the class's score; nil when the model lacks the class.
  public func bias(of activity: Activity) -> Float? {
    let bias = tables.bias[activity.rawValue]
    return bias.isFinite ? bias : nil
  }
}

extension ActivityProbabilities {
  /// The softmax of the scores of `classes`; the others have 0.
  init(softmaxOf scores: SIMD8<Float>, _ classes: [Activity]) {
    var weights = SIMD8<Float>.zero
    let highest = scores.max()
    for activity in classes {
      weights[activity.rawValue] = exp(scores[activity.rawValue] - highest)
    }
    self.init(normalising: weights)
  }
}
