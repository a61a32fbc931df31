import LocomotionPositioning
internal import LocomotionSensing

/// Towns, by which a place without a name is told: a list that is there without a network.
package struct ReportTowns: Sendable {
  private struct Town {
    var name: String
    var point: ReportPoint
    /// How far it reaches from its centre, metres.
    var reach: Double
  }

  /// From south to north.
  private let towns: [Town]
  /// Whose list it is and under which licence: its first line that begins with `#`.
  let attribution: String

  /// The farthest that a place is "near" a town, metres.
  private static let farthest = 30_000.0
  /// The people on a square metre of a town, of which none reaches less than a kilometre; that is
  /// 2,500 on a square kilometre, as in European cities.
  private static let density = 2.5e-3

  /// The line of a list that is none of a town.
  package struct Invalid: Error, Equatable {
    /// Its number, from 1.
    package let line: Int
  }

  /// The towns of a list: lines of name, latitude, longitude in degrees and population, between
  /// tabulators; those that begin with `#` are left out.
  ///
  /// - Throws: ``Invalid`` for a line of another form.
  package init(list: [UInt8]) throws(Invalid) {
    var towns: [Town] = []
    for (index, line) in list.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
    where !line.isEmpty && line.first != 0x23 {
      let fields = line.split(separator: 0x09, omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
      guard fields.count == 4, !fields[0].isEmpty, let latitude = Double(fields[1]),
        let longitude = Double(fields[2]), abs(latitude) <= 90, abs(longitude) <= 180,
        let people = Double(fields[3].filter { $0 != "\r" }), 0...1e9 ~= people
      else { throw Invalid(line: index + 1) }
      towns.append(
        Town(
          name: fields[0], point: ReportPoint(latitude: latitude, longitude: longitude),
          reach: max((people / Self.density / .pi).squareRoot(), 1_000)))
    }
    let comment = list.split(separator: 0x0A).first { $0.first == 0x23 } ?? []
    attribution = String(decoding: comment.drop { $0 == 0x23 || $0 == 0x20 }, as: UTF8.self)
    self.towns = towns.sorted { $0.point.latitude < $1.point.latitude }
  }

  /// Where a point is, as "in Erding" or "near Erding, 4 km"; nil far from every town.
  ///
  /// A list has the centres of towns and not their borders: a point is in the town of the nearest
  /// centre that reaches to it, by its population, and else near the nearest one.
  func words(at point: ReportPoint, _ units: ReportUnits) -> String? {
    let degrees = Self.farthest / 110_000
    let first = towns.partitioningIndex { $0.point.latitude >= point.latitude - degrees }
    var inside: (name: String, distance: Double)?
    var beside: (name: String, distance: Double)?
    for town in towns[first...].prefix(while: { $0.point.latitude <= point.latitude + degrees }) {
      let distance = point.distance(to: town.point)
      guard distance <= Self.farthest else { continue }
      if distance < beside?.distance ?? .infinity { beside = (town.name, distance) }
      if distance <= town.reach, distance < inside?.distance ?? .infinity {
        inside = (town.name, distance)
      }
    }
    if let inside { return "in \(inside.name)" }
    return beside.map {
      let far = ReportFormatting.fixed(max(($0.distance / units.long).rounded(), 1), 0)
      return "near \($0.name), \(far) \(units.longName)"
    }
  }
}
