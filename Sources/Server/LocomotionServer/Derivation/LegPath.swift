internal import Foundation
internal import LocomotionJournal
internal import LocomotionSensing

/// The path of a leg as the database keeps it: so many points that a map shows the same line.
enum LegPath {
  /// Points nearer to the last kept one than this are left out, metres.
  static let spacing = 10.0
  /// The most points of one leg.
  static let mostPoints = 2_000
  /// The mean radius of the earth (IUGG), metres.
  private static let radius = 6_371_008.8

  /// The first and the last point, and between them those that are far enough from one another.
  ///
  /// - Complexity: O(points · log(points)).
  static func points(of fixes: [LocationFix]) -> [LocationFix] {
    var distance = spacing
    while true {
      let kept = thinned(fixes, distance)
      if kept.count <= mostPoints { return kept }
      distance *= 2
    }
  }

  private static func thinned(_ fixes: [LocationFix], _ distance: Double) -> [LocationFix] {
    var kept: [LocationFix] = []
    for (index, fix) in fixes.enumerated() {
      if let last = kept.last, index < fixes.count - 1, isNear(last, fix, distance) { continue }
      kept.append(fix)
    }
    return kept
  }

  /// Whether two points are nearer than `distance`, on a plane: at some metres good to a millimetre
  /// but at the poles, where it takes points for nearer than they are.
  private static func isNear(
    _ one: LocationFix, _ other: LocationFix, _ distance: Double
  ) -> Bool {
    let degree = radius * .pi / 180
    let north = (other.latitude - one.latitude) * degree
    var turn = other.longitude - one.longitude
    if turn > 180 { turn -= 360 } else if turn < -180 { turn += 360 }
    let east = turn * degree * cos(one.latitude * .pi / 180)
    return north * north + east * east < distance * distance
  }
}
