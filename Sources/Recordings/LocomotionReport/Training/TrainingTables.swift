import LocomotionActivityRecognition
import LocomotionTraining

/// The tables of a training's page that are not about a single evaluation.
enum TrainingTables {
  /// The contribution of each data set.
  static func sources(_ report: TrainingReport) -> Markup {
    section(
      "What it was trained on",
      """
      \(table(report.sourceTable(["Data set", "People"])))\
      \(list("Problems of the data:", report.dataProblems))\
      \(list("Labels that stand for no activity:", report.ignoredLabels))
      """)
  }

  private static func list(_ title: String, _ entries: [String]) -> Markup {
    let items = entries.map { "<li>\($0)</li>" as Markup }
    return items.isEmpty ? "" : "<p class=\"note\">\(title)</p><ul>\(items)</ul>"
  }

  /// The improvement by training on top of a base model.
  static func adaptation(
    _ adaptation: TrainingReport.Adaptation, new: EvaluationReport
  ) -> Markup {
    let note: Markup = """
      <p class="note">\(adaptation.outcomeText). The calibration is the base's.</p>
      """
    let table = table([
      [
        "These recordings", "single windows", "macro-F1", "live", "macro-F1", "hindsight",
        "macro-F1",
      ],
      adaptation.base.stageRow("the base", TrainingPage.fraction),
      new.stageRow("on top, \(new.protocolName)", TrainingPage.fraction),
    ])
    return section("What it gained over its base", "\(note)\(table)")
  }

  /// How well custom activities are recognised.
  static func custom(_ scores: [CustomTermTrainer.Score]) -> Markup {
    let rows = CustomTermTrainer.Score.table(
      of: scores, "Custom activity", "ordinary windows", TrainingPage.fraction)
    let note: Markup = """
      <p class="note">Single windows: of those of a custom activity the part that is recognised, and of \
      those of the ordinary kind the same.</p>
      """
    return section("Custom activities", "\(note)\(table(rows))")
  }

  static func section(_ title: String, _ content: Markup) -> Markup {
    "<section><h2>\(title)</h2>\n\(content)</section>\n"
  }

  /// A table whose first row and column are headings; everything is escaped.
  static func table(_ rows: [[String]]) -> Markup {
    let head = rows[0].map { "<th scope=\"col\">\($0)</th>" as Markup }
    let body = rows.dropFirst().map { row -> Markup in
      let cells = row.dropFirst().map { "<td><bdi>\($0)</bdi></td>" as Markup }
      return "<tr><th scope=\"row\"><bdi>\(row.first ?? "")</bdi></th>\(cells)</tr>\n"
    }
    return """
      <div class="wide-table"><table><thead><tr>\(head)</tr></thead>
      <tbody>\(body)</tbody></table></div>

      """
  }
}
