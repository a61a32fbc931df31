import Locomotion
import LocomotionActivityRecognition
import LocomotionJournal
import LocomotionReport
import LocomotionSensing

extension Day {
  /// A line for each item and leg, in the words of the report.
  var text: String {
    guard !items.isEmpty else { return "\(date.date("-")): nothing is recorded\n" }
    var text = date.date("-") + "\n"
    let places = ReportPlaces(AnalysisResult(name: "", samples: [], dayItems: items))
    for item in items {
      let times = "\(date.clock(item.start))–\(date.clock(item.end))  "
      let length = ReportFormatting.duration(item.end.seconds(since: item.start))
      let mark = item.isPartial ? "  (may still change)" : ""
      switch (item.timelineItem, item.content) {
      case (.stay(let stay), .stay(let own)):
        let purpose = own.purpose.map { "  for \($0.plain)" } ?? ""
        text += "\(times)\(places.title(of: stay).plain)\(purpose)  \(length)\(mark)\n"
      case (.trip(let trip), .trip(let legs)):
        let words = legs.map { leg in
          let way = leg.distance.map { " " + ReportFormatting.distance($0) } ?? ""
          return (leg.activity?.name ?? "mode unknown") + way + (leg.isCorrected ? " (yours)" : "")
        }
        text +=
          "\(times)\(places.title(of: trip).plain): \(words.joined(separator: ", "))  "
          + "\(length)\(mark)\n"
      default: text += "\(times)No data  \(length)\(mark)\n"
      }
    }
    return text
  }
}
