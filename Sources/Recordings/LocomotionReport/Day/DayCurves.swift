import Locomotion

/// The curves over time, each with a value for every column of the time.
extension DayDocument {
  /// The curves in the order in which they are shown.
  var curves: [PageValue] {
    let (units, topSpeed) = (units, topSpeed)
    let way = activity == nil ? nil : way
    let profile = altitude(over: way)
    let rest = [
      curve(
        "Speed", "Ground speed from the location filter.", units.speedName, decimals: 1, least: 8,
        // A second of a jump is above the top of the legs, which five agree on.
        columns { $0.speed.map { units.perHour(min($0, topSpeed ?? $0)) } }),
      curve(
        "Cadence", "Both feet counted; empty where the person didn't step.", "steps/min",
        least: 120, columns { $0.cadence })?.with(["dots": .number(1)]),
    ]
    let measured = analysis.measured.map { curve(of: $0) }
    let all = way == nil ? rest + [profile] + measured : [profile] + measured + rest
    return (all + [answers]).compactMap { $0 }
  }

  /// The top speed of the legs, as the list tells it.
  private var topSpeed: Double? {
    analysis.items.flatMap { $0.legs }.compactMap { analysis.topSpeed(of: $0) }.max()
  }

  /// Mean and largest value of what a device measured on the way, as its heart rate.
  var measuredFigures: [PageDocument.Figure] {
    guard activity != nil else { return [] }
    return analysis.measured.compactMap { name, unit, values in
      var (sum, time) = (0.0, 0.0)
      for (one, next) in zip(values, values.dropFirst()) {
        let seconds = min(next.time.seconds(since: one.time), Self.longestInterval)
        sum += seconds * Double(one.value)
        time += seconds
      }
      guard time > 0, let highest = values.map({ $0.value }).max() else { return nil }
      func number(_ value: Double) -> String { ReportFormatting.count(value) }
      return (name, "\(number(sum / time)) \(unit)", "up to \(number(Double(highest)))")
    }
  }

  /// The most frequent answer of each column, and its mean probability.
  private var answers: PageValue? {
    // The last place is that of seconds without a name.
    let kinds = Activity.allCases.count + 1
    var counts = [Int](repeating: 0, count: columnCount * kinds)
    var sums = [Double](repeating: 0, count: columnCount * kinds)
    for sample in analysis.samples where sample.isAnswered {
      let kind = sample.activity?.rawValue ?? kinds - 1
      for column in columns(of: sample) {
        counts[column * kinds + kind] += 1
        sums[column * kinds + kind] += sample.activityProbability
      }
    }
    guard counts.contains(where: { $0 > 0 }) else { return nil }
    let values = (0..<columnCount).map { column in
      let first = column * kinds
      let most = (first..<first + kinds).max { counts[$0] < counts[$1] } ?? first
      guard counts[most] > 0 else { return "" }
      guard most < first + kinds - 1 else { return "x" }
      return "\(most - first)"
        + ReportFormatting.fixed(sums[most] / Double(counts[most]) * 100, 0)
    }
    return [
      "name": "Activity",
      "about": "The colour is the most frequent answer; what is hatched got no name.",
      "names": .texts(Activity.allCases.map { $0.name }),
      "values": .text(values.joined(separator: ",")),
    ]
  }

  /// The filtered altitude, and one standard deviation on both sides of it; over the distance where
  /// the recording is about one activity that knows its own, else over time.
  private func altitude(over way: [Double]?) -> PageValue? {
    let short = units.short
    return curve(
      way == nil ? "Altitude (line) and its standard deviation (band)" : "Profile",
      way == nil
        ? "The line is the filtered altitude, the band one standard deviation on both sides of it."
        : "The line is the filtered altitude, the colour below it how steep the way is.",
      units.shortName, least: 0, columns { $0.altitude.map { $0.altitude / short } }
    )?.with([
      // Errors of altitudes last: the mean over a column is no better known than its seconds.
      "spread": cells(columns { $0.altitude.map { $0.deviation / short } }, decimals: 1),
      "way": way.map { cells($0.map(Optional.some), decimals: 0) },
    ])
  }

  /// The metres from the start to the end of each column; nil where that is not known.
  private var way: [Double]? {
    var steps = [Double](repeating: 0, count: columnCount)
    for leg in analysis.items.flatMap({ $0.legs }) {
      guard let distance = leg.distance else { return nil }
      let own = analysis.steps(of: leg)
      let total = own.reduce(0) { $0 + $1.metres }
      guard total > 0 else { continue }
      for step in own {
        let columns = columns(from: step.sample.start, to: step.end)
        for column in columns {
          steps[column] += step.metres * distance / total / Double(columns.count)
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

  /// The longest time, seconds, for which a device's value counts while there is no other.
  private static let longestInterval = 10.0

  /// What a device measured; nil where it has measured nothing of this time.
  private func curve(of quantity: AnalysisResult.Measured) -> PageValue? {
    var means = [ColumnMean](repeating: ColumnMean(), count: columnCount)
    for (index, (time, value)) in quantity.values.enumerated() {
      let begin = time.seconds(since: analysis.start)
      guard 0..<seconds ~= begin else { continue }
      // Up to the next one that follows soon, so that narrow columns have no holes.
      let next = quantity.values.dropFirst(index + 1).first?.time.seconds(since: time) ?? 0
      let end = min(begin + (next <= Self.longestInterval ? next : 0), seconds)
      let first = Int(begin / seconds * Double(columnCount))
      let last = min(Int(end / seconds * Double(columnCount)), columnCount)
      for column in first..<max(first + 1, last) { means[column].add(Double(value)) }
    }
    return curve(
      quantity.name, "By the device.", quantity.unit, least: 60, means.map { $0.value })
  }

  /// A curve of values of the columns; nil where none has one, or all are 0.
  private func curve(
    _ name: String, _ about: String, _ unit: String, decimals: Int = 0, least: Int,
    _ values: [Double?]
  ) -> PageValue? {
    let known = values.compactMap { $0 }
    guard let lowest = known.min(), let highest = known.max(), max(-lowest, highest) >= 0.5
    else { return nil }
    let ends = [lowest, highest].map { ReportFormatting.fixed($0, 0) }
    let range = "\(ends[0]) to \(ends[1]) \(unit)"
    return [
      "name": .text(name), "about": "\(about) The values are from \(range).", "range": .text(range),
      "unit": .text(unit), "least": .number(least), "values": cells(values, decimals: decimals),
    ]
  }

  private func cells(_ values: [Double?], decimals: Int) -> PageValue {
    .text(
      values.map { $0.map { ReportFormatting.fixed($0, decimals) } ?? "" }.joined(separator: ","))
  }

  // MARK: - Columns

  /// The mean of what falls into a column.
  private struct ColumnMean {
    private var sum = 0.0
    private var count = 0

    /// Nil where nothing does.
    var value: Double? { count > 0 ? sum / Double(count) : nil }

    mutating func add(_ number: Double) {
      sum += number
      count += 1
    }
  }

  /// The mean of a value of the samples per column; nil where no sample has one.
  private func columns(_ value: (ReportSample) -> Double?) -> [Double?] {
    var means = [ColumnMean](repeating: ColumnMean(), count: columnCount)
    for sample in analysis.samples {
      guard let number = value(sample), number.isFinite else { continue }
      // A sample that spans several columns counts in each, so that narrow columns have no holes.
      for column in columns(of: sample) { means[column].add(number) }
    }
    return means.map { $0.value }
  }

  /// The columns that `sample` overlaps; empty outside the time.
  private func columns(of sample: ReportSample) -> Range<Int> {
    columns(from: sample.start, to: sample.end)
  }

  private func columns(from start: Timestamp, to end: Timestamp) -> Range<Int> {
    let scale = Double(columnCount) / seconds
    let first = start.seconds(since: analysis.start) * scale
    let end = end.seconds(since: analysis.start) * scale
    let low = Int(min(max(first.rounded(.down), 0), Double(columnCount)))
    let high = Int(min(max((end - 1e-9).rounded(.down) + 1, 0), Double(columnCount)))
    return low..<max(low, high)
  }
}
