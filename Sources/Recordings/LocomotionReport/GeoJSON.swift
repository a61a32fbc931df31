import Locomotion
import LocomotionFormats

/// The timeline as a GeoJSON FeatureCollection (RFC 7946): stays as points, legs as lines.
///
/// Every item is a feature, in time order; one without a location has the geometry null. `start`
/// and `end` are seconds on the recording's clock, with `startTime` and `endTime` in ISO 8601 when
/// that clock is the Unix clock; trips have `climb`, `descent`, `highest` and `lowest`, metres,
/// with one standard deviation each (`climb_sd`, …), and positions their altitude. Lines that cross
/// the antimeridian are split there (section 3.1.9).
/// `stroke` and `marker-color` follow the simplestyle convention for viewers.
package struct GeoJSON: Sendable {
  /// The document, one feature per line.
  package let text: String

  package init(_ analysis: AnalysisResult) {
    let clock = ReportClock(analysis)
    var features: [String] = []
    func add(_ geometry: String, _ start: Timestamp, _ end: Timestamp, _ properties: [String]) {
      var all = properties
      all.append("\"start\":\(Self.number(start.seconds, 3))")
      all.append("\"end\":\(Self.number(end.seconds, 3))")
      if let from = clock.iso(start), let to = clock.iso(end) {
        all.append("\"startTime\":\(ForeignText.json(from)),\"endTime\":\(ForeignText.json(to))")
      }
      features.append(FeatureCollection.feature(geometry, all))
    }
    for (number, item) in analysis.items.enumerated() {
      let index = "\"item\":\(number)"
      switch item {
      case .gap: add("null", item.start, item.end, ["\"type\":\"gap\"", index])
      case .stay(let stay):
        let radius = stay.location.map { Self.number($0.radius68, 1) } ?? "null"
        add(
          stay.location.map {
            Self.point(ReportPoint(latitude: $0.latitude, longitude: $0.longitude))
          } ?? "null", stay.start, stay.end,
          [
            "\"type\":\"stay\"", index, "\"activity\":\"stationary\"", "\"radius\":\(radius)",
            "\"marker-color\":\"\(ReportPalette.light(.stationary))\"",
          ])
      case .trip(let trip):
        for leg in trip.legs {
          add(
            Self.lines(analysis.track(of: leg)), leg.start, leg.end,
            [
              "\"type\":\"trip\"", index,
              "\"activity\":\(leg.activity.map { ForeignText.json($0.name) } ?? "null")",
              "\"probability\":\(leg.probability.map { Self.number($0, 3) } ?? "null")",
              "\"distance\":\(leg.distance.map { Self.number($0, 1) } ?? "null")",
              "\"steps\":\(Self.number(leg.steps, 0))",
              Self.climb(leg.altitudeChange),
              "\"stroke\":\"\(ReportPalette.light(leg.activity))\",\"stroke-width\":4",
            ])
        }
      }
    }
    text =
      "{\"type\":\"FeatureCollection\",\"name\":\(ForeignText.json(analysis.name)),\"features\":[\n"
      + features.joined(separator: ",\n") + "\n]}\n"
  }

  /// A JSON number; null when it is not finite.
  static func number(_ value: Double, _ decimals: Int) -> String {
    value.isFinite ? ReportFormatting.fixed(value, decimals) : "null"
  }

  /// The members that tell of altitudes.
  private static func climb(_ change: AltitudeChange?) -> String {
    let fields = [
      ("climb", change?.climb, change?.climbDeviation),
      ("descent", change?.descent, change?.descentDeviation),
      ("highest", change?.highest?.altitude, change?.highest?.deviation),
      ("lowest", change?.lowest?.altitude, change?.lowest?.deviation),
    ]
    return fields.map { name, metres, deviation in
      "\"\(name)\":\(number(metres ?? .nan, 1)),\"\(name)_sd\":\(number(deviation ?? .nan, 1))"
    }.joined(separator: ",")
  }

  /// Longitude first; six decimals are 0.1 m.
  private static func position(_ point: ReportPoint) -> String {
    let altitude = point.altitude.map { ",\(number($0, 1))" } ?? ""
    return "[\(number(point.longitude, 6)),\(number(point.latitude, 6))\(altitude)]"
  }

  private static func point(_ point: ReportPoint) -> String {
    FeatureCollection.geometry("Point", position(point))
  }

  private static func lines(_ pieces: [[ReportPoint]]) -> String {
    let lines = pieces.flatMap(cutAtAntimeridian).filter { $0.count > 1 }.map { line in
      "[\(line.map(position).joined(separator: ","))]"
    }
    switch lines.count {
    case 0: return "null"
    case 1: return FeatureCollection.geometry("LineString", lines[0])
    default:
      return FeatureCollection.geometry("MultiLineString", "[\(lines.joined(separator: ","))]")
    }
  }

  /// Splits a line wherever it crosses ±180° on the shorter side.
  package static func cutAtAntimeridian(_ line: [ReportPoint]) -> [[ReportPoint]] {
    var lines: [[ReportPoint]] = [[]]
    for point in line {
      if let last = lines[lines.count - 1].last, abs(point.longitude - last.longitude) > 180 {
        let side: Double = last.longitude > 0 ? 180 : -180
        // With the far side moved next to this one, the line crosses at `fraction` of the step.
        let far = point.longitude + 2 * side
        let fraction = far == last.longitude ? 0 : (side - last.longitude) / (far - last.longitude)
        let latitude = last.latitude + fraction * (point.latitude - last.latitude)
        lines[lines.count - 1].append(ReportPoint(latitude: latitude, longitude: side))
        lines.append([ReportPoint(latitude: latitude, longitude: -side)])
      }
      lines[lines.count - 1].append(point)
    }
    return lines
  }
}
