import Locomotion
import LocomotionFormats
import LocomotionMap
import LocomotionRecordings

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
    func add(_ geometry: String?, _ start: Timestamp, _ end: Timestamp, _ properties: PageValue) {
      let times: PageValue = [
        "start": Self.value(start.seconds, 3), "end": Self.value(end.seconds, 3),
        "startTime": clock.iso(start).map { .text($0) },
        "endTime": clock.iso(end).map { .text($0) },
      ]
      let feature: PageValue = [
        "type": "Feature", "geometry": .json(geometry ?? "null"),
        "properties": properties.with(times),
      ]
      features.append(feature.json)
    }
    for (number, item) in analysis.items.enumerated() {
      switch item {
      case .gap: add(nil, item.start, item.end, ["type": "gap", "item": .number(number)])
      case .stay(let stay):
        add(
          stay.location.map { Self.point($0.point) }, stay.start, stay.end,
          [
            "type": "stay", "item": .number(number), "activity": "stationary",
            "radius": Self.value(stay.location?.radius68, 1),
            "marker-color": .text(ReportPalette.light(.stationary)),
          ])
      case .trip(let trip):
        for leg in trip.legs {
          let properties: PageValue = [
            "type": "trip", "item": .number(number),
            "activity": leg.activity.map { .text($0.name) } ?? .json("null"),
            "probability": Self.value(leg.probability, 3),
            "distance": Self.value(leg.distance, 1), "steps": Self.value(leg.steps, 0),
          ]
          let route: PageValue =
            analysis.routes[leg.start].map { route in
              let points = route.points.map { ReportPoint(latitude: $0.x, longitude: $0.y) }
              return [
                "distance_network": Self.value(route.length, 1),
                "route": .json(Self.lines([points]) ?? "null"),
              ]
            } ?? [:]
          add(
            Self.lines(analysis.track(of: leg)), leg.start, leg.end,
            properties.with(route).with(
              .object(
                AltitudeChange.members(of: leg.altitudeChange).map { ($0, Self.value($1, 1)) })
            ).with([
              "stroke": .text(ReportPalette.light(leg.activity)), "stroke-width": .number(4),
            ]))
        }
      }
    }
    text =
      "{\"type\":\"FeatureCollection\",\"name\":\(JSONText.compact(analysis.name)),\"features\":[\n"
      + features.joined(separator: ",\n") + "\n]}\n"
  }

  /// A JSON number with all its decimals; null when it is not finite.
  private static func number(_ value: Double, _ decimals: Int) -> String {
    value.isFinite ? ReportFormatting.fixed(value, decimals) : "null"
  }

  private static func value(_ value: Double?, _ decimals: Int) -> PageValue {
    .json(number(value ?? .nan, decimals))
  }

  /// Longitude first; six decimals are 0.1 m.
  private static func position(_ point: ReportPoint) -> String {
    let altitude = point.altitude.map { ",\(number($0, 1))" } ?? ""
    return "[\(number(point.longitude, 6)),\(number(point.latitude, 6))\(altitude)]"
  }

  private static func point(_ point: ReportPoint) -> String {
    FeatureCollection.geometry("Point", position(point))
  }

  private static func lines(_ pieces: [[ReportPoint]]) -> String? {
    let lines = pieces.flatMap(cutAtAntimeridian).filter { $0.count > 1 }.map { line in
      "[\(line.map(position).joined(separator: ","))]"
    }
    switch lines.count {
    case 0: return nil
    case 1: return FeatureCollection.geometry("LineString", lines[0])
    default:
      return FeatureCollection.geometry("MultiLineString", "[\(lines.joined(separator: ","))]")
    }
  }

  /// Splits a line wherever it crosses ±180° on the shorter side.
  static func cutAtAntimeridian(_ line: [ReportPoint]) -> [[ReportPoint]] {
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
