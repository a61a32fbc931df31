import Locomotion
import LocomotionActivityRecognition
package import LocomotionSensing

/// The stays, legs and gaps of the recording as one strip along the time axis.
package struct ReportDayStrip {
  /// A coloured piece of the strip.
  package struct Piece: Hashable, Sendable {
    package var start: Timestamp
    package var end: Timestamp
    var style: String
    var letter: String?
    /// The number of the trip, from 1.
    var trip: Int?
    package var tip: String
    /// Whether the activity is the person's correction.
    var isCorrected = false
    /// The parts that were not observed, where they are to be told from the others.
    package var silences: [Range<Timestamp>] = []
  }

  /// The pieces, which tile the time of the items.
  package static func pieces(_ analysis: AnalysisResult) -> [Piece] {
    let clock = ReportClock(analysis)
    let places = ReportPlaces(analysis)
    return analysis.numberedItems.flatMap { item, number -> [Piece] in
      func tip(_ what: String, _ start: Timestamp, _ end: Timestamp) -> String {
        "\(what), \(clock.time(start))–\(clock.end(end)), "
          + ReportFormatting.duration(end.seconds(since: start))
      }
      switch item {
      case .stay(let stay):
        let letter = places.letter(of: stay)
        let partial = analysis.partialObservation(of: stay)
        let observed = partial.map { ", \($0.words(of: item.duration))" } ?? ""
        return [
          Piece(
            start: stay.start, end: stay.end, style: "stay", letter: letter,
            tip: tip(places.title(of: stay), stay.start, stay.end) + observed,
            silences: partial?.silences ?? [])
        ]
      case .gap(let gap):
        return [
          Piece(
            start: gap.start, end: gap.end, style: "gap", letter: nil,
            tip: tip("No data", gap.start, gap.end))
        ]
      case .trip(let trip):
        return trip.legs.map { leg in
          Piece(
            start: leg.start, end: leg.end, style: "f-" + ReportPalette.name(leg.activity),
            letter: nil, trip: number,
            tip: tip(
              "Trip \(number ?? 0), \(leg.name ?? "mode unknown")", leg.start, leg.end)
              + (leg.isCorrected ? ", corrected by the person" : ""),
            isCorrected: leg.isCorrected,
            silences: analysis.partialObservation(ofTravelFrom: leg.start, to: leg.end)?.silences
              ?? [])
        }
      }
    }
  }
}
