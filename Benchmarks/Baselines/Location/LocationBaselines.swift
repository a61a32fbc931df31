package import LocomotionEvaluation

extension LocationEvaluation.Baselines {
  /// The baselines that evaluations print.
  package static let all: Self = {
    var smoothing = ConstantVelocityBaseline.Settings()
    smoothing.isSmoothed = true
    var considering = ConstantVelocityBaseline.Settings()
    considering.offsetFraction = 0.5
    return Self(
      tracks: [
        MedianOfFive(), ScalarRandomWalkBaseline(), DegreeStateBaseline(),
        ConstantVelocityBaseline(), ConstantVelocityBaseline(settings: smoothing),
        ConstantVelocityBaseline(settings: considering),
        LocationTrackerThresholds(), CyfaceCleaning(),
      ],
      stays: [SlidingWindowStays(), ActivityMessageStays()],
      merged: [ScalarRandomWalkBaseline(), DegreeStateBaseline()])
  }()
}
