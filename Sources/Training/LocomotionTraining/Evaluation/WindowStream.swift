import Foundation
package import LocomotionActivityRecognition
import LocomotionSensing

/// One person's windows in the order of a synthetic day, on which temporal filters are evaluated.
///
/// Labelled recordings have one activity each, without transitions, and many are short. So a
/// person's recordings of one activity are joined, the result is cut into runs of 20 s to 20 min,
/// whose logarithm is uniform, and the runs of all activities are chained in random order. Between
/// two rides, or rest and a ride, people walk: there a walk of 20 to 80 s is inserted, of the same
/// person, or of another if there is none. Transitions are more frequent than in a busy day, and
/// sharper than real ones.
struct WindowStream {
  /// One window and the time since the one before.
  struct Item {
    var window: Int
    var elapsedSeconds: Float
    /// Whether it is of a walk that was inserted; it isn't evaluated.
    var isInserted = false
  }

  let subject: String
  let items: [Item]

  /// A longer step between windows isn't within one stretch: it counts as ``usualHop``.
  private static let longestStep = 30.0
  /// The time between a window and the one before, where recordings are joined.
  private static let usualHop = 2.56

  /// The streams of the people of `set`, of the given windows, by name.
  ///
  /// The same set and seed give the same streams.
  static func streams(of set: TrainingSet, windows: [Int], seed: UInt64) -> [WindowStream] {
    var generator = SeededGenerator(seed: seed)
    let people = Dictionary(grouping: windows) { set.origin(ofRow: $0).subject }
    let walkers = people.mapValues { windows in
      set.ordered(windows.filter { set.activities[$0] == .walking })
    }.filter { $0.value.count >= fewestOfWalk }
    let names = walkers.keys.sorted()
    return people.sorted { $0.key < $1.key }.map { subject, windows in
      let runs = Activity.allCases.flatMap { activity in
        Self.runs(of: windows.filter { set.activities[$0] == activity }, in: set, &generator)
      }
      var items: [Item] = []
      for run in runs.shuffled(using: &generator) {
        if let last = items.last, let first = run.first, !names.isEmpty {
          let (before, after) = (set.activities[last.window], set.activities[first.window])
          if before != after, before != .walking, after != .walking {
            let any = generator.element(of: names)
            items += walk(of: walkers[subject] ?? walkers[any] ?? [], &generator)
          }
        }
        items += run
      }
      return WindowStream(subject: subject, items: items)
    }
  }

  /// The fewest windows of a person from which a walk is taken.
  private static let fewestOfWalk = 20

  /// Some consecutive windows of a walker.
  private static func walk(
    of windows: [Int], _ generator: inout SeededGenerator
  ) -> [Item] {
    let seconds = 20 * pow(4, generator.uniform())
    let count = min(windows.count, Int(seconds / usualHop))
    let first = Int(generator.uniform() * Double(windows.count - count))
    return windows[first..<first + count].map {
      Item(window: $0, elapsedSeconds: Float(usualHop), isInserted: true)
    }
  }

  /// Joins one person's recordings of one activity and cuts after every 20 s to 20 min.
  private static func runs(
    of windows: [Int], in set: TrainingSet, _ generator: inout SeededGenerator
  ) -> [[Item]] {
    var runs: [[Item]] = []
    var remaining = 0.0
    var previous: Int?
    for window in set.ordered(windows) {
      let step = previous.map { Self.step(from: $0, to: window, in: set) } ?? usualHop
      if step > remaining {
        remaining = 20 * pow(60, generator.uniform())
        runs.append([Item(window: window, elapsedSeconds: Float(usualHop))])
      } else {
        runs[runs.count - 1].append(Item(window: window, elapsedSeconds: Float(step)))
      }
      remaining -= step
      previous = window
    }
    return runs
  }

  private static func step(from earlier: Int, to later: Int, in set: TrainingSet) -> Double {
    let seconds = set.ends[later].seconds(since: set.ends[earlier])
    let isOneStretch =
      set.originIndices[earlier] == set.originIndices[later] && seconds > 0
      && seconds <= longestStep
    return isOneStretch ? seconds : usualHop
  }
}

/// The timing of answers along a stream: their rate of false changes and their delay.
///
/// A flip is a change of the answer while the activity stays the same, counted from the first right
/// answer since the activity began. Until then it's delay. Rail vehicles count as vehicles: the
/// kind is decided more slowly.
public struct StreamTiming: Sendable, Equatable, Codable {
  /// The time that was evaluated, seconds.
  public private(set) var seconds: Double = 0
  /// Changes of the answer inside one activity.
  public private(set) var flips = 0
  /// Changes of the activity.
  public private(set) var switches = 0
  /// Seconds from each change of the activity to the first right answer, in no particular order.
  ///
  /// An activity that ends before any right answer counts with how long it lasted.
  public private(set) var delays: [Double] = []

  private var truth: Activity?
  private var answer: Activity?
  private var secondsInActivity: Double = 0
  private var isFollowed = false

  /// Nothing evaluated.
  public init() {}

  /// Flips per hour; 0 without any time.
  public var flipsPerHour: Double { seconds > 0 ? Double(flips) / seconds * 3600 : 0 }

  /// The quantile of the delays at `fraction`, 0 to 1; nil without switches.
  public func delay(fraction: Double) -> Double? {
    guard !delays.isEmpty else { return nil }
    let rank = (fraction * Double(delays.count)).rounded(.up) - 1
    return delays.sorted()[min(delays.count - 1, max(0, Int(rank)))]
  }

  /// Ends a stream: the next window starts a new one.
  package mutating func end() {
    finish()
    (truth, answer) = (nil, nil)
  }

  /// Adds the answer to a window that ended `elapsed` seconds after the one before.
  ///
  /// Nil, no answer, keeps the one before and detects no change of the activity.
  package mutating func add(truth: Activity, answer: Activity?, after elapsed: Double) {
    let (truth, answer) = (truth.parent, answer?.parent)
    seconds += elapsed
    if truth != self.truth {
      finish()
      // The start of the first activity of a stream is not a switch.
      if self.truth != nil { switches += 1 }
      isFollowed = self.truth == nil
      (self.truth, secondsInActivity) = (truth, 0)
    } else {
      secondsInActivity += elapsed
      if isFollowed, let answer, let before = self.answer, answer != before { flips += 1 }
    }
    if !isFollowed, answer == truth {
      isFollowed = true
      delays.append(secondsInActivity)
    }
    if let answer { self.answer = answer }
  }

  /// Counts an activity that was never detected.
  private mutating func finish() {
    if truth != nil, !isFollowed { delays.append(secondsInActivity) }
  }
}
