import Locomotion
import LocomotionActivityRecognition
import LocomotionSensing

extension ReportSections {
  /// The items as text.
  func storyline() -> Markup {
    let items = analysis.numberedItems.map { item, number -> Markup in
      switch item {
      case .stay(let stay): entry(stay)
      case .trip(let trip): entry(trip, number ?? 0)
      case .gap:
        row(
          item.start, "gap", "–", "No data",
          ReportFormatting.duration(item.duration) + mayChange(item.start), "")
      }
    }
    return "<ol class=\"story\">\n\(items)</ol>\n"
  }

  /// `text` with no-break spaces, so that a number stays with its unit.
  private static func unbroken(_ text: String) -> String {
    String(text.map { $0 == " " ? "\u{A0}" : $0 })
  }

  private func row(
    _ start: Timestamp, _ style: String, _ badge: String, _ title: String, _ detail: String,
    _ more: Markup, trip: Int? = nil
  ) -> Markup {
    let number: Markup = trip.map { " data-t=\"\($0)\"" } ?? ""
    let summary: Markup = trip.map { " data-summary=\"Trip \($0): \(title), \(detail)\"" } ?? ""
    return """
      <li class="\(style)"\(number)><time>\(clock.time(start))</time>\
      <b aria-hidden="true">\(badge)</b><div\(summary)><strong class="title"><bdi>\(title)</bdi>\
      </strong> <span>\(detail)</span>\(more)</div></li>

      """
  }

  private func entry(_ stay: Stay) -> Markup {
    let letter = places.letter(of: stay)
    let duration = ReportFormatting.duration(stay.end.seconds(since: stay.start))
    let place = stay.location.map { place in
      Self.unbroken(
        "\(ReportFormatting.fixed(place.latitude, 5)), "
          + "\(ReportFormatting.fixed(place.longitude, 5)) ± "
          + ReportFormatting.distance(place.radius68))
    }
    let annotation = analysis.annotations[stay.start]
    let purpose = annotation?.purpose.map { purpose -> Markup in
      "<p class=\"purpose\"><bdi>\(purpose)</bdi></p>"
    }
    return row(
      stay.start, "at", letter ?? "·",
      annotation?.name ?? letter.map { "Stay at \($0)" } ?? "Stay",
      "\(Self.unbroken(duration)) · \(place ?? "place unknown")\(mayChange(stay.start))",
      purpose ?? "")
  }

  /// A remark on an item that is not final.
  private func mayChange(_ start: Timestamp) -> String {
    analysis.annotations[start]?.isPartial == true ? " · may still change" : ""
  }

  private func entry(_ trip: Trip, _ number: Int) -> Markup {
    let legs = trip.legs.map { leg -> Markup in
      let details = [
        ReportFormatting.duration(leg.end.seconds(since: leg.start)),
        leg.distance.map(ReportFormatting.distance),
        leg.steps >= 0.5 ? "\(ReportFormatting.count(leg.steps)) steps" : nil,
        analysis.annotations[leg.start]?.isCorrected == true
          ? "your correction"
          : analysis.confidence(of: leg).map { "\(ReportFormatting.fixed($0 * 100, 0)) % sure" },
      ].compactMap { $0 }.map(Self.unbroken).joined(separator: " · ")
      let name = ReportPalette.name(leg.activity)
      return """
        <li><svg class="key" viewBox="0 0 40 10" aria-hidden="true"><path class="track s-\(name)" \
        d="M4 5H36"/></svg><div>\(leg.activity?.name ?? "mode unknown") \
        <span>\(details)</span></div></li>
        """
    }
    let details = [
      ReportFormatting.duration(trip.end.seconds(since: trip.start)),
      trip.distance.map(ReportFormatting.distance),
    ].compactMap { $0 }.map(Self.unbroken).joined(separator: " · ")
    return row(
      trip.start, "way", "\(number)", "Trip", details + mayChange(trip.start), "<ul>\(legs)</ul>",
      trip: number)
  }

  /// Time, distance and steps by kind.
  func totals() -> Markup {
    let longest = figures.totals.reduce(1) { max($0, $1.seconds) }
    let rows = figures.totals.map { total -> Markup in
      let style =
        switch total.kind {
        case .stay: "stay"
        case .gap: "gap"
        case .travel(let activity): "f-" + ReportPalette.name(activity)
        }
      return """
        <tr><th scope="row">\(total.kind.name)</th><td class="bar"><svg viewBox="0 0 100 8" \
        preserveAspectRatio="none" aria-hidden="true"><rect class="\(style)" \
        width="\(max(total.seconds / longest * 100, 0.5))" height="8"/></svg></td>\
        <td>\(ReportFormatting.duration(total.seconds))</td>\
        <td>\(total.distance.map(ReportFormatting.distance) ?? "–")</td>\
        <td>\(total.steps.map(ReportFormatting.count) ?? "–")</td></tr>

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
      let fraction = Double(unknown.seconds) / Double(figures.sampleCount) * 100
      return """
        <tr><th scope="row">\(unknown.name)<small>\(unknown.explanation)</small></th>\
        <td>\(ReportFormatting.duration(Double(unknown.seconds)))</td>\
        <td>\(ReportFormatting.fixed(fraction, 1)) %</td></tr>

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
      guard part > 0 else { return "none" }
      let percent = Double(part) / Double(max(figures.sampleCount, 1)) * 100
      return "\(ReportFormatting.count(Double(part))) (\(ReportFormatting.fixed(percent, 1)) %)"
    }
    let own = [
      ("seconds with data", ReportFormatting.count(Double(figures.sampleCount))),
      ("of them with a location", fraction(figures.located)),
      ("of them with accelerations", fraction(figures.accelerated)),
      ("of them with a rotation rate", fraction(figures.rotated)),
    ]
    let rows = (own + analysis.diagnostics.map { ($0.name, $0.value) }).map { row -> Markup in
      "<tr><th scope=\"row\"><bdi>\(row.0)</bdi></th><td><bdi>\(row.1)</bdi></td></tr>\n"
    }
    return "<table><tbody>\(rows)</tbody></table>\n"
  }
}
