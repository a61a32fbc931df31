package import LocomotionAnalysis

extension AnalysisResult {
  /// What the reports show of an analysis.
  package init(_ name: String, _ analysis: Analysis) {
    self.init(
      name: name, samples: analysis.samples, items: analysis.items,
      diagnostics: analysis.diagnostics.figures)
  }

  /// The same of an analysis that has handed its seconds on; they take its stays into account here.
  package init(_ name: String, _ analysis: Analysis, _ seconds: consuming [ReportSample]) {
    seconds.rest(in: analysis.items)
    self.init(
      name: name, seconds: consume seconds, items: analysis.items,
      diagnostics: analysis.diagnostics.figures)
  }
}
