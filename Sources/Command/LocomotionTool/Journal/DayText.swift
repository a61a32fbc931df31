import Locomotion
import LocomotionActivityRecognition
import LocomotionJournal
import LocomotionReport
import LocomotionSensing

extension Day {
  /// A line for each item and leg, in the words of the report.
  func text(_ locale: ReportLocale) -> String {
    guard !items.isEmpty else { return "\(date.date("-")): nothing is recorded\n" }
    var text = date.date("-") + "\n"
    var analysis = AnalysisResult(name: "", samples: [], dayItems: items)
    analysis.locale = locale
    let places = ReportPlaces(analysis)
    let clock = ReportClock(start: date.start, end: date.end, locale: locale)
    for item in items {
      let times = "\(clock.time(item.start))–\(clock.end(item.end))  "
      let length = ReportFormatting.duration(item.end.seconds(since: item.start))
      let mark = item.isPartial ? "  (may still change)" : ""
      switch (item.timelineItem, item.content) {
      case (.stay(let stay), .stay(let own)):
        let purpose = own.purpose.map { "  for \($0.plain)" } ?? ""
        text += "\(times)\(places.title(of: stay).plain)\(purpose)  \(length)\(mark)\n"
      case (.trip(let trip), .trip(let legs)):
        let words = legs.map { leg in
          let way = leg.distance.map { " " + locale.units.distance($0) } ?? ""
          return (leg.name ?? "mode unknown") + way
            + (leg.isCorrected ? " (yours)" : leg.inference?.reason.map { " (\($0))" } ?? "")
        }
        text +=
          "\(times)\(places.title(of: trip).plain): \(words.joined(separator: ", "))  "
          + "\(length)\(mark)\n"
      default: text += "\(times)No data  \(length)\(mark)\n"
      }
    }
    return text
  }

  /// A line that asks what a leg was.
  func text(of doubt: LegQuestion, _ locale: ReportLocale) -> String {
    let clock = ReportClock(start: date.start, end: date.end, locale: locale)
    return "In doubt: \(clock.time(doubt.start))–\(clock.end(doubt.end)), \(doubt.text)\n"
  }
}

extension LegQuestion {
  /// The answers, such as "cycling (62 %) or automotive (35 %)?".
  var text: String {
    answers.map { "\($0.activity.name) (\(ReportFormatting.percent($0.probability)))" }
      .joined(separator: " or ") + "?"
  }
}

extension ModeInference {
  /// What the habit did: nil when there is none.
  var reason: String? {
    guard confirmedTrips > 0 else { return nil }
    let (named, seen) = (posterior.mostProbable, sensors.mostProbable)
    let trips = confirmedTrips == 1 ? "a confirmed trip" : "\(confirmedTrips) confirmed trips"
    let share = ReportFormatting.percent(Double(posterior[named]))
    return named == seen
      ? "\(share) sure, like \(trips)"
      : "\(share) sure, by \(trips); by the sensors alone \(seen.name), "
        + ReportFormatting.percent(Double(sensors[seen]))
  }
}
