internal import LocomotionRecordings
internal import LocomotionSensing

/// Joins the labels of successive samples into intervals.
struct LabelRuns {
  private var open: (label: String, start: Timestamp, last: Timestamp)?
  /// A pause in the samples longer than this ends an interval.
  private let longestPause: Double

  init(longestPause: Double = 10) {
    self.longestPause = longestPause
  }

  /// Adds the label of the sample at `time`, nil for none.
  mutating func take(
    _ label: String?, at time: Timestamp, _ sink: ImportSink
  ) throws(RecordingError) {
    if let run = open {
      let pause = time.seconds(since: run.last)
      let isNear = 0...longestPause ~= pause
      guard !isNear || label != run.label else {
        open?.last = time
        return
      }
      // Up to this sample when it follows directly; else to the last one with the label.
      try sink.label(run.label, from: run.start, to: isNear ? time : run.last)
    }
    open = label.map { ($0, time, time) }
  }

  /// Closes the open interval.
  mutating func finish(_ sink: ImportSink) throws(RecordingError) {
    if let run = open { try sink.label(run.label, from: run.start, to: run.last) }
    open = nil
  }
}
