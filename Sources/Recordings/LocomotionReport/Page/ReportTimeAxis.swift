import Locomotion

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

  /// The mean of a value of the samples per column of the axis; nil where no sample has one.
  func columns(
    _ analysis: AnalysisResult, count: Int, _ value: (ReportSample) -> Double?
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
  func columns(of sample: ReportSample, count: Int) -> Range<Int> {
    let scale = Double(count) / seconds
    let first = sample.start.seconds(since: start) * scale
    let end = sample.end.seconds(since: start) * scale
    let low = Int(min(max(first.rounded(.down), 0), Double(count)))
    let high = Int(min(max((end - 1e-9).rounded(.down) + 1, 0), Double(count)))
    return low..<max(low, high)
  }
}
