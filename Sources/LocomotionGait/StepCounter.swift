/// Counts steps by the turns of the step line, from where it appears to where it goes.
///
/// The phase of a line counts steps exactly, but needs a second on either side. So the newest
/// second gets what the rate and its energy promise, and is put right a second later, when the line
/// says what it was. What was promised too much is taken from the next steps.
///
/// A bout is recognised a few seconds after it began; its steps up to then are counted at once. Its
/// first and last steps are softer than the others, so that a part of a step is added at each end.
/// Steps that leave the window before stepping was the likelier explanation wait: every second they
/// are weighed by the probability that the bout, if there is one, went on since then. When it is
/// recognised, what is left of them is its expected number of earlier steps.
package struct StepCounter: Sendable, Codable {
  /// What a second says about stepping.
  package struct Gait {
    /// Steps per second, if the person steps.
    package var stepsPerSecond: Float
    /// Whether stepping is the answer.
    package var isStepping: Bool
    /// The probability that a person who steps did so a second ago.
    package var persistence: Float

    /// A belief.
    package init(stepsPerSecond: Float, isStepping: Bool, persistence: Float) {
      self.stepsPerSecond = stepsPerSecond
      self.isStepping = isStepping
      self.persistence = persistence
    }
  }

  /// Half seconds since the last one that the line was read in, as far as they lie in the window.
  private var unread = 0
  /// Steps that were counted of the newest second.
  private var promised: Float = 0
  /// Steps that were counted and turned out not to be any.
  private var owed: Float = 0
  /// Expected steps of a bout, if there is one, before the window.
  private var waiting: Float = 0

  /// A counter that has seen nothing.
  package init() {}

  /// Forgets the seconds before now.
  package mutating func reset() { self = StepCounter() }

  /// The steps of one more second.
  ///
  /// `gait` is nil when nothing is known. `secondEnergies` are the mean squares of the window's
  /// seconds, newest first, 0 where there is no data; `track` is its step line at that rate.
  package mutating func update(
    gait: Gait?, secondEnergies energies: [Float], track: StepTrack
  ) -> Float {
    unread = min(unread + 2, 2 * energies.count)
    let bout = Self.boutEnergy(energies)
    if unread == 2 * energies.count { promised = 0 }
    guard let gait, bout > 0 else {
      waiting = 0
      return 0
    }
    let fraction = { (second: Int) in Self.movingFraction(energies[second] / bout) }
    guard gait.isStepping, track.count > 0 else {
      let leaving = unread == 2 * energies.count ? fraction(energies.count - 1) : 0
      waiting = leaving < Self.moving ? 0 : waiting + leaving * gait.stepsPerSecond
      waiting *= gait.persistence
      return 0
    }
    // What is promised too little is made up for at once, what is too much may never be.
    let promise = min(energies[0] / bout, 1) * gait.stepsPerSecond
    var steps = promise - promised - owed
    steps += read(
      track, stepsPerSecond: gait.stepsPerSecond, energies: energies, bout: bout)
    promised = promise
    waiting = 0
    owed = max(-steps, 0)
    steps = max(steps, 0)
    return steps
  }

  /// Steps up to the newest instant of `track` that weren't read before.
  private mutating func read(
    _ track: StepTrack, stepsPerSecond: Float, energies: [Float], bout: Float
  ) -> Float {
    let threshold = Self.presence * Self.boutAmplitude(of: track)
    let isNew = unread > 2
    let oldest = max(track.count - 1 - unread, 0)
    defer { unread = 0 }
    var steps: Float = 0
    var index = track.count - 1
    if isNew {
      // Only the newest run of seconds with a line is this bout.
      while index > oldest, track.amplitudes[index] < threshold { index -= 1 }
      if index < track.count - 1 {
        steps += Self.steps(of: track, from: index, threshold: threshold)
      }
    }
    while index > oldest {
      index -= 1
      steps += Self.steps(of: track, from: index, threshold: threshold)
      if isNew, track.amplitudes[index] < threshold { return steps }
    }
    if isNew, track.count - 1 < unread, track.amplitudes[0] >= threshold {
      // It began before the oldest instant, within the second before that or earlier.
      let oldestSecond = min((track.count + 1) / 2, energies.count - 1)
      steps +=
        Self.movingFraction(energies[oldestSecond] / bout) * StepTrack.margin * stepsPerSecond
      if waiting > 0 { steps += waiting + Self.endStep }
    }
    return steps
  }

  /// Steps from the instant `index` to the next one, as far as the line is there.
  private static func steps(of track: StepTrack, from index: Int, threshold: Float) -> Float {
    let (before, after) = (track.amplitudes[index], track.amplitudes[index + 1])
    switch (before >= threshold, after >= threshold) {
    case (true, true): return track.steps[index]
    case (false, false): return 0
    case (true, false), (false, true):
      let (low, high) = (min(before, after), max(before, after))
      return endStep + track.steps[index] * (high - threshold) / (high - low)
    }
  }

  /// What a bout has at either end before the line has two fifths of its amplitude, on average.
  private static let endStep: Float = 0.35
  /// The part of a bout's amplitude from which the line is there.
  private static let presence: Float = 0.4

  /// The mean of the amplitudes that are at least half the largest.
  private static func boutAmplitude(of track: StepTrack) -> Float {
    var largest: Float = 0
    for index in 0..<track.count { largest = max(largest, track.amplitudes[index]) }
    var (sum, count): (Float, Float) = (0, 0)
    for index in 0..<track.count where track.amplitudes[index] >= 0.5 * largest {
      sum += track.amplitudes[index]
      count += 1
    }
    return max(sum / max(count, 1), .leastNormalMagnitude)
  }

  /// The second largest energy: one bump doesn't set it, two seconds of a new bout do.
  private static func boutEnergy(_ energies: [Float]) -> Float {
    var largest: Float = 0
    var second: Float = 0
    for energy in energies {
      second = max(second, min(largest, energy))
      largest = max(largest, energy)
    }
    return second
  }

  /// The share from which a second belongs to a bout.
  private static let moving: Float = 0.25

  /// The part of a second that was spent moving, from its energy relative to the bout's.
  private static func movingFraction(_ ratio: Float) -> Float {
    min(max((ratio - 0.05) / 0.65, 0), 1)
  }
}
