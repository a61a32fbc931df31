extension LocationEvaluation.Baselines {
  /// The baselines that evaluations print.
  package static let all: Self = {
    let others: [any LocationBaseline] = [
      MedianOfFive(), ScalarRandomWalkBaseline(), DegreeStateBaseline(),
    ]
    return Self(
      tracks: others + textbook + [LocationTrackerThresholds(), CyfaceCleaning()],
      stays: [SlidingWindowStays(), ActivityMessageStays()],
      merged: [ScalarRandomWalkBaseline(), DegreeStateBaseline()])
  }()

  /// Constant velocity: filtered, smoothed, and with a consider parameter for the offset.
  package static let textbook: [any LocationBaseline] = {
    var smoothing = ConstantVelocityBaseline.Settings()
    smoothing.isSmoothed = true
    var considering = ConstantVelocityBaseline.Settings()
    considering.offsetFraction = 0.5
    return [
      ConstantVelocityBaseline(), ConstantVelocityBaseline(settings: smoothing),
      ConstantVelocityBaseline(settings: considering),
    ]
  }()
}
