package import LocomotionSensing

/// The median of latitude and of longitude over five fixes, two of them later ones.
///
/// At the ends of the recording the window shrinks to three and one. A textbook despiking filter
/// (Tukey 1977): reported accuracies and times are ignored, and there is no moving state.
package struct MedianOfFive: LocationBaseline {
  /// The name in tables.
  package let name = "median of five"

  /// The baseline.
  package init() {}

  /// The medians, at the times of the fixes.
  package func points(for fixes: [LocationFix]) -> [LocatedPoint?] {
    let usable = fixes.indices.filter { fixes[$0].hasPosition }
    var result = [LocatedPoint?](repeating: nil, count: fixes.count)
    for (position, index) in usable.enumerated() {
      let reach = min(2, position, usable.count - 1 - position)
      let window = usable[position - reach...position + reach].map { fixes[$0] }
      let centre = fixes[index].longitude
      // Longitudes as differences, so that the antimeridian is no discontinuity.
      let longitudes = window.map { ($0.longitude - centre).remainder(dividingBy: 360) }.sorted()
      result[index] = LocatedPoint(
        timestamp: fixes[index].timestamp, latitude: window.map(\.latitude).sorted()[reach],
        longitude: centre + longitudes[reach], radius68: fixes[index].horizontalAccuracy)
    }
    return result
  }
}
