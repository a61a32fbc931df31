/// Counts steps by integrating the step rate over the seconds in which the body moved.
///
/// The rate says how fast, a second's energy against its bout's says whether: a bout is recognised
/// a few seconds after it began, and its spectrum lingers in the window after it ended.
package struct StepCounter: Sendable, Codable {
  /// Seconds since the last one that was counted, as far as they lie in the window.
  private var uncounted = 0

  /// A counter that has seen nothing.
  package init() {}

  /// Forgets the seconds before now.
  package mutating func reset() {
    uncounted = 0
  }

  /// The steps of one more second.
  ///
  /// `stepsPerSecond` is nil while not stepping. `secondEnergies` are the mean squares of the
  /// window's seconds, newest first, 0 where there is no data.
  package mutating func update(
    stepsPerSecond: Float?, secondEnergies energies: [Float]
  ) -> Float {
    uncounted = min(uncounted + 1, energies.count)
    guard let stepsPerSecond else { return 0 }
    let bout = Self.boutEnergy(energies)
    guard bout > 0 else { return 0 }
    var seconds: Float = 0
    // Back to where the bout began; only the newest second once it is being counted.
    for second in 0..<uncounted {
      let share = Self.movingShare(energies[second] / bout)
      seconds += share
      if second > 0 && share < 0.3 { break }
    }
    uncounted = 0
    return seconds * stepsPerSecond
  }

  /// The second largest energy: one bump doesn't set it, two seconds of a new bout do.
  private static func boutEnergy(_ energies: [Float]) -> Float {
    var largest: Float = 0
    var second: Float = 0
    for index in energies.indices {
      let energy = energies[index]
      if energy > largest {
        second = largest
        largest = energy
      } else if energy > second {
        second = energy
      }
    }
    return second
  }

  /// The part of a second that was spent moving, from its energy relative to the bout's.
  private static func movingShare(_ ratio: Float) -> Float {
    min(max((ratio - 0.05) / 0.35, 0), 1)
  }
}
