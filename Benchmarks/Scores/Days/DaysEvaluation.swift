import LocomotionRecordings
import LocomotionTraining

/// The evaluation of timelines of whole days that recorders of many kinds made.
package struct DaysEvaluation: Sendable {
  /// The scores of one day, in the order in which they were added.
  package struct Day: Sendable {
    /// The day's name.
    package var name: String
    /// By name.
    package var scores: [DayScore] = []
  }

  /// The name of the recording as it is, with its accelerations.
  package static let withAccelerations = "with accelerations"

  /// The days, in the order in which they were added.
  package private(set) var days: [Day] = []

  /// An evaluation without days.
  package init() {}

  /// Adds a score of a day.
  package mutating func add(_ score: DayScore, of day: String) {
    if days.last?.name != day { days.append(Day(name: day)) }
    days[days.count - 1].scores.append(score)
  }

  /// The scores by name, over all days, in the order in which the names came first.
  package var pooled: [DayScore] {
    var result: [DayScore] = []
    for score in days.flatMap(\.scores) {
      if let index = result.firstIndex(where: { $0.name == score.name }) {
        result[index].merge(score)
      } else {
        result.append(score)
      }
    }
    return result
  }

  /// The seed of a rule on a day: another one for each, whatever else is evaluated.
  package static func seed(_ seed: UInt64, day: String, rule: RecorderRule) -> UInt64 {
    // FNV-1a (Fowler, Noll and Vo), since the hashes of the standard library differ by process.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in "\(seed)/\(day)/\(rule.rawValue)".utf8 {
      hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
    return hash
  }
}

// MARK: - Text and JSON

extension DaysEvaluation {
  /// The table over all days.
  package var text: String {
    let title = [
      "", "fixes a day", "stays", "found", "F1", "time right", "distance off", "inside ±",
      "edges, s", "90 %, s", "inside ±", "modes right",
    ]
    let rows = pooled.map { score -> [String] in
      let errors = score.edgeErrors.sorted()
      return [
        score.name, number(score.fixesPerDay, 0),
        "\(score.stays.matches)/\(score.stays.truths)", "\(score.stays.detections)",
        number(score.stays.f1, 3), percent(score.rightFraction),
        percent(score.distanceError), percent(score.distanceCoverage.fraction),
        number(Quantile.of(errors, fraction: 0.5), 0),
        number(Quantile.of(errors, fraction: 0.9), 0),
        percent(score.edgeCoverage.fraction), percent(score.travel.fraction),
      ]
    }
    return """
      Days as recorders keep them: stays of 5 minutes and more that were found, by intersection over
      union of a half, and all that the timeline has; seconds that are rightly stay or trip; the
      error of each day's distance; errors of the ends of stays; travel with the right activity.

      \(aligned([title] + rows))

      """
  }

  /// The figures of all days together, and of each, as JSON with sorted keys; what is
  /// unknown is absent.
  package var json: String {
    JSONText.pretty(
      JSONObject([
        "rows": pooled.map(Self.object),
        "days": days.map { day in
          JSONObject(["name": day.name, "rows": day.scores.map(Self.object)])
        },
      ]))
  }

  private static func object(_ score: DayScore) -> JSONObject {
    JSONObject(known: [
      "name": score.name, "fixesPerDay": score.fixesPerDay,
      "trueStays": score.stays.truths, "detectedStays": score.stays.detections,
      "matchedStays": score.stays.matches, "f1": score.stays.f1,
      "rightTimeFraction": score.rightFraction, "distanceErrorFraction": score.distanceError,
      "measuredMetres": score.lengths.reduce(0) { $0 + $1.measured },
      "trueMetres": score.lengths.reduce(0) { $0 + $1.truth },
      "distanceInsideDeviation": score.distanceCoverage.fraction,
      "edgeErrorMedianSeconds": Quantile.of(score.edgeErrors, fraction: 0.5),
      "edgeErrorPercentile90Seconds": Quantile.of(score.edgeErrors, fraction: 0.9),
      "edgesInsideDeviation": score.edgeCoverage.fraction,
      "rightActivityFraction": score.travel.fraction,
    ])
  }
}
