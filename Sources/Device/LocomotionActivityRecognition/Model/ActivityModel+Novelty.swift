// Whether a window is unlike the training data.
extension ActivityModel {
  /// The number of features that lie more than 5 scales from their mean.
  public func outlierCount(of features: Span<Float>) -> Int {
    var count = 0
    for feature in 0..<min(features.count, featureCount)
    where abs(tables.standardised(features[feature], feature)) > 5 {
      count += 1
    }
    return count
  }

  /// Whether more features than the model's limit are outliers.
  public func isNovel(_ features: Span<Float>) -> Bool {
    outlierCount(of: features) > parameters.noveltyLimit
  }
}
