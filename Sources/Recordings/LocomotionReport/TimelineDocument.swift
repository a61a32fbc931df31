internal import Foundation
package import Locomotion
internal import LocomotionRecordings

/// A timeline in the schema of `timeline --json`: seconds, degrees and metres; null is unknown.
///
/// What people and journals add to an item is there only when they do.
package struct TimelineDocument: Encodable {
  private let items: [JSONObject]

  package init(_ items: [TimelineItem]) { self.items = items.map { Self.object($0) } }

  /// The timeline of an analysis, with what a map says.
  package init(_ analysis: AnalysisResult) {
    items = analysis.items.map { item in
      let onMap = item.asTrip.flatMap { analysis.networkDistance(of: $0) }
      return Self.object(item)
        + JSONObject(known: ["distance_network": onMap.map { $0.rounded(1) }])
    }
  }

  /// One line of JSON with sorted keys.
  package var json: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }

  private static func object(_ item: TimelineItem) -> JSONObject {
    let times = JSONObject(["start": item.start.rounded, "end": item.end.rounded])
    switch item {
    case .stay(let stay):
      let fields = JSONObject([
        "type": "stay", "lat": stay.location?.latitude.rounded(8),
        "lon": stay.location?.longitude.rounded(8), "radius": stay.location?.radius68.rounded(1),
        "start_sd": stay.startDeviation?.rounded(0), "end_sd": stay.endDeviation?.rounded(0),
        "observed": stay.observedSeconds.rounded(0), "distance": stay.distance?.rounded(1),
        "steps": stay.steps.rounded(0),
      ])
      let told = JSONObject(known: [
        "place": stay.place?.name, "place_id": stay.place?.id, "purpose": stay.purpose,
        "partial": stay.isPartial ? true : nil,
      ])
      return times + fields + told + climb(stay.altitudeChange)
    case .trip(let trip):
      let fields = JSONObject([
        "type": "trip", "activity": trip.dominantActivity?.name ?? "unknown",
        "distance": trip.distance?.rounded(1), "distance_sd": trip.distanceDeviation?.rounded(1),
        "moving": trip.movingSeconds?.rounded(0), "steps": trip.steps.rounded(0),
        "legs": trip.legs.map { leg($0, of: trip) },
      ])
      let told = JSONObject(known: [
        "stated": trip.stated.map { stated($0.interval) }, "doubt": trip.doubt(in: .metric),
        "partial": trip.isPartial ? true : nil,
      ])
      return times + fields + told + climb(trip.altitudeChange)
    case .gap(let gap):
      return times + JSONObject(["type": "gap"])
        + JSONObject(known: ["partial": gap.isPartial ? true : nil])
    }
  }

  /// What is stated of a trip, each only when it is told.
  private static func stated(_ interval: StatedInterval) -> JSONObject {
    let totals = interval.totals
    return JSONObject(known: [
      "activity": interval.activityName,
      "distance": (totals?.distance ?? interval.activityDistance)?.rounded(1),
      "moving": totals?.movingSeconds?.rounded(0), "elapsed": totals?.elapsedSeconds?.rounded(0),
      "climb": totals?.climb?.rounded(1), "descent": totals?.descent?.rounded(1),
      "source": interval.source,
    ])
  }

  private static func leg(_ leg: Trip.Leg, of trip: Trip) -> JSONObject {
    let fields = JSONObject([
      "start": leg.start.rounded, "end": leg.end.rounded,
      "activity": leg.activity?.name ?? "unknown", "distance": leg.distance?.rounded(1),
      "moving": leg.movingSeconds?.rounded(0), "steps": leg.steps.rounded(0),
      "probability": trip.probability(of: leg)?.rounded(3),
    ])
    let told = JSONObject(known: [
      "custom_activity": leg.customActivity?.name, "corrected": leg.isCorrected ? true : nil,
      "by_habit": leg.inference?.reason,
    ])
    return fields + told + climb(leg.altitudeChange)
  }

  private static func climb(_ change: AltitudeChange?) -> JSONObject {
    AltitudeChange.members(of: change).reduce(JSONObject([:])) {
      $0 + JSONObject([$1.name: $1.metres?.rounded(1)])
    }
  }
}

extension AltitudeChange {
  /// Metres up and down, the highest and the lowest altitude, each with one standard deviation, by
  /// their names in documents; nil is unknown.
  static func members(of change: AltitudeChange?) -> [(name: String, metres: Double?)] {
    [
      ("climb", change?.climb), ("climb_sd", change?.climbDeviation),
      ("descent", change?.descent), ("descent_sd", change?.descentDeviation),
      ("highest", change?.highest?.altitude), ("highest_sd", change?.highest?.deviation),
      ("lowest", change?.lowest?.altitude), ("lowest_sd", change?.lowest?.deviation),
    ]
  }
}

extension Timestamp {
  /// Seconds to the millisecond.
  fileprivate var rounded: Double { seconds.rounded(3) }
}

extension Double {
  fileprivate func rounded(_ decimals: Int) -> Double {
    let factor = pow(10, Double(decimals))
    return (self * factor).rounded() / factor
  }
}
