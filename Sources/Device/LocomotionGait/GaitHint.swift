/// The estimates of other stages for the last few seconds; each may be unknown.
///
/// The estimator works without any of them. They resolve what the accelerometer can't: a phone on a
/// cyclist's thigh moves much like a phone on a walker's.
public struct GaitHint: Equatable, Sendable {
  /// The probability of riding in a motor vehicle or train, 0 to 1; nil when unknown.
  public var vehicleProbability: Float?
  /// The probability of cycling, 0 to 1; nil when unknown.
  public var cyclingProbability: Float?
  /// The probability of walking, 0 to 1; nil when unknown.
  public var walkingProbability: Float?
  /// The probability of running, 0 to 1; nil when unknown.
  public var runningProbability: Float?
  /// Speed over the ground in m/s; nil when unknown.
  public var speed: Float?
  /// Whether the person rides, as answered to the user; nil when that is for the probabilities to
  /// say.
  ///
  /// On a ride there is no cadence and no step, so that no second is both.
  public var isRiding: Bool?

  /// A hint of which every estimate may be left out.
  public init(
    vehicleProbability: Float? = nil, cyclingProbability: Float? = nil,
    walkingProbability: Float? = nil, runningProbability: Float? = nil, speed: Float? = nil,
    isRiding: Bool? = nil
  ) {
    self.vehicleProbability = vehicleProbability
    self.cyclingProbability = cyclingProbability
    self.walkingProbability = walkingProbability
    self.runningProbability = runningProbability
    self.speed = speed
    self.isRiding = isRiding
  }

  /// The probability of riding a bicycle or any vehicle.
  var ridingProbability: Float { (vehicleProbability ?? 0) + (cyclingProbability ?? 0) }

  /// Whether steps are ruled out.
  var rulesOutSteps: Bool { isRiding ?? (ridingProbability > 0.5) }

  /// Nothing is known.
  public static let unknown = GaitHint()

  /// The hint without impossible values: NaN is unknown, probabilities are clamped to 0 to 1.
  var plausible: GaitHint {
    func probability(_ value: Float?) -> Float? {
      guard let value, !value.isNaN else { return nil }
      return min(max(value, 0), 1)
    }
    return GaitHint(
      vehicleProbability: probability(vehicleProbability),
      cyclingProbability: probability(cyclingProbability),
      walkingProbability: probability(walkingProbability),
      runningProbability: probability(runningProbability),
      speed: speed.flatMap { $0.isFinite ? $0 : nil }, isRiding: isRiding)
  }
}
