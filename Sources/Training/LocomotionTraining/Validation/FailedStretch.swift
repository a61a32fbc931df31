public import LocomotionActivityRecognition
import LocomotionSensing

/// A stretch of a recording in which consecutive windows were misclassified.
///
/// Such stretches are worth a review: the label may be wrong, or the phone's position unusual.
public struct FailedStretch: Sendable, Hashable, Codable {
  /// The data set's name.
  public var dataset: String
  /// The person's name inside the data set.
  public var person: String
  /// The recording's name inside the data set.
  public var recording: String
  /// When the first window began, seconds on the recording's clock.
  public var start: Double
  /// When the last window ended, seconds on the recording's clock.
  public var end: Double
  /// The number of windows.
  public var windows: Int
  /// The labelled activity.
  @ActivityName public var truth: Activity
  /// The most frequent wrong answer; of equals, the first class.
  @ActivityName public var answer: Activity
  /// The mean probability of the truth over the windows.
  public var truthProbability: Double
  /// The mean probability of ``answer`` over the windows.
  public var answerProbability: Double

  /// How long the windows last together, seconds.
  public var duration: Double { end - start }

  /// The stretches among the given windows, the longest first.
  ///
  /// Windows of one recording and label form a stretch when they follow each other by at most the
  /// length of a window, and none in between was right.
  static func stretches(
    of set: TrainingSet, windows: [Int], probabilities: [ActivityProbabilities]
  ) -> [FailedStretch] {
    let length = Double(ActivityClassifier.windowLength) / Double(FeatureExtractor.samplingRate)
    var runs: [[Int]] = []
    var previous: Int?
    var isOpen = false
    for row in set.ordered(windows) {
      let isWrong = probabilities[row].answer != set.activities[row]
      let follows =
        previous.map { last in
          set.originIndices[last] == set.originIndices[row]
            && set.activities[last] == set.activities[row]
            && set.ends[row].seconds(since: set.ends[last]) <= length
        } ?? false
      if isWrong {
        if isOpen, follows { runs[runs.count - 1].append(row) } else { runs.append([row]) }
      }
      isOpen = isWrong
      previous = row
    }
    return runs.map { stretch($0, of: set, probabilities, windowSeconds: length) }
      .sorted {
        ($1.windows, $0.dataset, $0.recording, $0.start)
          < ($0.windows, $1.dataset, $1.recording, $1.start)
      }
  }

  private static func stretch(
    _ rows: [Int], of set: TrainingSet, _ probabilities: [ActivityProbabilities],
    windowSeconds: Double
  ) -> FailedStretch {
    let origin = set.origin(ofRow: rows[0])
    let truth = set.activities[rows[0]]
    var counts = [Int](repeating: 0, count: Activity.allCases.count)
    for row in rows { counts[probabilities[row].answer.rawValue] += 1 }
    let answer = Activity.allCases.reduce(Activity.stationary) {
      counts[$1.rawValue] > counts[$0.rawValue] ? $1 : $0
    }
    func mean(_ activity: Activity) -> Double {
      rows.reduce(0) { $0 + Double(probabilities[$1][activity]) } / Double(rows.count)
    }
    return FailedStretch(
      dataset: origin.dataset, person: origin.person, recording: origin.recording,
      start: set.ends[rows[0]].seconds - windowSeconds,
      end: set.ends[rows[rows.count - 1]].seconds, windows: rows.count, truth: truth,
      answer: answer, truthProbability: mean(truth), answerProbability: mean(answer))
  }
}
