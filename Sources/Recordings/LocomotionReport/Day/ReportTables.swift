import Locomotion
import LocomotionActivityRecognition
import LocomotionSensing

extension ReportSections {
  /// Time, distance and steps by kind.
  func totals() -> Markup { Self.table(of: figures.totals, in: units) }

  /// Time, distance and steps of `totals`.
  static func table(of totals: Totals, in units: ReportUnits) -> Markup {
    // A gap of days would leave nothing of the other bars.
    let longest = totals.partsInOrder.reduce(1) { $1.kind == .gap ? $0 : max($0, $1.part.seconds) }
    let rows = totals.partsInOrder.map { kind, part -> Markup in
      let style =
        switch kind {
        case .stay: "stay"
        case .gap: "gap"
        case .travel(let activity): "f-" + ReportPalette.name(activity)
        }
      return """
        <tr><th scope="row">\(kind.name)</th><td class="bar"><svg viewBox="0 0 100 8" \
        preserveAspectRatio="none" aria-hidden="true"><rect class="\(style)" \
        width="\(min(max(part.seconds / longest * 100, 0.5), 100))" height="8"/></svg></td>\
        <td>\(ReportFormatting.duration(part.seconds))</td>\
        <td>\(part.way(in: units) ?? "–")</td>\
        <td>\(part.countedSteps ?? "–")</td></tr>

        """
    }
    return """
      <table class="totals"><thead><tr><th scope="col">Kind</th><td class="bar"></td>\
      <th scope="col">Time</th><th scope="col">Distance</th><th scope="col">Steps</th></tr></thead>
      <tbody>\(rows)</tbody></table>

      """
  }

  /// The seconds without an activity, by reason.
  func unknown() -> Markup {
    guard figures.sampleCount > 0 else {
      return "<p class=\"note\">There are no samples to judge.</p>"
    }
    guard !figures.unknowns.isEmpty else {
      return "<p class=\"note\">Every second got an activity.</p>"
    }
    let rows = figures.unknowns.map { unknown -> Markup in
      let fraction = Double(unknown.seconds) / Double(figures.sampleCount)
      return """
        <tr><th scope="row">\(unknown.name)<small>\(unknown.explanation)</small></th>\
        <td>\(ReportFormatting.duration(Double(unknown.seconds)))</td>\
        <td>\(ReportFormatting.percent(fraction))</td></tr>

        """
    }
    return """
      <table><thead><tr><th scope="col">Seconds without an activity, by reason</th>\
      <th scope="col">Time</th><th scope="col">Share</th></tr></thead>
      <tbody>\(rows)</tbody></table>

      """
  }

  /// The data that were recorded, and the diagnostics of the pipeline.
  func data() -> Markup {
    func fraction(_ part: Int) -> String {
      let percent = ReportFormatting.percent(Double(part) / Double(max(figures.sampleCount, 1)))
      return "\(ReportFormatting.count(Double(part))) (\(percent))"
    }
    let parts = [
      ("of them with a location", figures.located),
      ("of them with accelerations", figures.accelerated),
      ("of them with a rotation rate", figures.rotated),
    ].filter { $0.1 > 0 }
    let own =
      [("seconds with data", ReportFormatting.count(Double(figures.sampleCount)))]
      + parts.map { ($0.0, fraction($0.1)) }
    let rows = (own + analysis.diagnostics.map { ($0.name, $0.value) }).map { row -> Markup in
      "<tr><th scope=\"row\"><bdi>\(row.0)</bdi></th><td><bdi>\(row.1)</bdi></td></tr>\n"
    }
    return "<table><tbody>\(rows)</tbody></table>\n"
  }
}
