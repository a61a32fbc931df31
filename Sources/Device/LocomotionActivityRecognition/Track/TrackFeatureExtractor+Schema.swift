extension TrackFeatureExtractor {
  /// The features that ``TrackFeatureExtractor`` computes: of the last two minutes, of the leg, and
  /// those that only a leg has.
  ///
  /// "In motion" is faster than 0.6 m/s, a halt is not. Steps count by their durations, up to two
  /// minutes. Logarithms are natural.
  public static let schema = FeatureSchema(
    ["recent", "leg"].flatMap(courseFeatures) + legFeatures)

  private static func courseFeatures(of part: String) -> [FeatureSchema.Feature] {
    [
      ("movingShare", "the share of the time with motion; 0 to 1"),
      ("logSpeed10", "log of the 10 % quantile of the speed in motion, 0.3 at least; m/s"),
      ("logSpeed25", "log of its 25 % quantile; m/s"),
      ("logSpeed50", "log of its median; m/s"),
      ("logSpeed75", "log of its 75 % quantile; m/s"),
      ("logSpeed95", "log of its 95 % quantile; m/s"),
      ("logHighest", "log of the highest speed of a fix, 0.3 at least; m/s"),
      ("speedVariation", "deviation of the speed in motion by its mean; 2 at most"),
      ("logPace", "log of the sum of the ways by the time, 0.2 at least; m/s"),
      ("speedingUp", "90 % quantile of the change of speed from step to step; m/s²"),
      ("slowingDown", "90 % quantile of the change to lower speeds; m/s²"),
      ("speedChange", "root mean square of the change of speed; m/s²"),
      ("straightness", "the way as the crow flies by the sum of the ways; 0 to 1"),
      ("turn", "mean angle between steps of 12 m and more; rad"),
      ("largeTurn", "90 % quantile of that angle; rad"),
      ("turnPerWay", "sum of these angles by the way; rad per 100 m, 3 at most"),
      ("sideways", "90 % quantile of speed times rate of turn; m/s², 6 at most"),
    ].map { .init(id: "\(part).\($0)", version: 1, definition: $1) }
  }

  private static let legFeatures: [FeatureSchema.Feature] = [
    ("corners", "turns of 0.8 rad and more within 90 m, per kilometre; 6 at most"),
    ("logSpacing", "log of the median way between halts; m, 6.5 without any"),
    ("unsteadiness", "median change of speed in motion from step to step; m/s"),
  ].map { .init(id: "leg.\($0)", version: 1, definition: $1) }
}
