import Locomotion
import LocomotionActivityRecognition
import LocomotionGait
import LocomotionPositioning
import LocomotionSensing

/// What the page's script draws over time: the strip of the items, and the curves of activity,
/// speed, cadence and altitude.
///
/// A figure has its data in attributes: the pieces of the strip, or a value for each column.
struct ReportSeries {
  private let analysis: AnalysisResult
  private let axis: ReportTimeAxis
  /// The number of columns.
  private let count: Int

  /// A series of as many columns as there are seconds, and of `most` at most: with 1,760 two for
  /// each point of a wide screen.
  init(_ analysis: AnalysisResult, most: Double = 1_760) {
    self.analysis = analysis
    axis = ReportTimeAxis(analysis, width: 1)
    count = Int(min(axis.seconds.rounded(.up), most))
  }

  /// The items.
  func strip() -> Markup {
    let pieces = ReportDayStrip.pieces(analysis).map { piece -> Markup in
      let letter: Markup = piece.letter.map { " data-l=\"\($0)\"" } ?? ""
      let trip: Markup = piece.trip.map { " data-t=\"\($0)\"" } ?? ""
      let silences = piece.silences.map { range in
        "\(Markup.number(second(range.lowerBound))):\(Markup.number(second(range.upperBound)))"
      }
      let silent: Markup =
        silences.isEmpty ? "" : " data-q=\"\(silences.joined(separator: " "))\""
      return mark(
        from: piece.start, to: piece.end,
        " data-s=\"\(piece.style)\"\(letter)\(trip)\(silent)\(piece.isCorrected ? " data-c" : "")",
        tip: piece.tip)
    }
    return figure(
      "The recording as a strip of time",
      "\(ReportFigures(analysis).countsInWords), in time order; the list says the same in words.",
      "", pieces)
  }

  /// The most frequent answer of each column, and its mean probability.
  func answers() -> Markup {
    // The last place is that of seconds without a name.
    let kinds = Activity.allCases.count + 1
    var counts = [Int](repeating: 0, count: count * kinds)
    var sums = [Double](repeating: 0, count: count * kinds)
    for sample in analysis.samples {
      guard let decision = sample.activity else { continue }
      let kind = decision.activity?.rawValue ?? kinds - 1
      let probability = decision.activity.map { Double(decision.probabilities[$0]) } ?? 0
      for column in axis.columns(of: sample, count: count) {
        counts[column * kinds + kind] += 1
        sums[column * kinds + kind] += probability.isFinite ? probability : 0
      }
    }
    let values = (0..<count).map { column in
      let first = column * kinds
      let most = (first..<first + kinds).max { counts[$0] < counts[$1] } ?? first
      guard counts[most] > 0 else { return "" }
      guard most < first + kinds - 1 else { return "x" }
      return "\(most - first)"
        + ReportFormatting.fixed(sums[most] / Double(counts[most]) * 100, 0)
    }
    let names = Activity.allCases.map { $0.name }.joined(separator: " ")
    let corrected = analysis.correctedLegs.map { leg in
      mark(
        from: leg.start, to: leg.end, " data-c",
        tip: "\(leg.name ?? "mode unknown"), corrected by the person")
    }
    return figure(
      "Activity over time",
      "The colour is the most frequent answer, the height its probability, up to 100 per cent; what "
        + "is hatched got no name.",
      " data-n=\"\(names)\" data-v=\"\(values.joined(separator: ","))\"", corrected)
  }

  /// Ground speed.
  func speed() -> Markup {
    let units = analysis.locale.units
    return curve(
      "Speed over time", "Ground speed from the location filter.", units.speedName, decimals: 1,
      least: 8
    ) { $0.location?.speed.map(units.perHour) }
  }

  /// Steps per minute.
  func cadence() -> Markup {
    curve(
      "Cadence over time", "Both feet counted; empty where the person didn't step.", "steps/min",
      least: 120, " data-dots"
    ) { $0.cadence.map { Double($0.stepsPerMinute) } }
  }

  /// The filtered altitude, and one standard deviation on both sides of it; over the distance where
  /// the recording is about one activity that knows its own, else over time.
  func altitude() -> (figure: Markup, isOverDistance: Bool) {
    let units = analysis.locale.units
    func value(
      _ value: @escaping (AltitudeFilter.Estimate) -> Double
    ) -> (LocomotionSample) -> Double? {
      { sample in
        sample.altitude.flatMap { abs($0.altitude) < 1e5 ? value($0) / units.short : nil }
      }
    }
    // Errors of altitudes last: the mean over a column is no better known than its seconds.
    let spread = cells(axis.columns(analysis, count: count, value { $0.deviation }), decimals: 1)
    let attributes: Markup = " data-w=\"\(spread)\""
    guard let way else {
      let overTime = curve(
        "Altitude over time",
        "The line is the filtered altitude, the band one standard deviation on both sides of it.",
        units.shortName, least: 0, attributes, value { $0.altitude })
      return (overTime, false)
    }
    let distances = way.map { ReportFormatting.fixed($0, 0) }.joined(separator: ",")
    let overDistance = curve(
      "Altitude over distance",
      "The line is the filtered altitude, the colour below it how steep the way is.",
      units.shortName, least: 0,
      """
      \(attributes) data-x="\(distances)" data-k="\(units.long)" data-kn="\(units.longName)"
      """, value { $0.altitude })
    return (overDistance, true)
  }

  /// The metres from the start to the end of each column; nil where that is not known, and of a
  /// recording that is about more than one activity.
  private var way: [Double]? {
    guard ReportActivity(analysis) != nil else { return nil }
    var steps = [Double](repeating: 0, count: count)
    for case .trip(let trip) in analysis.items {
      for leg in trip.legs {
        guard let distance = leg.distance else { return nil }
        let own = analysis.steps(of: leg)
        let total = own.reduce(0) { $0 + $1.metres }
        guard total > 0 else { continue }
        for step in own {
          let columns = axis.columns(of: step.sample, count: count)
          for column in columns {
            steps[column] += step.metres * distance / total / Double(columns.count)
          }
        }
      }
    }
    var sum = 0.0
    let way = steps.map { step in
      sum += step
      return sum
    }
    return sum >= 200 ? way : nil
  }

  private func curve(
    _ title: String, _ description: String, _ unit: String, decimals: Int = 0, least: Int,
    _ attributes: Markup = "", _ value: (LocomotionSample) -> Double?
  ) -> Markup {
    let values = axis.columns(analysis, count: count, value)
    let known = values.compactMap { $0 }
    let range = [known.min(), known.max()].map { ReportFormatting.fixed($0 ?? 0, 0) }
    return figure(
      title, "\(description) The values shown are from \(range[0]) to \(range[1]) \(unit).",
      """
       data-u="\(unit)" data-least="\(least)"\(attributes) \
      data-v="\(cells(values, decimals: decimals))"
      """, [])
  }

  private func cells(_ values: [Double?], decimals: Int) -> String {
    values.map { $0.map { ReportFormatting.fixed($0, decimals) } ?? "" }.joined(separator: ",")
  }

  private func second(_ instant: Timestamp) -> Double { instant.seconds(since: axis.start) }

  private func mark(
    from start: Timestamp, to end: Timestamp, _ attributes: Markup, tip: String
  ) -> Markup {
    """
    <i data-a="\(second(start))" data-b="\(second(end))"\(attributes) title="\(tip)"></i>
    """
  }

  private func figure(
    _ title: String, _ description: String, _ attributes: Markup, _ marks: [Markup]
  ) -> Markup {
    """
    <figure class="time" data-title="\(title)" data-desc="\(description)"\(attributes)>\(marks)\
    </figure>

    """
  }
}
