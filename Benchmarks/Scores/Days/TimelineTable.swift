package import Locomotion
package import LocomotionRecordings

/// A timeline as a table, which other programs can write: `kind,start,end,lat,lon,distance`.
///
/// The kind is `stay`, `trip` or `gap`. Times are seconds on the recording's clock; a stay has the
/// place's latitude and longitude in degrees, a trip its distance in metres, all optional.
package struct TimelineTable: Sendable {
  /// The items, in the file's order.
  package let items: [TimelineItem]

  /// Reads a table.
  ///
  /// - Throws: ``RecordingError`` when it can't be read or isn't such a table.
  package init(path: String) throws(RecordingError) {
    var rows = try TableRows(LineReader(path: path))
    let columns = try rows.positions(
      of: ["kind", "start", "end", "lat", "lon", "distance"],
      expected: "kind,start,end,lat,lon,distance")
    var items: [TimelineItem] = []
    while try rows.next() {
      let (start, end) = try rows.interval(from: columns[1], to: columns[2])
      let (latitude, longitude) = (
        try rows.number(at: columns[3]), try rows.number(at: columns[4])
      )
      let distance = try rows.number(at: columns[5])
      switch rows.text(at: columns[0]) {
      case "stay":
        let isPlaced = latitude.isFinite && longitude.isFinite
        items.append(
          .stay(
            Stay(
              start: start, end: end,
              location: isPlaced
                ? .init(latitude: latitude, longitude: longitude, radius68: 0) : nil)))
      case "trip":
        items.append(
          .trip(
            Trip(legs: [
              .init(
                start: start, end: end, activity: nil,
                distance: distance.isFinite ? distance : nil, steps: 0)
            ])))
      case "gap":
        items.append(.gap(Gap(start: start, end: end)))
      case let kind:
        throw .malformed(
          path: path, place: "line \(rows.line)", expected: "stay, trip or gap", found: kind)
      }
    }
    self.items = items
  }
}
