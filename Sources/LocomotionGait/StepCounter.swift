/// Counts steps by integrating the step rate over the seconds in which the body moved.
///
/// The rate says how fast, a second's energy against its bout's says whether: a bout is recognised
/// a few seconds after it began, and its spectrum lingers in the window after it ended. A second
/// with little energy is partly rest only at the edge of a bout; when the next second moves again
/// it was an uneven stride, and what it lacked is added then.
///
/// Steps of seconds that leave the window before stepping was the likelier explanation wait: every
/// second they are weighed by the probability that the bout, if there is one, went on since then.
/// When it is recognised, what is left of them is its expected number of earlier steps.
package struct StepCounter: Sendable, Codable {
  /// What a second says about stepping.
  package struct Belief {
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

  /// Seconds since the last one that was counted, as far as they lie in the window.
  private var uncounted = 0
  /// The part of the last second that was not counted.
  private var withheld: Float = 0
  /// Expected steps of a bout, if there is one, before the window.
  private var waiting: Float = 0

  /// A counter that has seen nothing.
  package init() {}

  /// Forgets the seconds before now.
  package mutating func reset() {
    uncounted = 0
    withheld = 0
    waiting = 0
  }

  /// The steps of one more second.
  ///
  /// `belief` is nil when nothing is known. `secondEnergies` are the mean squares of the window's
  /// seconds, newest first, 0 where there is no data.
  package mutating func update(belief: Belief?, secondEnergies energies: [Float]) -> Float {
    uncounted = min(uncounted + 1, energies.count)
    let bout = Self.boutEnergy(energies)
    guard let belief, bout > 0 else {
      withheld = 0
      waiting = 0
      return 0
    }
    let share = { (second: Int) in Self.movingShare(energies[second] / bout) }
    guard belief.isStepping else {
      withheld = 0
      let leaving = uncounted == energies.count ? share(energies.count - 1) : 0
      waiting = leaving < Self.moving ? 0 : waiting + leaving * belief.stepsPerSecond
      waiting *= belief.persistence
      return 0
    }
    var seconds = share(0) >= Self.moving ? withheld : share(0)
    withheld = share(0) >= Self.moving ? 1 - share(0) : 0
    var earlier: Float = 0
    // The newest run of moving seconds among those that were not counted yet.
    if var second = (0..<uncounted).first(where: { share($0) >= Self.moving }) {
      while second + 1 < uncounted, share(second + 1) >= Self.moving {
        // Within a bout only the newest second may still turn out to be its last.
        seconds += second == 0 ? share(0) : 1
        second += 1
      }
      seconds += share(second)
      if second == energies.count - 1 { earlier = waiting }
    }
    uncounted = 0
    waiting = 0
    return seconds * belief.stepsPerSecond + earlier
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
  private static func movingShare(_ ratio: Float) -> Float {
    min(max((ratio - 0.05) / 0.65, 0), 1)
  }
}
