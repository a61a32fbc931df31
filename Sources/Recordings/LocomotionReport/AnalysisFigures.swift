package import Locomotion

extension AnalysisResult {
  /// How right the activities probably are, without a label.
  ///
  /// The mean probability of those that were named is their expected accuracy where probabilities
  /// are calibrated (Guo et al., "On calibration of modern neural networks", ICML 2017). It
  /// tells of a phone or a person on which the model drifts.
  static func expectations(of samples: [ReportSample]) -> [(name: String, value: String)] {
    let named = samples.filter { $0.activity != nil }
    guard !named.isEmpty else { return [] }
    let right = named.reduce(0) { $0 + $1.activityProbability } / Double(named.count)
    return [("activities expected to be right", ReportFormatting.percent(right))]
  }
}

extension LocomotionPipeline.Diagnostics {
  /// The diagnostics of the data, for people.
  package var figures: [(name: String, value: String)] {
    var figures: [(name: String, value: String)] = []
    func add(_ name: String, _ value: Int, always: Bool = false) {
      if always || value > 0 {
        figures.append((name, ReportFormatting.count(Double(value))))
      }
    }
    for (sensor, counts) in [
      ("accelerations", accelerations), ("rotation rates", rotationRates), ("pressures", pressures),
    ] where counts.received > 0 {
      add("\(sensor) received", counts.received, always: true)
      add("\(sensor) kept", counts.kept, always: true)
      for reason in IntakeCounts.DropReason.allCases {
        add("\(sensor) dropped, \(reason.words)", counts.dropped(for: reason))
      }
      add("\(sensor) at the sensor's limit", counts.saturated)
      add("\(sensor): gaps", counts.gaps)
      add("\(sensor): clock set back", counts.clockResets)
    }
    guard fixes.received > 0 else { return figures }
    add("fixes received", fixes.received, always: true)
    add("fixes used", fixes.used, always: true)
    add("fixes after which the position was found anew", fixes.relocated)
    add("fixes whose speed contradicts the positions", fixes.ignoredSpeeds)
    for reason in RejectionReason.allCases {
      add("fixes rejected, \(reason.words)", fixes.rejected(reason))
    }
    return figures
  }
}

extension RawRepresentable<String> {
  /// `outOfOrder` as "out of order".
  fileprivate var words: String {
    rawValue.reduce(into: "") { text, character in
      text += character.isUppercase ? " \(character.lowercased())" : String(character)
    }
  }
}
