package import LocomotionActivityRecognition
import LocomotionSensing

extension TrainingSet {
  /// Windows of a run of one label within a recording: what its person would state at once.
  package struct LabelStretch: Sendable {
    /// See `RecordingOrigin.subject`.
    package var subject: String
    /// The recording's name.
    package var recording: String
    /// What the label says.
    package var activity: Activity
    /// The rows of the windows.
    package var rows: [Int]

    /// The longest stretch, seconds.
    fileprivate static let longest = 120.0
    /// The longest time between two windows of a stretch, seconds.
    fileprivate static let longestPause = 10.0
  }

  /// The stretches of two windows and more of the origins that are included, in the order in which
  /// they begin.
  package func labelStretches(of isIncluded: (RecordingOrigin) -> Bool) -> [LabelStretch] {
    var stretches: [LabelStretch] = []
    var newest: [String: Int] = [:]
    for row in 0..<count {
      let origin = origin(ofRow: row)
      guard isIncluded(origin) else { continue }
      if let place = newest[origin.subject], goesOn(stretches[place], row) {
        stretches[place].rows.append(row)
      } else {
        newest[origin.subject] = stretches.count
        stretches.append(
          LabelStretch(
            subject: origin.subject, recording: origin.recording, activity: activities[row],
            rows: [row]))
      }
    }
    return stretches.filter { $0.rows.count > 1 }
  }

  /// A stretch of this set as its person would state it, or as `activity`.
  package func stated(_ stretch: LabelStretch, as activity: Activity? = nil) -> LabelledStretch {
    LabelledStretch(
      activity: activity ?? stretch.activity,
      windows: LabelledStretch.chosen(from: stretch.rows).map { Array(features(ofRow: $0)) })
  }

  private func goesOn(_ stretch: LabelStretch, _ row: Int) -> Bool {
    guard let first = stretch.rows.first, let last = stretch.rows.last else { return false }
    return stretch.recording == origin(ofRow: row).recording
      && stretch.activity == activities[row]
      && ends[row].seconds(since: ends[first]) <= LabelStretch.longest
      && ends[row].seconds(since: ends[last]) <= LabelStretch.longestPause
  }
}
