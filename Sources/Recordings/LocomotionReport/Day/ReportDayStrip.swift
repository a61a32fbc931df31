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

  static func draw(_ analysis: AnalysisResult, width: DrawingWidth) -> Markup {
    let figures = ReportFigures(analysis)
    var drawing = Drawing(
      width: width.points, height: 86, title: "The recording as a strip of time",
      description: "\(figures.countsInWords), in time order; the list says "
        + "the same in words.")
    let axis = ReportTimeAxis(analysis, width: width.points)
    axis.draw(in: &drawing, from: 12, to: 66)
    for piece in pieces(analysis) {
      let x = axis.x(piece.start)
      // A gap of one point between neighbours, and a minimum width.
      let length = max(axis.x(piece.end) - x - 1, 0.6)
      let isUnknown = piece.style == "f-unnamed"
      drawing.box(
        x: x, y: 18, width: length, height: 40, isUnknown ? "unnamed" : piece.style, tip: piece.tip,
        trip: piece.trip)
      if piece.style == "gap" || isUnknown {
        drawing.hatch(x: x, y: 18, width: length, height: 40)
      }
      for silence in piece.silences {
        drawing.veil(
          from: axis.x(silence.lowerBound), to: min(axis.x(silence.upperBound), x + length), y: 18,
          height: 40)
      }
      if piece.isCorrected {
        drawing.correction(from: x, to: x + length, y: 15, tip: piece.tip)
      }
      if let letter = piece.letter, length > 18 {
        drawing.text(letter, x: x + length / 2, y: 43, "letter", anchor: "middle")
      }
    }
    numbers(&drawing, analysis, axis)
    return drawing.markup(class: width.name)
  }

  /// The numbers of the trips above the strip, where they don't overlap.
  private static func numbers(
    _ drawing: inout Drawing, _ analysis: AnalysisResult, _ axis: ReportTimeAxis
  ) {
    var end = -Double.infinity
    for (item, number) in analysis.numberedItems {
      guard let number else { continue }
      let half = 3.5 * Double("\(number)".count)
      let middle = (axis.x(item.start) + axis.x(item.end)) / 2
      let x = min(max(middle, half), axis.width - half)
      guard x - half > end + 3 else { continue }
      end = x + half
      drawing.add(
        """
        <text class="trip" data-t="\(number)" x="\(x)" y="10" text-anchor="middle">\(number)</text>
        """)
    }
  }
}
