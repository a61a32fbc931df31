internal import Locomotion
internal import LocomotionPositioning

extension Journal {
  /// Rebuilds the R*Tree: a deleted box leaves its bytes in its page.
  func rebuildPlaceIndex() throws(JournalError) {
    connection.forgetStatements()
    try connection.transaction { () throws(JournalError) in
      try connection.execute("DROP TABLE place_index")
      try connection.execute(StoreFormat.placeIndex)
      var records: [PlaceRecord] = []
      for user in try users() {
        records += try UserJournal(self, user).rows()
      }
      for record in records { try record.index(in: connection) }
    }
  }

  /// Checks the R*Tree against the places.
  func checkPlaceIndex(_ report: inout JournalReport) throws(JournalError) {
    let lines: [String?] = try connection.column("SELECT rtreecheck('place_index')")
    for line in lines where line != "ok" {
      report.add("index of places: \((line ?? "no answer").prefix(160))")
    }
    var wrong = 0
    try connection.forEach(
      """
      SELECT p.id, p.name, p.latitude, p.longitude, p.radius, p.is_learned, \
      i.x0, i.x1, i.y0, i.y1, i.z0, i.z1, i.u0, i.u1 \
      FROM places AS p LEFT JOIN place_index AS i ON i.id = p.id
      """
    ) { (row: SQLiteRow) throws(JournalError) in
      guard let record = try PlaceRecord(row) else { return true }
      let point = WGS84.earthCentred(
        latitude: record.place.latitude, longitude: record.place.longitude)
      let user = Double(record.key >> StoreFormat.indexBits)
      let pairs = [(6, point.x), (8, point.y), (10, point.z), (12, user), (12, user + 0.5)]
      let holds = pairs.allSatisfy { column, value in
        (row.real(column) ?? .nan) <= value + 1e-6 && (row.real(column + 1) ?? .nan) >= value - 1e-6
      }
      if !holds { wrong += 1 }
      return true
    }
    let entries = try connection.integer("SELECT count(*) FROM place_index") ?? 0
    let places = try connection.integer("SELECT count(*) FROM places") ?? 0
    if wrong > 0 || entries != places {
      report.add("index of places: \(wrong) of \(places) places are not where they belong")
    }
  }
}
