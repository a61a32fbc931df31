extension ActivityModel {
  /// Bootstrap: knows nothing; replaced by the first trained model.
  public static let `default`: ActivityModel = {
    let features = FeatureExtractor.schema.count
    return ActivityModel(
      Parameters(
        classes: Activity.allCases, means: Array(repeating: 0, count: features),
        scales: Array(repeating: 1, count: features),
        knots: (0..<features).flatMap { _ in [-2, -1, -0.5, 0.5, 1, 2] },
        weights: Array(
          repeating: 0, count: Activity.allCases.count * (1 + features * (1 + knotsPerFeature))),
        windowTemperature: 1, dwellSeconds: 120, evidenceExponent: 0.3, noveltyLimit: features,
        doubtThreshold: 0.1, manifest: "{}"))
  }()
}
