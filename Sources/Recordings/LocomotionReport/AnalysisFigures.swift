package import Locomotion
package import LocomotionAnalysis
internal import LocomotionPositioning
internal import LocomotionSensing

extension AnalysisResult {
  /// What the reports show of an analysis.
  package init(_ name: String, _ analysis: Analysis) {
    self.init(
      name: name, samples: analysis.samples, items: analysis.items,
      diagnostics: analysis.diagnostics.figures)
  }
}

extension LocomotionPipeline.Diagnostics {
  /// The diagnostics of the data, for people.
  package var figures: [AnalysisResult.Diagnostic] {
    var figures: [AnalysisResult.Diagnostic] = []
    func add(_ name: String, _ value: Int, always: Bool = false) {
      if always || value > 0 {
        figures.append(.init(name: name, value: ReportFormatting.count(Double(value))))
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
