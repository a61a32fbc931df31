package import LocomotionAnalysis

extension AnalysisResult {
  /// What the reports show of an analysis.
  package init(_ name: String, _ analysis: Analysis) {
    self.init(
      name: name, samples: analysis.samples, items: analysis.items,
      diagnostics: analysis.diagnostics.figures)
  }
}
