import LocomotionActivityRecognition
package import LocomotionTraining

/// The report of a training or an evaluation as one self-contained HTML page, for a person who
/// wants to know where a model fails.
///
/// No script, no network, inline drawings; all external strings are escaped.
package struct TrainingPage: Sendable {
  /// The page, UTF-8.
  package let html: String

  /// The page of a model's training, or of a leave-one-out evaluation.
  package init(_ report: TrainingReport) {
    var sections: Markup = TrainingTables.sources(report)
    if let adaptation = report.adaptation {
      sections += TrainingTables.adaptation(adaptation, new: report.unseenPeople)
    }
    if !report.custom.isEmpty { sections += TrainingTables.custom(report.custom) }
    sections += EvaluationSections(report: report.unseenPeople).all()
    if let unseen = report.unseenDatasets { sections += EvaluationSections(report: unseen).brief() }
    let people = report.people == 1 ? "1 person" : "\(report.people) people"
    html = Self.page(
      title: "Activity model",
      lede: "Trained on \(ReportFormatting.plural(report.windows, "window")) of 3.84 s from "
        + "\(people). \(report.methodText).",
      figures: report.unseenPeople, sections: sections)
  }

  /// The page of a model evaluated on given windows.
  package init(_ report: EvaluationReport) {
    html = Self.page(
      title: "Activity model evaluated",
      lede: "\(ReportFormatting.plural(report.windows.overall.windows, "window")) of 3.84 s from "
        + "\(ReportFormatting.plural(report.windows.byDataset.count, "data set")).",
      figures: report,
      sections:
        "\(EvaluationSections(report: report).all())\(report.custom.map(TrainingTables.custom) ?? "")"
    )
  }

  private static func page(
    title: String, lede: String, figures: EvaluationReport, sections: Markup
  ) -> String {
    func figure(_ name: String, _ scores: GroupedEvaluation) -> Markup {
      let overall = scores.overall
      return """
        <div><dt>\(name)</dt><dd>\(fraction(overall.balancedAccuracy))\
        <small>macro-F1 \(fraction(overall.balancedMacroF1))</small></dd></div>
        """
    }
    let calibration = figures.live.overall.expectedCalibrationError
    let main: Markup = """
      <header>
      <p class="eyebrow">\(figures.heading)</p>
      <h1>\(title)</h1>
      <p class="lede">\(lede)</p>
      <dl class="figures">
      \(figure("Single windows", figures.windows))
      \(figure("Live", figures.live))
      \(figure("In hindsight", figures.smoothed))
      <div><dt>Calibration error, live</dt><dd>\(fraction(calibration))\
      <small>between the probability given and how often it was right</small></dd></div>
      </dl>
      <p class="note">\(ActivityEvaluation.weighting)</p>
      \(figures.leftOut.map { "<p class=\"note\">\($0)</p>" as Markup })
      </header>
      \(sections)
      <footer><p>Live and in hindsight are scored on streams that are chained from recordings with \
      hard cuts. "Unknown" counts as wrong.</p></footer>
      """
    return ReportPage.markup(title: title, style: style, main: main).text
  }

  private static let style: Markup = """
    .heat td{background:color-mix(in srgb,var(--accent) calc(var(--share)*55%),transparent)}
    .heat td:not(.bar){min-width:0}
    .pair{display:flex;flex-wrap:wrap;gap:28px}
    .pair figure{flex:1 1 300px;max-width:400px}
    .ideal{stroke:var(--soft);fill:none;stroke-dasharray:3 4}
    .bin{fill:var(--accent)}
    .wide-table{overflow-x:auto}
    .wide-table td{white-space:nowrap}

    """

  /// A fraction as a percentage.
  static func fraction(_ value: Double?) -> String {
    value.map { "\(ReportFormatting.fixed(100 * $0, 1)) %" } ?? "–"
  }
}
