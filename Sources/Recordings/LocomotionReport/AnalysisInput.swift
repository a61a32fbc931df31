package import LocomotionAnalysis
internal import LocomotionFormats

extension AnalysisResult {
  /// What the reports show of an analysis.
  package init(_ name: String, _ analysis: Analysis) {
    self.init(rested: analysis.samples.map { ReportSample($0) }, name, analysis)
  }

  /// The same of an analysis that has handed its seconds on; they take its stays into account here.
  package init(_ name: String, _ analysis: Analysis, _ seconds: consuming [ReportSample]) {
    seconds.rest(in: analysis.items)
    self.init(rested: consume seconds, name, analysis)
  }

  private init(rested seconds: consuming [ReportSample], _ name: String, _ analysis: Analysis) {
    self.init(
      name: name, seconds: consume seconds, items: analysis.items,
      diagnostics: analysis.diagnostics.figures)
    measured = analysis.report.measured
    laps = analysis.report.laps.map { lap in
      (lap.start, ReportSplit(distance: lap.distance, seconds: lap.seconds))
    }
  }
}

extension ImportReport {
  /// What the devices measured beside motion.
  fileprivate var measured: [AnalysisResult.Measured] {
    BodyQuantity.allCases.compactMap { quantity in
      body[quantity].map { samples in
        (
          quantity.rawValue, quantity.unit,
          samples.sorted { $0.time < $1.time }.map { ($0.time, $0.value) }
        )
      }
    }
  }
}
