package import LocomotionAnalysis
internal import LocomotionFormats

extension AnalysisResult {
  /// What the reports show of an analysis; of one that has handed its seconds on with these, which
  /// take its stays into account here.
  package init(_ name: String, _ analysis: Analysis, _ seconds: consuming [ReportSample]? = nil) {
    let isHandedOn = seconds != nil
    var rested = consume seconds ?? analysis.samples.map { ReportSample($0) }
    if isHandedOn { rested.agree(with: analysis.items) }
    self.init(
      name: name, seconds: consume rested, items: analysis.items,
      diagnostics: analysis.diagnostics.figures)
    names = analysis.report.names
    laps = analysis.report.laps.map { ($0.start, $0.distance, $0.seconds) }
    measured = BodyQuantity.allCases.compactMap { quantity in
      analysis.report.body[quantity].map { samples in
        (
          quantity.rawValue, quantity.unit,
          samples.sorted { $0.time < $1.time }.map { ($0.time, $0.value) }
        )
      }
    }
  }
}
