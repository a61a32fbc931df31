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
          item, "gap", badge: "–", "No data",
          ReportFormatting.duration(item.duration) + Self.mayChange(item.isPartial))
      }
    }
    return "<ol class=\"story\(clock.isOfTwelve ? " twelve" : "")\">\n\(items)</ol>\n"
  }

  /// Whole seconds since the start of the recording.
  private func second(_ instant: Timestamp) -> Int {
    Int(instant.seconds(since: analysis.start).rounded())
  }

  /// `text` with no-break spaces but after commas, so that a number stays with its unit.
  static func unbroken(_ text: String) -> String {
    var last: Character = " "
    return String(
      text.map { character in
        defer { last = character }
        return character == " " && last != "," ? "\u{A0}" : character
      })
  }

  private func row(
    _ item: TimelineItem, _ style: String, badge: String, _ title: String, _ detail: String,
    _ more: Markup = "", trip: Int? = nil
  ) -> Markup {
    let number: Markup = trip.map { " data-t=\"\($0)\"" } ?? ""
    let times = "\(clock.time(item.start))–\(clock.end(item.end))"
    let summary: Markup =
      trip.map { " data-summary=\"Trip \($0): \(title), \(times), \(detail)\"" } ?? ""
    return """
      <li class="\(style)"\(number) data-a="\(second(item.start))" data-b="\(second(item.end))"><span class="when"><time>\(clock.time(item.start))</time>–\
      <time>\(clock.end(item.end))</time></span><b aria-hidden="true">\(badge)</b>\
      <div\(summary)><strong class="title"><bdi>\(title)</bdi></strong> <span>\(detail)</span>\
      \(more)</div></li>

      """
  }

  private func entry(_ stay: Stay) -> Markup {
    let purpose = stay.purpose.map { purpose -> Markup in
      "<p class=\"purpose\"><bdi>\(purpose)</bdi></p>"
    }
    let details = [
      ReportFormatting.duration(stay.end.seconds(since: stay.start)),
      // A radius that is like that of most phones says nothing.
      stay.location.flatMap {
        $0.radius68 > 30 ? "known to \(units.distance($0.radius68))" : nil
      },
      units.climb(stay.altitudeChange),
    ].compactMap { $0 }.map(Self.unbroken).joined(separator: " · ")
    return row(
      .stay(stay), "at", badge: places.letter(of: stay) ?? "·", places.title(of: stay),
      details + Self.mayChange(stay.isPartial),
      "\(remark(analysis.remarks(on: stay)))\(purpose ?? "")")
  }

  /// What is known of an item only roughly, on a line of its own.
  private func remark(_ remarks: [String]) -> Markup {
    guard !remarks.isEmpty else { return "" }
    let text = remarks.map(Self.unbroken).joined(separator: " · ")
    return "<small>\(text)</small>"
  }

  /// A remark on an item that is not final.
  private static func mayChange(_ isPartial: Bool) -> String {
    isPartial ? " · may still change" : ""
  }

  private func entry(_ trip: Trip, _ number: Int) -> Markup {
    let legs = trip.legs.map { leg -> Markup in
      let doubt = leg.start == analysis.doubt?.start ? analysis.doubt?.text : nil
      let extent = analysis.extent(of: leg).map(Self.unbroken).joined(separator: " · ")
      let details = (analysis.details(of: leg) + [doubt ?? trip.basis(of: leg)].compactMap { $0 })
        .map(Self.unbroken).joined(separator: " · ")
      let more: Markup = details.isEmpty ? "" : "<small>\(details)</small>"
      let name = ReportPalette.name(leg.activity)
      return """
        <li><svg class="key" viewBox="0 0 40 10" aria-hidden="true"><path class="track s-\(name)" \
        d="M4 5H36"/></svg><div>\(leg.name ?? "mode unknown") \
        <span>\(extent)</span>\(more)\(splits(of: leg))</div></li>
        """
    }
    let details = [
      ReportFormatting.duration(trip.end.seconds(since: trip.start)),
      trip.distance.map { units.distance($0, deviation: trip.distanceDeviation) },
    ].compactMap { $0 }.map(Self.unbroken).joined(separator: " · ")
    return row(
      .trip(trip), "way", badge: "\(number)", places.title(of: trip),
      details + Self.mayChange(trip.isPartial),
      "\(remark(analysis.remarks(on: trip)))<ul>\(legs)</ul>", trip: number)
  }

  /// The times of each kilometre or mile, folded; nothing for other activities than runs and rides.
  private func splits(of leg: Trip.Leg) -> Markup {
    let splits = analysis.splits(of: leg)
    guard !splits.isEmpty else { return "" }
    let fastest = splits.reduce(1e-6) { max($0, $1.speed) }
    let isRun = leg.activity == .running
    let rows = splits.enumerated().map { index, split -> Markup in
      let length =
        split.distance > units.long - 0.5 ? "\(index + 1)" : units.distance(split.distance)
      let bar = split.speed / fastest * 100
      return """
        <tr><th scope="row">\(length)</th><td>\(ReportFormatting.stopwatch(split.seconds))</td>\
        <td>\(isRun ? units.pace(split.speed) : units.speed(split.speed))</td>\
        <td class="bar"><svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">\
        <rect class="f-\(ReportPalette.name(leg.activity))" width="\(bar)" height="8"/></svg></td></tr>

        """
    }
    return """
      <details class="splits"><summary>Every \(units.longWord)</summary>
      <table><thead><tr><th scope="col">\(units.longName)</th><th scope="col">Time</th>\
      <th scope="col">\(isRun ? "Pace" : "Speed")</th><td class="bar"></td></tr></thead>
      <tbody>\(rows)</tbody></table></details>
      """
  }
}
