package import Locomotion
import LocomotionActivityRecognition

extension ModeInference {
  /// What the habit did: nil when there is none.
  package var reason: String? {
    guard confirmedTrips > 0 else { return nil }
    let (named, seen) = (posterior.mostProbable, sensors.mostProbable)
    let trips = confirmedTrips == 1 ? "a confirmed trip" : "\(confirmedTrips) confirmed trips"
    let share = ReportFormatting.percent(Double(posterior[named]))
    return named == seen
      ? "\(share) sure, like \(trips)"
      : "\(share) sure, by \(trips); by the sensors alone \(seen.name), "
        + ReportFormatting.percent(Double(sensors[seen]))
  }
}
