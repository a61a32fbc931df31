/// Counts steps by the phase of the step line over each bout.
///
/// The phase of a line counts steps exactly, but needs a second on either side. So the newest
/// second is predicted from its rate and energy, and corrected a second later by the phase. A
/// surplus is subtracted from the next steps.
///
/// A bout is detected a few seconds after it began; its steps up to then are counted at once. Its
/// first and last steps are softer than the others, so that a fraction of a step is added at each
/// end. Steps that leave the window before the bout is detected are kept as an expectation: every
/// second it is multiplied by the probability that stepping, if any, continued from the second
/// before. On detection it is the bout's expected number of earlier steps.
package struct StepCounter: Sendable {
  /// The stepping estimate of one second.
  package struct Gait {
    /// Steps per second, if the person steps.
    var stepsPerSecond: Float
    /// Whether a cadence is reported.
    var isStepping: Bool
    /// The probability of stepping a second ago, given stepping now.
    var persistence: Float

    /// An estimate from its parts.
    package init(stepsPerSecond: Float, isStepping: Bool, persistence: Float) {
      self.stepsPerSecond = stepsPerSecond
      self.isStepping = isStepping
      self.persistence = persistence
    }
  }

  /// Half seconds since the line was last read, at most those in the window.
  private var unread = 0
  /// The predicted steps of the newest second, which have been counted.
  private var promised: Float = 0
  /// Steps counted in error, to be subtracted from the next ones.
  private var owed: Float = 0
  /// Expected steps before the window of a bout that isn't detected yet.
  private var waiting: Float = 0

  /// A counter at its start.
  package init() {}

  /// Resets to the start.
  mutating func reset() { self = StepCounter() }

  /// The steps of one more second.
  ///
  /// `gait` is nil when there is no estimate. `secondEnergies` are the mean squares of the window's
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
    // An underestimate is corrected a second later; an overestimate may never be.
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
      // The bout is the newest run of instants with a line.
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

  /// Steps from the instant `index` to the next one, as far as the line is above `threshold`.
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

  /// The mean steps at either end of a bout while the line is below ``presence``.
  private static let endStep: Float = 0.35
  /// The fraction of a bout's amplitude above which the line counts as present.
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

  /// The second largest energy: robust to a single bump, reached by two seconds of a new bout.
  private static func boutEnergy(_ energies: [Float]) -> Float {
    var largest: Float = 0
    var second: Float = 0
    for energy in energies {
      second = max(second, min(largest, energy))
      largest = max(largest, energy)
    }
    return second
  }

  /// The least ``movingFraction(_:)`` of a second that belongs to a bout.
  private static let moving: Float = 0.25

  /// The fraction of a second spent moving, from its energy relative to the bout's.
  private static func movingFraction(_ ratio: Float) -> Float {
    min(max((ratio - 0.05) / 0.65, 0), 1)
  }
}

extension StepCounter: StateArchivable {
  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&unread, &promised, &owed, &waiting)
  }
}
