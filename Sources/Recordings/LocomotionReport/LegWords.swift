package import Locomotion
import LocomotionActivityRecognition

extension Trip.Leg {
  /// How sure the activity is, where that is worth a word.
  package var certainty: String? {
    probability.flatMap { $0 > 0.97 ? "sure" : $0 < 0.6 ? "perhaps" : nil }
  }
}

extension Trip {
  /// What the activity of a leg is known by, and how surely; nil where nothing is to be said.
  package func basis(of leg: Leg) -> String? {
    if leg.isCorrected { return "your correction" }
    if let interval = stated?.interval, isStated(leg) { return "by \(interval.source)'s record" }
    return [leg.certainty, leg.inference?.reason].compactMap { $0 }.joined(separator: ", ").nonEmpty
  }

  /// Whether a leg has the activity that is stated of the trip.
  func isStated(_ leg: Leg) -> Bool {
    guard let interval = stated?.interval, let name = interval.activityName else { return false }
    return interval.activity.map { leg.activity == $0 } ?? (leg.customActivity?.name == name)
  }
}

extension ModeInference {
  /// What the habit did: nil when there is none.
  package var reason: String? {
    guard confirmedTrips > 0 else { return nil }
    let trips = confirmedTrips == 1 ? "a confirmed trip" : "\(confirmedTrips) confirmed trips"
    let seen = sensors.mostProbable
    return posterior.mostProbable == seen
      ? "like \(trips)" : "by \(trips); by the sensors alone \(seen.name)"
  }
}

extension String {
  fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
