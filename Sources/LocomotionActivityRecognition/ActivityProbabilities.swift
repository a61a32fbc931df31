/// One probability per ``Activity``; finite, non-negative, summing to 1.
public struct ActivityProbabilities: Hashable, Sendable, Codable {
  /// The probabilities by `Activity.rawValue`; the last two lanes are 0.
  package var lanes: SIMD8<Float>

  /// Equal probability for each class: nothing is known.
  public static let uniform = ActivityProbabilities(
    lanes: SIMD8(1, 1, 1, 1, 1, 1, 0, 0) / Float(Activity.allCases.count))

  package init(lanes: SIMD8<Float>) {
    self.lanes = lanes
  }

  /// Normalises `weights`, one per class.
  ///
  /// Negative and non-finite weights count as 0; when nothing is left, the result is ``uniform``.
  public init(weights: (Activity) -> Float) {
    var lanes = SIMD8<Float>.zero
    for activity in Activity.allCases {
      let weight = weights(activity)
      lanes[activity.rawValue] = weight.isFinite && weight > 0 ? weight : 0
    }
    let sum = lanes.sum()
    self = sum > 0 && sum.isFinite ? Self(lanes: lanes / sum) : .uniform
  }

  /// The probability of `activity`.
  public subscript(activity: Activity) -> Float { lanes[activity.rawValue] }

  /// The most probable class; of equals, the first.
  public var mostProbable: Activity {
    Activity.allCases.reduce(.stationary) { self[$1] > self[$0] ? $1 : $0 }
  }
}
