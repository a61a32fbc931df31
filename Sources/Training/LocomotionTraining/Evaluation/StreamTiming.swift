package import LocomotionActivityRecognition

/// The timing of answers along a stream: their rate of false changes and their delay.
///
/// A flip is a change of the answer while the activity stays the same, counted from the first right
/// answer since the activity began. Until then it's delay. Rail vehicles count as vehicles: the
/// kind is decided more slowly.
public struct StreamTiming: Sendable, Hashable, Codable {
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
