import Foundation
import LocomotionPositioning

extension ReportMap {
  /// What the script draws the map from, beside the definitions: the corners of what it shows and
  /// the units of lengths; with tiles their address, and where the origin is on the square world.
  func figure(tiles: ReportTiles?) -> Markup {
    func fine(_ values: Double...) -> String {
      values.map { "\(Float($0))" }.joined(separator: " ")
    }
    var data: Markup = """
      data-b="\(fine(
        bounds.low.x / unit, -bounds.high.y / unit, bounds.high.x / unit, -bounds.low.y / unit))" \
      data-u="\(fine(unit))" data-l="\(units.short == 1 ? "1" : "\(units.short)") \
      \(units.shortName) \(Int(units.long) == 1_000 ? "1000" : "\(units.long)") \(units.longName)"
      """
    if let tiles {
      let origin = projection.world(.zero)
      data += """
         data-tiles="\(tiles.template)" data-w="\("\(origin.x) \(origin.y) \(unit / projection.circumference)")"
        """
    }
    let extent = bounds.extent
    let description =
      "North is up. The track covers \(units.distance(extent.x)) from west to east and "
      + "\(units.distance(extent.y)) from south to north, with "
      + "\(ReportFormatting.plural(sites.count, "place")) marked by letters and the trips by "
      + "numbers."
    return """
      <div class="map" data-title="Map of the track" data-desc="\(description)" \(data)></div>
      """
  }

  /// The largest of 1, 2 and 5 times a power of ten that is at most `limit`, and 1 below that.
  static func roundLength(below limit: Double) -> Double {
    var length = 1.0
    while length * 10 <= limit { length *= 10 }
    return limit >= length * 5 ? length * 5 : limit >= length * 2 ? length * 2 : length
  }
}
