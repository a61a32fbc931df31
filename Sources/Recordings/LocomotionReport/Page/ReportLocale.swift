package import Foundation
package import LocomotionMap
package import LocomotionPositioning

/// In which time zone, clock and units a report tells a recording.
package struct ReportLocale: Sendable {
  /// The time zone in which times are shown, where the clock is the Unix clock.
  package var timeZone = TimeZone.gmt
  /// Whether hours go to 24 or twice to 12.
  package var hours = ReportClock.Hours.twentyFour
  /// The units of distances, speeds and altitudes.
  package var units = ReportUnits.metric
  /// The towns that places without a name are in or near; nil without a list of them.
  package var towns: ReportTowns?
  /// The map of roads and rails that trips are compared with; nil without one.
  package var map: RoadMap?

  /// Coordinated universal time, 24 hours and metric units, or others.
  package init(
    timeZone: TimeZone = .gmt, hours: ReportClock.Hours = .twentyFour, units: ReportUnits = .metric
  ) {
    (self.timeZone, self.hours, self.units) = (timeZone, hours, units)
  }
}

/// Formats distances, speeds and altitudes for people, in kilometres or in miles.
package enum ReportUnits: String, CaseIterable, Sendable {
  case metric, imperial

  /// The unit of what is far, metres.
  var long: Double { self == .metric ? 1_000 : 1_609.344 }
  /// The name of ``long``.
  var longName: String { self == .metric ? "km" : "mi" }
  /// The unit of what is near and of altitudes, metres.
  var short: Double { self == .metric ? 1 : 0.3048 }
  /// The name of ``short``.
  var shortName: String { self == .metric ? "m" : "ft" }
  /// The name of ``long`` per hour.
  var speedName: String { self == .metric ? "km/h" : "mph" }
  /// What is one ``long`` long, in words.
  var longWord: String { self == .metric ? "kilometre" : "mile" }

  /// Metres as "640 m", "3.2 km" or "128 km"; as "640 ft", "3.2 mi" or "128 mi".
  package func distance(_ metres: Double) -> String {
    if metres / short < 999.5 { return "\(ReportFormatting.fixed(metres / short, 0)) \(shortName)" }
    let far = metres / long
    let text = far < 99.95 ? ReportFormatting.fixed(far, 1) : ReportFormatting.count(far)
    return "\(text) \(longName)"
  }

  /// A distance and its standard deviation, as "11.4 ± 0.9 km"; the distance alone where that is
  /// no estimate.
  package func distance(_ metres: Double, deviation: Double?) -> String {
    guard let deviation, Self.isEstimate(metres, deviation: deviation) else {
      return distance(metres)
    }
    let isNear = metres / short < 999.5
    let unit = isNear ? short : long
    let decimals = isNear || metres / long >= 99.95 ? 0 : 1
    let texts = [metres, deviation].map { ReportFormatting.fixed($0 / unit, decimals) }
    return "\(texts[0]) ± \(texts[1]) \(isNear ? shortName : longName)"
  }

  /// Whether a distance is to be shown with its standard deviation: one above 5 %.
  static func isEstimate(_ metres: Double, deviation: Double?) -> Bool {
    guard let deviation, deviation.isFinite else { return false }
    return deviation > 0.05 * metres && deviation >= 0.5
  }

  /// Metres per second in ``speedName``.
  func perHour(_ metresPerSecond: Double) -> Double { metresPerSecond * 3_600 / long }

  /// Metres per second as "5.2 km/h" or "47 km/h".
  package func speed(_ metresPerSecond: Double) -> String {
    let speed = perHour(metresPerSecond)
    return "\(ReportFormatting.fixed(speed, abs(speed) < 9.95 ? 1 : 0)) \(speedName)"
  }

  /// The time per kilometre or mile at metres per second, as "6:05 /km"; "–" at a standstill.
  package func pace(_ metresPerSecond: Double) -> String {
    let seconds = (long / metresPerSecond).rounded()
    guard seconds.isFinite, seconds > 0, seconds < 36_000 else { return "–" }
    return "\(ReportFormatting.stopwatch(seconds)) /\(longName)"
  }

  /// What was climbed and descended with one standard deviation each, as "up 41 ± 24 m, down …";
  /// nil where neither is larger than that.
  ///
  /// Where one is, the other is told, too: who comes back has not only descended.
  package func climb(_ change: AltitudeChange?) -> String? {
    guard let change else { return nil }
    let parts = [
      ("up", change.climb, change.climbDeviation),
      ("down", change.descent, change.descentDeviation),
    ].filter { $0.1 >= 0.5 }
    guard parts.contains(where: { $0.1 >= $0.2 }) else { return nil }
    return parts.map { name, metres, deviation in
      "\(name) \(ReportFormatting.fixed(metres / short, 0)) ± "
        + "\(ReportFormatting.fixed(deviation / short, 0)) \(shortName)"
    }.joined(separator: ", ")
  }
}
