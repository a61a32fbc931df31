internal import LocomotionActivityRecognition

/// The baselines that evaluations print.
package enum ActivityBaselines {
  /// One of each, untrained.
  package static var all: [any ActivityBaseline] {
    [HistogramBaseline(), ThresholdBaseline(), SpeedBandBaseline()]
  }
}

extension Sequence where Element == LabelledMotion {
  /// The windows with weights that sum to 1 for every class that has any.
  func weighingClassesAlike() -> [LabelledMotion] {
    var masses: [Activity: Double] = [:]
    for window in self { masses[window.activity, default: 0] += window.weight }
    return compactMap { window in
      guard let mass = masses[window.activity], mass > 0 else { return nil }
      var window = window
      window.weight /= mass
      return window
    }
  }
}
