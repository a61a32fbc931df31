import Locomotion

/// What is stated of a trip beside what was found, in words.
extension Trip {
  /// What speaks against the stated activity, a few words; nil where nothing does.
  ///
  /// Where it is believed all the same, the trip has it.
  func doubt(in units: ReportUnits) -> String? {
    guard let stated, let name = stated.interval.activityName else { return nil }
    guard legs.contains(where: isStated) else {
      let speed = distance.flatMap { distance in
        movingSeconds.flatMap { $0 > 0 ? units.speed(distance / $0) : nil }
      }
      return "\(name) is stated and not believed" + (speed.map { ", at \($0) in motion" } ?? "")
    }
    guard let sensed = stated.sensedActivity, sensed != stated.interval.activity else { return nil }
    return "by the recording alone it is \(sensed.name)"
  }

  /// What is stated, as "by FIT: running, 10.2 km, 52 min in motion"; nil when nothing is.
  func statement(in units: ReportUnits) -> String? {
    guard let interval = stated?.interval else { return nil }
    let totals = interval.totals
    func height(_ metres: Double) -> String {
      "\(ReportFormatting.fixed(metres / units.short, 0)) \(units.shortName)"
    }
    let parts = [
      interval.activityName, (totals?.distance ?? interval.activityDistance).map(units.distance),
      totals?.movingSeconds.map { "\(ReportFormatting.duration($0)) in motion" },
      totals?.elapsedSeconds.map { "\(ReportFormatting.duration($0)) in all" },
      totals?.climb.map { "up \(height($0))" },
      totals?.descent.map { "down \(height($0))" },
    ].compactMap { $0 }
    return parts.isEmpty ? nil : "by \(interval.source): \(parts.joined(separator: ", "))"
  }
}

extension StatedInterval {
  /// The stated name of an activity; nil for none.
  var activityName: String? {
    if case .activity(let name, _) = kind { name } else { nil }
  }

  /// The stated distance, where it is evidence; nil for none.
  var activityDistance: Double? {
    if case .activity(_, let distance) = kind { distance } else { nil }
  }
}

extension Trip.Leg {
  /// How sure the activity is, where that is worth a word.
  var certainty: String? {
    probability.flatMap { $0 > 0.97 ? "sure" : $0 < 0.6 ? "perhaps" : nil }
  }
}

extension Trip {
  /// What the activity of a leg is known by, and how surely; nil where nothing is to be said.
  func basis(of leg: Leg) -> String? {
    if leg.isCorrected { return "your correction" }
    if let interval = stated?.interval, isStated(leg) {
      let percent = interval.probability.map { ", \(Int((100 * $0).rounded())) %" } ?? ""
      return "by \(interval.source)'s record\(percent)"
    }
    return [leg.certainty, leg.inference?.reason].compactMap { $0 }.joined(separator: ", ").nonEmpty
  }

  /// How probable the activity of a leg is, by who states it or else by the sensors.
  func probability(of leg: Leg) -> Double? {
    (isStated(leg) ? stated?.interval.probability : nil) ?? leg.probability
  }
}

extension ModeInference {
  /// What the habit did: nil when there is none.
  var reason: String? {
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
