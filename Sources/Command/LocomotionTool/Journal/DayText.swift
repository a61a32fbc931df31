import Locomotion
import LocomotionJournal
import LocomotionReport

extension Day {
  /// The items and legs in the words of the report.
  func text(_ locale: ReportLocale) -> String {
    guard !items.isEmpty else { return "\(date.date("-")): nothing is recorded\n" }
    var analysis = AnalysisResult(name: "", samples: [], items: items)
    analysis.locale = locale
    return date.date("-") + "\n" + TextSummary(itemsOf: analysis).text
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
