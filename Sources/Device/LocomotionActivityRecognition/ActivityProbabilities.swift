/// One probability per ``Activity``; finite, non-negative, summing to 1.
public struct ActivityProbabilities: Equatable, Sendable {
  /// The probabilities by `Activity.rawValue`; the last two lanes are 0.
  package var lanes: SIMD8<Float>

  /// Equal probability for each class: the prior.
  public static let uniform = ActivityProbabilities(
    lanes: SIMD8(1, 1, 1, 1, 1, 1, 0, 0) / Float(Activity.allCases.count))

  init(lanes: SIMD8<Float>) {
    self.lanes = lanes
  }

  /// Normalises `weights`, one per class.
  ///
  /// Negative and non-finite weights count as 0; when all are 0, the result is ``uniform``.
  public init(weights: (Activity) -> Float) {
    var lanes = SIMD8<Float>.zero
    for activity in Activity.allCases { lanes[activity.rawValue] = weights(activity) }
    self.init(normalising: lanes)
  }

  /// Divides the lanes of the classes by their sum; the same rules as ``init(weights:)``.
  package init(normalising weights: SIMD8<Float>) {
    var lanes = SIMD8<Float>.zero
    for lane in 0..<Activity.allCases.count where weights[lane].isFinite && weights[lane] > 0 {
      lanes[lane] = weights[lane]
    }
    // Dividing by the largest first avoids overflow and subnormal sums.
    let largest = lanes.max()
    guard largest > 0 else {
      self = .uniform
      return
    }
    lanes /= largest
    self.lanes = lanes / lanes.sum()
  }

  /// The probability of `activity`.
  public subscript(activity: Activity) -> Float { lanes[activity.rawValue] }

  /// The most probable class; of equals, the first.
  public var mostProbable: Activity {
    Activity.allCases.reduce(.stationary) { self[$1] > self[$0] ? $1 : $0 }
  }

  /// The fewest classes that together have a probability of `coverage` or more, the most probable
  /// first; of equals, the first.
  ///
  /// The highest-density set (Hyndman, "Computing and graphing highest density regions", The
  /// American Statistician 50(2), 1996): calibrated probabilities hold the truth at least that
  /// often. "On foot, walking or running" is more use than one name that is right half the time.
  /// `locomotion evaluate` measures how often it does; the model card has the figures of sets left
  /// out of training.
  ///
  /// - Parameter coverage: 0 to 1, default 0.9.
  /// - Returns: One class or more; none for a coverage of 0.
  /// - Complexity: Allocates the result.
  public func predictionSet(coverage: Float = 0.9) -> [Activity] {
    let ranked = Activity.allCases.sorted {
      self[$0] == self[$1] ? $0.rawValue < $1.rawValue : self[$0] > self[$1]
    }
    var total: Float = 0
    let set = ranked.prefix(while: { activity in
      defer { total += self[activity] }
      return total < coverage && self[activity] > 0
    })
    return Array(set)
  }
}

#if !hasFeature(Embedded)
  extension ActivityProbabilities: Codable {}
#endif
