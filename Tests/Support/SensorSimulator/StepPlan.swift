import Foundation
import LocomotionSensing

/// Every foot contact of a scenario.
///
/// Steps have the leg's cadence, which drifts by 1 % over half a minute; single steps deviate by
/// another 2 %, and left and right steps differ by 1 %, as in people.
struct StepPlan: Sendable {
  /// Consecutive steps; from contact `first` to contact `last`.
  struct Bout: Sendable {
    var leg: Int
    var first: Int, last: Int
  }

  /// Seconds since the start of the scenario.
  private(set) var contacts: [Double] = []
  private(set) var bouts: [Bout] = []

  init(_ scenario: Scenario, legStarts: [Int]) {
    var random = RandomStream(seed: scenario.seed, stream: 2)
    for (index, leg) in scenario.legs.enumerated() where leg.motion.isOnFoot {
      let (start, end) = (Double(legStarts[index]), Double(legStarts[index + 1]))
      var drift = GaussMarkov(&random)
      let asymmetry = 0.01 * random.normal()
      let period = 60 / leg.cadence
      let flowsIn = index > 0 && scenario.legs[index - 1].flows(into: leg)
      var time = flowsIn ? max(contacts.last ?? start, start - period) : start + 0.4
      if flowsIn { time += period }
      // A bout that continues another one starts at the other's last contact.
      let first = flowsIn ? max(0, contacts.count - 1) : contacts.count
      while time < end {
        contacts.append(time)
        let slow = 0.01 * drift.advance(period, timeConstant: 30, &random)
        let side = contacts.count % 2 == 0 ? asymmetry : -asymmetry
        time += period * max(0.5, 1 + slow + side + 0.02 * random.normal())
      }
      if contacts.count > first + 1 {
        bouts.append(Bout(leg: index, first: first, last: contacts.count - 1))
      }
    }
  }

  /// The number of contacts before `seconds`.
  func count(before seconds: Double) -> Int {
    contacts.partitioningIndex { $0 >= seconds }
  }

  /// Steps since contact 0 with the fraction of the current one; nil outside a bout.
  private func progress(at seconds: Double, in bout: Bout) -> Double {
    let next = min(max(count(before: seconds), bout.first + 1), bout.last)
    let (from, to) = (contacts[next - 1], contacts[next])
    return Double(next - 1) + min(max((seconds - from) / (to - from), 0), 1)
  }

  /// Steps per minute in a second, when at least half of it is stepping.
  func cadence(from start: Double, to end: Double) -> Double? {
    for bout in bouts {
      let (low, high) = (max(start, contacts[bout.first]), min(end, contacts[bout.last]))
      guard high - low >= 0.5 * (end - start) else { continue }
      return 60 * (progress(at: high, in: bout) - progress(at: low, in: bout)) / (high - low)
    }
    return nil
  }
}
