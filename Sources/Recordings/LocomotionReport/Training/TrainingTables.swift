import LocomotionActivityRecognition
import LocomotionTraining

/// The tables of a training's page that are not about a single evaluation.
enum TrainingTables {
  /// The contribution of each data set.
  static func sources(_ report: TrainingReport) -> Markup {
    let rows = report.sources.map { source in
      [source.dataset, "\(source.people)"]
        + report.classes.map { "\(source.windows[$0.name] ?? 0)" }
        + ["\(source.augmentedWindows)"]
    }
    let title = ["Data set", "People"] + report.classes.map(\.name) + ["altered copies"]
    let problems = report.dataProblems.map { "<li>\($0)</li>" as Markup }
    let list: Markup =
      problems.isEmpty
      ? "" : "<p class=\"note\">Problems of the data:</p><ul>\(problems)</ul>"
    let ignored = report.ignoredLabels.map { "<li>\($0)</li>" as Markup }
    let left: Markup =
      ignored.isEmpty
      ? "" : "<p class=\"note\">Labels that stand for no activity:</p><ul>\(ignored)</ul>"
    return section("What it was trained on", "\(table(title, rows))\(list)\(left)")
  }

  /// The improvement by training on top of a base model.
  static func adaptation(
    _ adaptation: TrainingReport.Adaptation, new: EvaluationReport
  ) -> Markup {
    func row(_ name: String, _ report: EvaluationReport) -> [String] {
      [report.windows, report.live, report.smoothed].reduce(into: [name]) { row, scores in
        row += [scores.overall.balancedAccuracy, scores.overall.balancedMacroF1]
          .map(TrainingPage.fraction)
      }
    }
    let note: Markup = """
      <p class="note">\(adaptation.movedText) The calibration is \
      \(adaptation.isRecalibrated ? "chosen anew" : "the base's").</p>
      """
    let table = table(
      [
        "These recordings", "single windows", "macro-F1", "live", "macro-F1", "hindsight",
        "macro-F1",
      ],
      [row("the base", adaptation.base), row("on top, \(new.protocolName)", new)])
    return section("What it gained over its base", "\(note)\(table)")
  }

  /// How well custom activities are recognised.
  static func custom(_ scores: [CustomTermTrainer.Score]) -> Markup {
    let title = [
      "Custom activity", "behaves like", "windows", "people", "recognised", "ordinary windows",
      "ordinary recognised", "left out",
    ]
    let rows = scores.map { score in
      [
        score.name, score.behavesLike ?? "none", "\(score.windows)", "\(score.people)",
        TrainingPage.fraction(score.recall), "\(score.ordinaryWindows)",
        TrainingPage.fraction(score.ordinaryRecall), score.leftOut?.rawValue ?? "nobody",
      ]
    }
    let note: Markup = """
      <p class="note">Single windows: of those of a custom activity the part that is recognised, and of \
      those of the ordinary kind the same.</p>
      """
    return section("Custom activities", "\(note)\(table(title, rows))")
  }

  static func section(_ title: String, _ content: Markup) -> Markup {
    "<section><h2>\(title)</h2>\n\(content)</section>\n"
  }

  /// A table whose first column is a heading; everything is escaped.
  static func table(_ title: [String], _ rows: [[String]]) -> Markup {
    let head = title.map { "<th scope=\"col\">\($0)</th>" as Markup }
    let body = rows.map { row -> Markup in
      let cells = row.dropFirst().map { "<td><bdi>\($0)</bdi></td>" as Markup }
      return "<tr><th scope=\"row\"><bdi>\(row.first ?? "")</bdi></th>\(cells)</tr>\n"
    }
    return """
      <div class="wide-table"><table><thead><tr>\(head)</tr></thead>
      <tbody>\(body)</tbody></table></div>

      """
  }
}
