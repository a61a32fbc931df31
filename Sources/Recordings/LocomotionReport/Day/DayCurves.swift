import Locomotion

/// The curves over time, each with a value for every column of the time.
extension DayDocument {
  /// The curves in the order in which they are shown.
  var curves: [PageValue] {
    let units = units
    let way = activity == nil ? nil : way
    let profile = altitude(over: way)
    let rest = [
      answers,
      curve(
        "Speed", "Ground speed from the location filter.", units.speedName, decimals: 1,
        least: 8
      ) { $0.location?.speed.map(units.perHour) },
      curve(
        "Cadence", "Both feet counted; empty where the person didn't step.", "steps/min",
        least: 120, [("dots", .number(1))]
      ) { $0.cadence },
    ]
    let measured = analysis.measured.map { curve(of: $0) }
    return (way == nil ? rest + [profile] + measured : [profile] + measured + rest)
      .compactMap { $0 }
  }

  /// The most frequent answer of each column, and its mean probability.
  private var answers: PageValue? {
    // The last place is that of seconds without a name.
    let kinds = Activity.allCases.count + 1
    let count = columnCount
    var counts = [Int](repeating: 0, count: count * kinds)
    var sums = [Double](repeating: 0, count: count * kinds)
    for sample in analysis.samples where sample.isAnswered {
      let kind = sample.activity?.rawValue ?? kinds - 1
      for column in axis.columns(of: sample, count: count) {
        counts[column * kinds + kind] += 1
        sums[column * kinds + kind] += sample.activityProbability
      }
    }
    guard counts.contains(where: { $0 > 0 }) else { return nil }
    let values = (0..<count).map { column in
      let first = column * kinds
      let most = (first..<first + kinds).max { counts[$0] < counts[$1] } ?? first
      guard counts[most] > 0 else { return "" }
      guard most < first + kinds - 1 else { return "x" }
      return "\(most - first)"
        + ReportFormatting.fixed(sums[most] / Double(counts[most]) * 100, 0)
    }
    return .object([
      ("name", .text("Activity (colour) and its probability (height)")),
      (
        "about",
        .text(
          "The colour is the most frequent answer, the height its probability, up to 100 per cent; "
            + "what is hatched got no name.")
      ), ("names", .texts(Activity.allCases.map { $0.name })),
      ("values", .text(values.joined(separator: ","))),
      // A curve of nearly one answer is a block.
      ("folded", isOfOneActivity ? .number(1) : nil),
    ])
  }

  /// Whether nearly all seconds have one answer.
  private var isOfOneActivity: Bool {
    var counts: [Activity?: Int] = [:]
    for sample in analysis.samples { counts[sample.activity, default: 0] += 1 }
    return Double(counts.values.max() ?? 0) > 0.95 * Double(figures.sampleCount)
  }

  /// The filtered altitude, and one standard deviation on both sides of it; over the distance where
  /// the recording is about one activity that knows its own, else over time.
  private func altitude(over way: [Double]?) -> PageValue? {
    let short = units.short
    // Errors of altitudes last: the mean over a column is no better known than its seconds.
    let spread = cells(
      axis.columns(analysis, count: columnCount) { $0.altitude.map { $0.deviation / short } },
      decimals: 1)
    let own: [(String, PageValue?)] = [
      ("spread", .text(spread)),
      ("way", way.map { .text(cells($0.map(Optional.some), decimals: 0)) }),
    ]
    return curve(
      way == nil ? "Altitude (line) and its standard deviation (band)" : "Profile",
      way == nil
        ? "The line is the filtered altitude, the band one standard deviation on both sides of it."
        : "The line is the filtered altitude, the colour below it how steep the way is.",
      units.shortName, least: 0, own
    ) { $0.altitude.map { $0.altitude / short } }
  }

  /// The metres from the start to the end of each column; nil where that is not known.
  private var way: [Double]? {
    var steps = [Double](repeating: 0, count: columnCount)
    for case .trip(let trip) in analysis.items {
      for leg in trip.legs {
        guard let distance = leg.distance else { return nil }
        let own = analysis.steps(of: leg)
        let total = own.reduce(0) { $0 + $1.metres }
        guard total > 0 else { continue }
        for step in own {
          let columns = axis.columns(of: step.sample, count: columnCount)
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

  /// A curve; nil where no second has a value.
  private func curve(
    _ name: String, _ about: String, _ unit: String, decimals: Int = 0, least: Int,
    _ more: [(String, PageValue?)] = [], _ value: (ReportSample) -> Double?
  ) -> PageValue? {
    curve(
      name, about, unit, decimals: decimals, least: least, more,
      axis.columns(analysis, count: columnCount, value))
  }

  /// What a device measured; nil where it has measured nothing of this time.
  private func curve(of quantity: AnalysisResult.Measured) -> PageValue? {
    var sums = [(sum: Double, count: Double)](repeating: (0, 0), count: columnCount)
    for (time, value) in quantity.values {
      let fraction = time.seconds(since: axis.start) / axis.seconds
      guard 0..<1 ~= fraction else { continue }
      let column = Int(fraction * Double(columnCount))
      sums[column].sum += Double(value)
      sums[column].count += 1
    }
    return curve(
      quantity.name, "By the device.", quantity.unit, least: 60, [],
      sums.map { $0.count > 0 ? $0.sum / $0.count : nil })
  }

  /// A curve of values of the columns; nil where none has one.
  private func curve(
    _ name: String, _ about: String, _ unit: String, decimals: Int = 0, least: Int,
    _ more: [(String, PageValue?)], _ values: [Double?]
  ) -> PageValue? {
    let known = values.compactMap { $0 }
    guard let lowest = known.min(), let highest = known.max() else { return nil }
    let range = [lowest, highest].map { ReportFormatting.fixed($0, 0) }
    return .object(
      [
        ("name", .text(name)),
        ("about", .text("\(about) The values shown are from \(range[0]) to \(range[1]) \(unit).")),
        ("unit", .text(unit)), ("least", .number(least)),
        ("values", .text(cells(values, decimals: decimals))),
      ] + more)
  }

  private func cells(_ values: [Double?], decimals: Int) -> String {
    values.map { $0.map { ReportFormatting.fixed($0, decimals) } ?? "" }.joined(separator: ",")
  }
}
