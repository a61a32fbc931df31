internal import LocomotionSensing

// What the rows are as values of statements.

extension ItemRow.Point {
  /// - Throws: ``DatabaseError/invalidRow(what:field:expected:)``: PostGIS would wrap coordinates
  ///   around the Earth.
  func check(_ what: String) throws(DatabaseError) {
    guard (-90...90).contains(latitude) else {
      throw .invalidRow(what: what, field: "a latitude", expected: "-90 to 90 degrees")
    }
    guard (-180...180).contains(longitude) else {
      throw .invalidRow(what: what, field: "a longitude", expected: "-180 to 180 degrees")
    }
  }
}

extension DayRow {
  func check(_ what: String) throws(DatabaseError) {
    try Self.check(date: date, what)
    for item in items {
      if let position = item.position { try position.check(what) }
      for point in item.path { try point.check(what) }
    }
    if let first = items.first, first.kind == .leg {
      throw .invalidRow(what: what, field: "the first item", expected: "a leg after its trip")
    }
  }

  static func check(date: String, _ what: String) throws(DatabaseError) {
    let digits = date.utf8.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    let dashes = date.utf8.map { $0 == UInt8(ascii: "-") }
    let isDate = digits.indices.allSatisfy { $0 == 4 || $0 == 7 ? dashes[$0] : digits[$0] }
    guard digits.count == 10, isDate else {
      throw .invalidRow(what: what, field: "a date", expected: "YYYY-MM-DD")
    }
  }
}

extension ItemRow {
  static let columns = [
    "number", "trip", "kind", "start_ns", "end_ns", "activity", "distance", "steps", "position",
    "radius", "path", "place_name", "purpose", "is_corrected", "is_partial",
  ]

  /// The values of ``columns`` of a day's items.
  static func values(of items: [ItemRow]) -> [[PostgresValue]] {
    var trip: Int?
    return items.enumerated().map { number, item in
      if item.kind != .leg { trip = item.kind == .trip ? number : nil }
      return [
        PostgresValue(number), PostgresValue(item.kind == .leg ? trip : nil),
        .text(item.kind.rawValue), PostgresValue(item.start), PostgresValue(item.end),
        PostgresValue(prose: item.activity), PostgresValue(item.distance),
        PostgresValue(item.steps), PostgresValue(item.position.map { Geography.point($0) }),
        PostgresValue(item.radius), PostgresValue(Geography.line(item.path)),
        PostgresValue(prose: item.placeName), PostgresValue(prose: item.purpose),
        .boolean(item.isCorrected), .boolean(item.isPartial),
      ]
    }
  }
}
