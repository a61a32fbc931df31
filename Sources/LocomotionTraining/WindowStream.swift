import LocomotionActivityRecognition
import LocomotionSensing

/// One person's windows in an order as if they were one day: what a temporal filter is judged on.
///
/// Labelled recordings hold one activity each, in which nothing ever changes. So each recording is
/// cut into runs of 1 to 10 minutes, and the runs of one person are chained in random order with
/// hard cuts. Changes are then about as frequent as in a busy day, and sharper than real ones.
struct WindowStream {
  /// One window and the time since the one before.
  struct Item {
    var window: Int
    var elapsedSeconds: Float
  }

  let subject: String
  let items: [Item]

  /// The streams of the people of `set`, of the given windows, by name.
  ///
  /// The same set and seed give the same streams.
  static func streams(of set: TrainingSet, windows: [Int], seed: UInt64) -> [WindowStream] {
    let byOrigin = Dictionary(grouping: windows) { set.originIndices[$0] }
    var runs: [String: [[Item]]] = [:]
    var generator = SeededGenerator(seed: seed)
    // In the order of first appearance, which is fixed.
    for (index, origin) in set.origins.enumerated() {
      guard let own = byOrigin[index] else { continue }
      let ordered = own.sorted { (set.ends[$0], $0) < (set.ends[$1], $1) }
      runs[origin.subject, default: []] += Self.runs(of: ordered, in: set, &generator)
    }
    return runs.sorted { $0.key < $1.key }.map { subject, runs in
      WindowStream(subject: subject, items: runs.shuffled(using: &generator).flatMap(\.self))
    }
  }

  /// Cuts one recording where it pauses, where its label changes, and after 1 to 10 minutes.
  private static func runs(
    of windows: [Int], in set: TrainingSet, _ generator: inout SeededGenerator
  ) -> [[Item]] {
    // A usual hop; the first window of a run follows the run before at this distance.
    let hop: Float = 2.56
    let longestStep = 30.0
    var runs: [[Item]] = []
    var remaining = 0.0
    var previous: Int?
    for window in windows {
      let step = previous.map { set.ends[window].seconds(since: set.ends[$0]) } ?? .infinity
      let continues =
        step <= longestStep && step <= remaining
        && previous.map { set.activities[$0] } == set.activities[window]
      if continues {
        remaining -= step
        runs[runs.count - 1].append(Item(window: window, elapsedSeconds: Float(step)))
      } else {
        remaining = 60 + 540 * generator.uniform()
        runs.append([Item(window: window, elapsedSeconds: hop)])
      }
      previous = window
    }
    return runs
  }
}
