import Locomotion
import LocomotionActivityRecognition
import LocomotionGait
import LocomotionPositioning
import LocomotionSensing

/// The curves over time: activity probabilities, speed, cadence and altitude.
struct ReportCharts {
  let analysis: AnalysisResult
  let width: DrawingWidth
  private let axis: ReportTimeAxis
  /// Each column is two points wide.
  private let count: Int
  private let step: Double

  init(_ analysis: AnalysisResult, width: DrawingWidth) {
    self.analysis = analysis
    self.width = width
    axis = ReportTimeAxis(analysis, width: width.points)
    count = Int(width.points / 2)
    step = width.points / Double(count)
  }

  /// The most frequent answer of a column, and its mean probability; no activity where most of the
  /// time got no name.
  private struct Answer {
    var activity: Activity?
    var probability: Double
  }

  /// The answer of each column as its colour, its probability as the height; hatched where there
  /// is none.
  func answers() -> Markup {
    let height = 96.0
    var drawing = Drawing(
      width: width.points, height: height + 24, title: "Activity over time",
      description: "The colour is the most frequent answer, the height its probability, up to 100 "
        + "per cent; what is hatched got no name.")
    axis.draw(in: &drawing, from: 0, to: height)
    let answers = columnAnswers()
    let floor = [Double](repeating: height, count: count)
    for activity in Activity.allCases {
      let top = answers.map { height - ($0?.probability ?? 0) * (height - 4) }
      for range in Self.ranges(where: { answers[$0]?.activity == activity }, count: count) {
        drawing.add(
          "<path class=\"f-\(activity.name)\" d=\"\(area(range, from: floor, to: top))\"/>")
      }
    }
    let isUnnamed = { (column: Int) in answers[column].map { $0.activity == nil } ?? false }
    for range in Self.ranges(where: isUnnamed, count: count) {
      drawing.hatch(
        x: Double(range.lowerBound) * step, y: 4, width: Double(range.count) * step,
        height: height - 4)
    }
    for fraction in [0.0, 0.5, 1.0] {
      let y = height - fraction * (height - 4)
      drawing.line(0, y, width.points, y, fraction == 0 ? "base" : "hair over")
    }
    bands(&drawing, height: height)
    // Above the bands, so that its tip is found.
    for leg in analysis.correctedLegs {
      let (start, end) = (axis.x(leg.start), axis.x(leg.end))
      drawing.correction(
        from: start, to: max(end, start + 2), y: 2,
        tip: "\(leg.name ?? "mode unknown"), corrected by the person")
    }
    let names = Activity.allCases.map { $0.name }.joined(separator: " ")
    let values = answers.map { answer in
      answer.map { answer in
        let percent = ReportFormatting.fixed(answer.probability * 100, 0)
        return answer.activity.map { "\($0.rawValue)\(percent)" } ?? "x"
      } ?? ""
    }
    return drawing.markup(
      class: width.name, "data-v=\"\(values.joined(separator: ","))\" data-n=\"\(names)\"")
  }

  private func columnAnswers() -> [Answer?] {
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
    return (0..<count).map { column in
      let first = column * kinds
      let most = (first..<first + kinds).max { counts[$0] < counts[$1] } ?? first
      guard counts[most] > 0 else { return nil }
      let activity = Activity.allCases.first { $0.rawValue == most - first }
      return Answer(activity: activity, probability: sums[most] / Double(counts[most]))
    }
  }

  /// Ground speed.
  func speed() -> Markup {
    let units = analysis.locale.units
    let values = axis.columns(analysis, count: count) { sample in
      sample.location?.speed.map(units.perHour)
    }
    return curve(
      values, unit: units.speedName, title: "Speed over time", least: 8,
      description: "Ground speed from the location filter.")
  }

  /// Steps per minute.
  func cadence() -> Markup {
    let values = axis.columns(analysis, count: count) { sample in
      sample.cadence.map { Double($0.stepsPerMinute) }
    }
    return curve(
      values, unit: "steps/min", title: "Cadence over time", least: 120,
      description: "Both feet counted; empty where the person didn't step.", isDotted: true)
  }

  private func curve(
    _ values: [Double?], unit: String, title: String, least: Double, description: String,
    isDotted: Bool = false
  ) -> Markup {
    let height = 92.0
    let reach = height - 18  // room for the top label
    let top = Self.roundTop(values.reduce(least) { max($0, $1 ?? 0) })
    let largest = values.reduce(0) { max($0, $1 ?? 0) }
    var drawing = Drawing(
      width: width.points, height: height + 24, title: title,
      description: "\(description) The largest value shown is "
        + "\(ReportFormatting.fixed(largest, 0)) \(unit).")
    axis.draw(in: &drawing, from: 0, to: height)
    func point(_ column: Int) -> SIMD2<Double> {
      SIMD2((Double(column) + 0.5) * step, height - (values[column] ?? 0) / top * reach)
    }
    for fraction in [0.0, 0.5, 1.0] {
      let y = height - fraction * reach
      drawing.line(0, y, width.points, y, fraction == 0 ? "base" : "hair")
    }
    if isDotted {
      var dots: Markup = ""
      for column in 0..<count where values[column] != nil {
        let point = point(column)
        dots += "M\(point.x) \(point.y)h0"
      }
      drawing.add("<path class=\"dots\" d=\"\(dots)\"/>")
    } else {
      for range in Self.ranges(where: { values[$0] != nil }, count: count) {
        let points = range.map(point)
        let line = Drawing.path(points.simplified(tolerance: 0.3))
        let (first, last) = (points[0].x, points[points.count - 1].x)
        drawing.add("<path class=\"below\" d=\"\(line)L\(last) \(height)L\(first) \(height)Z\"/>")
        drawing.add("<path class=\"curve\" d=\"\(line)\"/>")
      }
    }
    for fraction in [0.5, 1.0] {
      let y = height - fraction * reach
      let value = ReportFormatting.fixed(top * fraction, 0)
      drawing.text(
        fraction == 1 ? "\(value) \(unit)" : value, x: 0, y: y - 4, "halo")
    }
    bands(&drawing, height: height)
    return drawing.markup(class: width.name, Self.data(values, unit: unit))
  }

  /// The filtered altitude, and one standard deviation on both sides of it.
  func altitude() -> Markup {
    let units = analysis.locale.units
    func values(_ value: @escaping (AltitudeFilter.Estimate) -> Double) -> [Double?] {
      axis.columns(analysis, count: count) { sample in
        sample.altitude.flatMap { abs($0.altitude) < 1e5 ? value($0) / units.short : nil }
      }
    }
    let middle = values { $0.altitude }
    // Errors of altitudes last: the mean over a column is no better known than its seconds.
    let low = values { $0.altitude - $0.deviation }
    let high = values { $0.altitude + $0.deviation }
    let (least, most) = (low.compactMap { $0 }.min() ?? 0, high.compactMap { $0 }.max() ?? 0)
    var half = Self.roundTop(max((most - least) / 2, 10))
    func floor() -> Double { (least / half * 2).rounded(.down) * half / 2 }
    while floor() + 2 * half < most { half = Self.roundTop(half * 1.01) }
    let bottom = floor()
    let height = 92.0
    let reach = height - 18  // room for the top label
    func y(_ value: Double?) -> Double { height - ((value ?? 0) - bottom) / (2 * half) * reach }
    let (lowest, highest) = (middle.compactMap { $0 }.min(), middle.compactMap { $0 }.max())
    var drawing = Drawing(
      width: width.points, height: height + 24, title: "Altitude over time",
      description: "The line is the filtered altitude, from "
        + "\(ReportFormatting.fixed(lowest ?? 0, 0)) to \(ReportFormatting.fixed(highest ?? 0, 0)) \(units.shortName), the band one standard "
        + "deviation on both sides of it.")
    axis.draw(in: &drawing, from: 0, to: height)
    for fraction in [0.0, 0.5, 1.0] {
      let y = height - fraction * reach
      drawing.line(0, y, width.points, y, "hair")
    }
    for range in Self.ranges(where: { middle[$0] != nil }, count: count) {
      func points(_ values: [Double?]) -> [SIMD2<Double>] {
        range.map { SIMD2((Double($0) + 0.5) * step, y(values[$0])) }.simplified(tolerance: 0.3)
      }
      let around = points(high) + points(low).reversed()
      drawing.add("<path class=\"spread\" d=\"\(Drawing.path(around))Z\"/>")
      drawing.add("<path class=\"curve\" d=\"\(Drawing.path(points(middle)))\"/>")
    }
    for fraction in [0.0, 0.5, 1.0] {
      let value = ReportFormatting.count(bottom + 2 * half * fraction)
      drawing.text(
        fraction == 1 ? "\(value) \(units.shortName)" : value, x: 0,
        y: height - fraction * reach - 4, "halo")
    }
    bands(&drawing, height: height)
    return drawing.markup(class: width.name, Self.data(middle, unit: units.shortName))
  }

  /// The value of each column, from which the script tells that at its cursor.
  private static func data(_ values: [Double?], unit: String) -> Markup {
    let texts = values.map { $0.map { ReportFormatting.fixed($0, 0) } ?? "" }
    return "data-v=\"\(texts.joined(separator: ","))\" data-u=\"\(unit)\""
  }

  /// The time of each trip, which is visible only when the script lights it up.
  private func bands(_ drawing: inout Drawing, height: Double) {
    for (item, number) in analysis.numberedItems {
      guard let number else { continue }
      let (start, end) = (axis.x(item.start), axis.x(item.end))
      drawing.add(
        """
        <rect class="band" data-t="\(number)" x="\(start)" y="0" width="\(max(end - start, 2))" \
        height="\(height)"/>
        """)
    }
  }

  /// A closed step function over `range` between two edges.
  private func area(_ range: Range<Int>, from floor: [Double], to top: [Double]) -> Markup {
    var data: Markup = "M\(Double(range.lowerBound) * step) \(floor[range.lowerBound])"
    func stair(_ edge: [Double], _ column: Int, backwards: Bool) -> Markup {
      let x = Double(backwards ? column : column + 1) * step
      return "V\(edge[column])H\(x)"
    }
    for column in range { data += stair(top, column, backwards: false) }
    for column in range.reversed() { data += stair(floor, column, backwards: true) }
    data += "Z"
    return data
  }

  /// The maximal ranges of columns that satisfy `predicate`.
  static func ranges(where predicate: (Int) -> Bool, count: Int) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    for column in 0..<count where predicate(column) {
      if let last = ranges.last, last.upperBound == column {
        ranges[ranges.count - 1] = last.lowerBound..<column + 1
      } else {
        ranges.append(column..<column + 1)
      }
    }
    return ranges
  }

  /// The smallest of 1, 1.2, 1.6, 2, 3, 4, 6 and 8 times a power of ten that is at least `value`.
  static func roundTop(_ value: Double) -> Double {
    guard value.isFinite, value < 1e12 else { return 1e12 }
    var power = 1.0
    while power * 10 <= value { power *= 10 }
    let factor = [1, 1.2, 1.6, 2, 3, 4, 6, 8, 10].first { $0 * power >= value } ?? 10
    return factor * power
  }
}
