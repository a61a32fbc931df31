/// Counts steps by integrating the step rate over the seconds in which the body moved.
///
/// The rate says how fast, a second's energy against its bout's says whether: a bout is recognised
/// a few seconds after it began, and its spectrum lingers in the window after it ended. A second
/// with little energy is partly rest only at the edge of a bout; when the next second moves again
/// it was an uneven stride, and what it lacked is added then.
package struct StepCounter: Sendable, Codable {
  /// Seconds since the last one that was counted, as far as they lie in the window.
  private var uncounted = 0
  /// The part of the last second that was not counted.
  private var withheld: Float = 0

  /// A counter that has seen nothing.
  package init() {}

  /// Forgets the seconds before now.
  package mutating func reset() {
    uncounted = 0
    withheld = 0
  }

  /// The steps of one more second.
  ///
  /// `stepsPerSecond` is nil while not stepping. `secondEnergies` are the mean squares of the
  /// window's seconds, newest first, 0 where there is no data.
  package mutating func update(
    stepsPerSecond: Float?, secondEnergies energies: [Float]
  ) -> Float {
    uncounted = min(uncounted + 1, energies.count)
    let bout = Self.boutEnergy(energies)
    guard let stepsPerSecond, bout > 0 else {
      withheld = 0
      return 0
    }
    let share = { (second: Int) in Self.movingShare(energies[second] / bout) }
    var seconds = share(0) >= Self.moving ? withheld : share(0)
    withheld = share(0) >= Self.moving ? 1 - share(0) : 0
    // The newest run of moving seconds among those that were not counted yet.
    if var second = (0..<uncounted).first(where: { share($0) >= Self.moving }) {
      while second + 1 < uncounted, share(second + 1) >= Self.moving {
        // Within a bout only the newest second may still turn out to be its last.
        seconds += second == 0 ? share(0) : 1
        second += 1
      }
      seconds += share(second)
    }
    uncounted = 0
    return seconds * stepsPerSecond
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
