internal import LocomotionActivityRecognition
internal import LocomotionGait

extension GaitHint {
  /// What the classifier and the location filter believe, as far as they know.
  init(decision: ActivityDecision, speed: Double?) {
    self.init()
    self.speed = speed.map { Float($0) }
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
