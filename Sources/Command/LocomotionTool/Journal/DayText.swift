import Locomotion
import LocomotionJournal
import LocomotionReport

extension Day {
  /// A line for each item and leg, in the words of the report.
  func text(_ locale: ReportLocale) -> String {
    guard !items.isEmpty else { return "\(date.date("-")): nothing is recorded\n" }
    var text = date.date("-") + "\n"
    var analysis = AnalysisResult(name: "", samples: [], items: items)
    analysis.locale = locale
    let places = ReportPlaces(analysis)
    let clock = ReportClock(start: date.start, end: date.end, locale: locale)
    for item in items {
      let times = "\(clock.time(item.start))–\(clock.end(item.end))  "
      let length = ReportFormatting.duration(item.duration)
      let mark = item.isPartial ? "  (may still change)" : ""
      switch item {
      case .stay(let stay):
        let purpose = stay.purpose.map { "  for \($0.plain)" } ?? ""
        text += "\(times)\(places.title(of: stay).plain)\(purpose)  \(length)\(mark)\n"
      case .trip(let trip):
        let words = trip.legs.map { leg in
          let way = leg.distance.map { " " + locale.units.distance($0) } ?? ""
          return (leg.name ?? "mode unknown") + way
            + (trip.basis(of: leg).map { " (\($0))" } ?? "")
        }
        text +=
          "\(times)\(places.title(of: trip).plain): \(words.joined(separator: ", "))  "
          + "\(length)\(mark)\n"
      case .gap: text += "\(times)No data  \(length)\(mark)\n"
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
  /// The answers, the likeliest first, such as "cycling or automotive?".
  var text: String { answers.map(\.activity.name).joined(separator: " or ") + "?" }
}
