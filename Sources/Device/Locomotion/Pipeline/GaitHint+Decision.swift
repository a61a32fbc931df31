internal import LocomotionActivityRecognition
internal import LocomotionGait

extension GaitHint {
  /// The probabilities of the classifier and the speed of the location filter, where known.
  init(decision: ActivityDecision, speed: Double?) {
    self.init()
    self.speed = speed.map { Float($0) }
    isRiding = decision.activity?.isRide
    guard decision.unknownReason != .notEnoughData, decision.unknownReason != .badSignal else {
      return
    }
    let probabilities = decision.probabilities
    vehicleProbability = probabilities[.automotive] + probabilities[.train]
    cyclingProbability = probabilities[.cycling]
    walkingProbability = probabilities[.walking]
    runningProbability = probabilities[.running]
  }
}
