import Locomotion
import LocomotionSensing

/// The common time axis of a report's drawings.
struct ReportTimeAxis {
  let clock: ReportClock
  let start: Timestamp
  let seconds: Double
  let width: Double

  init(_ analysis: AnalysisResult, width: Double) {
    self.init(
      clock: ReportClock(analysis), start: analysis.start, end: analysis.end, width: width)
  }

  init(clock: ReportClock, start: Timestamp, end: Timestamp, width: Double) {
    self.clock = clock
    self.start = start
    seconds = max(end.seconds(since: start), 1e-3)
    self.width = width
  }

  func x(_ instant: Timestamp) -> Double { instant.seconds(since: start) / seconds * width }

  /// Round instants, at least 76 points apart, with their labels.
  private func ticks() -> [(x: Double, label: String)] {
    let steps: [Double] = [
      1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400,
    ]
    let least = 76 / width * seconds
    let step = steps.first { $0 >= least } ?? (least / 86_400).rounded(.up) * 86_400
    guard clock.isCivil else {
      return stride(from: 0, through: seconds * (1 + 1e-9), by: step).prefix(100).map(tick)
    }
    // Round times of day, also after a change of the clocks; what lies on both sides of one has
    // two offsets.
    let end = start.advanced(byNanoseconds: Int64(seconds * 1e9))
    let offsets = Set([clock.offset(start), clock.offset(end)])
    let instants = offsets.flatMap { offset -> [Double] in
      let shown = start.seconds + Double(offset)
      let first = (shown / step).rounded(.up) * step - shown
      return stride(from: first, through: seconds * (1 + 1e-9), by: step).prefix(100).filter {
        clock.offset(start.advanced(byNanoseconds: Int64(($0 * 1e9).rounded()))) == offset
      }
    }
    return instants.sorted().map(tick)

    func tick(_ elapsed: Double) -> (x: Double, label: String) {
      let instant = start.advanced(byNanoseconds: Int64((elapsed * 1e9).rounded()))
      return (elapsed / seconds * width, clock.time(instant, seconds: step < 60))
    }
  }

  /// Draws thin lines over `rows` and labels below them.
  func draw(in drawing: inout Drawing, from top: Double, to bottom: Double) {
    for tick in ticks() {
      drawing.line(tick.x, top, tick.x, bottom, "hair")
      let anchor = tick.x < 16 ? "start" : tick.x > width - 16 ? "end" : "middle"
      drawing.text(tick.label, x: tick.x, y: bottom + 16, "label", anchor: anchor)
    }
  }

  /// The mean of a value of the samples per column of the axis; nil where no sample has one.
  func columns(
    _ analysis: AnalysisResult, count: Int, _ value: (LocomotionSample) -> Double?
  ) -> [Double?] {
    var sums = [Double](repeating: 0, count: count)
    var counts = [Int](repeating: 0, count: count)
    for sample in analysis.samples {
      guard let number = value(sample), number.isFinite else { continue }
      // A sample that spans several columns counts in each, so that narrow columns have no holes.
      let range = columns(of: sample, count: count)
      for column in range {
        sums[column] += number
        counts[column] += 1
      }
    }
    return zip(sums, counts).map { $1 > 0 ? $0 / Double($1) : nil }
  }

  /// The columns that `sample` overlaps; empty outside the axis.
  func columns(of sample: LocomotionSample, count: Int) -> Range<Int> {
    let scale = Double(count) / seconds
    let first = sample.start.seconds(since: start) * scale
    let end = sample.end.seconds(since: start) * scale
    let low = Int(min(max(first.rounded(.down), 0), Double(count)))
    let high = Int(min(max((end - 1e-9).rounded(.down) + 1, 0), Double(count)))
    return low..<max(low, high)
  }
}
