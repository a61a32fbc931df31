/// The probabilities of the temporal model's states: the activities, with a vehicle that moves and
/// one that stands apart.
///
/// A car at a light and a train in a station feel like rest. They are part of the ride all the
/// same, and so are states of their own, see <doc:TemporalModel>.
public struct ActivityStates: Hashable, Sendable {
  /// The activities by `Activity.rawValue`, vehicles in motion; then the standing road vehicle and
  /// the standing train.
  var lanes: SIMD8<Float>

  /// The lane of the road vehicle that stands.
  package static let standingRoad = 6
  /// The lane of the train that stands.
  package static let standingRail = 7

  package init(lanes: SIMD8<Float>) {
    self.lanes = lanes
  }

  /// Divides `weights` by their sum; `fallback` if that isn't positive.
  init(normalising weights: SIMD8<Float>, else fallback: SIMD8<Float>) {
    // Dividing by the largest first avoids overflow and subnormal sums.
    let largest = weights.max()
    guard largest > 0, largest.isFinite else {
      lanes = fallback
      return
    }
    let scaled = weights / largest
    lanes = scaled / scaled.sum()
  }

  /// The probability of each activity, whether its vehicle stands or moves.
  public var activities: ActivityProbabilities {
    var folded = lanes
    folded[Activity.automotive.rawValue] += lanes[Self.standingRoad]
    folded[Activity.train.rawValue] += lanes[Self.standingRail]
    return ActivityProbabilities(normalising: folded)
  }
}
