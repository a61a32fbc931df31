internal import Foundation
internal import LocomotionRecordings

/// A table whose columns have names that are common, or that the caller gives.
struct NamedColumns {
  private let header: [String]
  private let parts: [(name: String, unit: TableColumns.Unit?)]
  private let given: TableColumns
  private let file: String
  /// The columns by what they hold.
  private var columns: [String: Int] = [:]

  /// Finds the columns of a table.
  ///
  /// Nil without a column of time, or without three of accelerations and without those of
  /// positions, or where the caller names a column that isn't there.
  ///
  /// - Parameters:
  ///   - header: The names of its columns, in lower case.
  ///   - given: What the caller says.
  ///   - file: The name of the file, which tells the sensor where the columns are `x`, `y` and `z`.
  init?(_ header: [String], _ given: TableColumns, file: String = "") {
    self.header = header
    self.file = file.lowercased()
    self.given = given
    parts = header.map(ColumnNames.parts)
    for (quantity, name) in given.names {
      guard let column = header.firstIndex(of: name) else { return nil }
      columns[quantity] = column
    }
    for (quantity, names) in ColumnNames.common where columns[quantity] == nil {
      columns[quantity] = names.lazy.compactMap { [parts] name in
        parts.firstIndex { $0.name == name }
      }.first { !given.names.values.contains(header[$0]) }
    }
    leaveOutDoubtful()
    guard columns["t"] != nil, hasAccelerations || hasPosition || isOfGyroscope else { return nil }
  }

  private var hasPosition: Bool {
    columns["lat"] != nil && columns["lon"] != nil || columns["point"] != nil
  }

  /// Leaves out what has a common name by accident: `x` beside a latitude is a position's, `g_x`
  /// without accelerations may be one, and `acc` beside accelerations or without a position is no
  /// accuracy of one.
  private mutating func leaveOutDoubtful() {
    func isGuessed(_ quantity: String, as name: String? = nil) -> Bool {
      guard given.names[quantity] == nil, let column = columns[quantity] else { return false }
      return name.map { parts[column].name == $0 } ?? true
    }
    if hasPosition, isGuessed("ax", as: "x") {
      for quantity in SensorNames.accelerations { columns[quantity] = nil }
    }
    if hasAccelerations, isGuessed("ax", as: "x"), Self.others.contains(where: file.contains) {
      for axis in ["x", "y", "z"] {
        columns["g" + axis] = isOfGyroscope ? columns["a" + axis] : nil
        columns["a" + axis] = nil
      }
    }
    if !hasAccelerations, !isOfGyroscope, isGuessed("gx") {
      for quantity in SensorNames.rotationRates { columns[quantity] = nil }
    }
    if isGuessed("hacc"), !hasPosition || hasAccelerations && isGuessed("hacc", as: "acc") {
      columns["hacc"] = nil
    }
    if columns["lat"] != nil && columns["lon"] != nil, isGuessed("point") { columns["point"] = nil }
    // A row with the two ends of a visit has no other time.
    guard !hasAccelerations, columns["arrival"] != nil, columns["departure"] != nil, hasPosition,
      columns["t"] == nil || isGuessed("t")
    else {
      for quantity in ["arrival", "departure"] where isGuessed(quantity) { columns[quantity] = nil }
      return
    }
    columns["t"] = columns["arrival"]
  }

  /// What the names of files of gyroscopes contain, and those of further sensors.
  private static let gyroscopes = ["gyr", "angularvelocity", "rotationrate"]
  private static let others = gyroscopes + ["magn", "orient", "gravity", "linear", "attitude"]

  private var isOfGyroscope: Bool { Self.gyroscopes.contains(where: file.contains) }

  private var hasAccelerations: Bool {
    SensorNames.accelerations.allSatisfy { columns[$0] != nil }
  }

  /// The name of the column of a quantity; nil where there is none.
  private func name(_ quantity: String) -> [String]? { columns[quantity].map { [header[$0]] } }

  private func axes(_ first: String) -> [[String]] {
    let names = ["x", "y", "z"].compactMap { name(first + $0) }
    return names.count == 3 ? names : []
  }

  /// The unit of a quantity: what the caller says, or the name of its column, or else the first.
  private func unit(_ quantity: String, _ units: TableColumns.Unit...) -> TableColumns.Unit {
    let told = columns[quantity].flatMap { parts[$0].unit }
    return units.first(where: given.units.contains) ?? units.first { $0 == told } ?? units[0]
  }

  /// The columns as those of an app.
  ///
  /// - Parameter rows: The fields of its first rows, by which the unit of time is found where
  ///   neither the caller nor the name tells it.
  /// - Returns: The columns, with a name that says what was taken for what; nil where the positions
  ///   are in no text of one.
  func app(_ rows: [[String]]) -> SensorTableImporter.App? {
    if let point = columns["point"], !hasAccelerations,
      !rows.contains(where: { PlaceText.point($0[point]) != nil })
    {
      return nil
    }
    var app = SensorTableImporter.App(name: "", signature: [])
    let timeUnit = setTimes(of: &app, rows)
    let gravity = unitOfAcceleration(rows)
    app.acceleration = axes("a")
    app.accelerationScale = gravity.scale
    app.rotation = axes("g")
    app.rotationScale = unit("gx", .radiansPerSecond, .degreesPerSecond).scale
    let plain = [
      "pressure", "lat", "lon", "alt", "hacc", "vacc", "speed", "course", "point", "device",
    ]
    for quantity in plain { app.columns[quantity] = name(quantity) }
    if columns["arrival"] == columns["t"] { app.columns["departure"] = name("departure") }
    app.degrees = columns["lat"].map { parts[$0].name.hasSuffix("e7") } ?? false ? 1e-7 : 1
    for (letters, names) in [("ns", ["ns", "latns"]), ("ew", ["ew", "lonew"])] {
      let found = parts.indices.first { names.contains(parts[$0].name) && !isUsed($0) }
      app.columns[letters] = found.map { [header[$0]] }
    }
    let isDilution = columns["hacc"].map { parts[$0].name == "hdop" } ?? false
    app.accuracyScale = isDilution ? GPXElements.rangeError : 1
    app.speedScale =
      unit("speed", .metresPerSecond, .kilometresPerHour, .milesPerHour, .knots).scale
    let found = TableColumns.quantities.compactMap { quantity in
      columns[quantity].map { "\(quantity)=\(header[$0])" }
    }
    app.name =
      "columns \(found.joined(separator: ",")), times in \(timeUnit?.rawValue ?? "text")"
      + (app.acceleration.isEmpty ? "" : ", accelerations in \(gravity.rawValue)")
    return app
  }

  /// Sets the columns of time.
  ///
  /// - Returns: The unit; nil for texts.
  private func setTimes(
    of app: inout SensorTableImporter.App, _ rows: [[String]]
  ) -> TableColumns.Unit? {
    let time = columns["t"] ?? 0
    let date = columnOfDate(beside: time)
    let isCompact =
      date.map { date in
        rows.allSatisfy { Self.isCompact($0[date]) && Self.isCompact($0[time]) }
      } ?? false
    let timeUnit =
      isCompact
      ? nil
      : Self.unitOfTime(
        parts[time].unit, rows.map { $0[time] }, given.units,
        isDense: hasAccelerations || isOfGyroscope)
    if let timeUnit {
      app.columns["count"] = name("t")
      app.digits = Self.digits[timeUnit] ?? 0
    } else {
      app.columns["clock"] = name("t")
      let isTimeOfDay = rows.allSatisfy { !$0[time].contains("-") && !$0[time].contains("/") }
      let dates = isTimeOfDay ? date : nil
      app.columns["date"] = dates.map { [header[$0]] }
      app.dates = DateText(rows.map { row in dates.map { row[$0] + " 0:00" } ?? row[time] })
    }
    return timeUnit
  }

  private static let digits: [TableColumns.Unit: Int] = [
    .milliseconds: 3, .microseconds: 6, .nanoseconds: 9,
  ]

  /// Whether a column holds one of the quantities.
  private func isUsed(_ column: Int) -> Bool { columns.values.contains(column) }

  /// The column of the dates, where there are several that of the same zone as the times.
  private func columnOfDate(beside time: Int) -> Int? {
    let zone = parts[time].name.replacing("time", with: "")
    let names = [zone + "date", "date", "day", "utcdate", "localdate", "gpsdate"]
    return names.lazy.compactMap { name in
      parts.indices.first { parts[$0].name == name && $0 != time }
    }.first
  }

  /// Whether a text is a date or a time of day of digits alone: 240501, 20240501, 70510.
  private static func isCompact(_ text: String) -> Bool {
    3...8 ~= text.utf8.count && text.utf8.allSatisfy { 0x30...0x39 ~= $0 }
  }

  /// The unit of the accelerations: what the caller or a name says, or what their median length
  /// says, which is that of gravity.
  private func unitOfAcceleration(_ rows: [[String]]) -> TableColumns.Unit {
    let units: [TableColumns.Unit] = [
      .metresPerSecondSquared, .standardGravity, .milligravity, .appleGravity,
    ]
    let told = columns["ax"].flatMap { parts[$0].unit }
    if let unit = units.first(where: given.units.contains) ?? units.first(where: { $0 == told }) {
      return unit
    }
    let axes = SensorNames.accelerations.compactMap { columns[$0] }
    let lengths = rows.compactMap { row -> Double? in
      let values = axes.compactMap { Double(row[$0].replacing(",", with: ".")) }
      guard values.count == 3 else { return nil }
      return values.reduce(0) { $0 + $1 * $1 }.squareRoot()
    }.sorted()
    guard lengths.count >= Self.fewestLengths else { return .metresPerSecondSquared }
    switch lengths[lengths.count / 2] {
    case 0.85...1.15: return .standardGravity
    case 850...1_150: return .milligravity
    default: return .metresPerSecondSquared
    }
  }

  private static let fewestLengths = 16

  /// The unit of the times; nil for text.
  private static func unitOfTime(
    _ told: TableColumns.Unit?, _ fields: [String], _ given: Set<TableColumns.Unit>, isDense: Bool
  ) -> TableColumns.Unit? {
    let units: [TableColumns.Unit] = [.nanoseconds, .microseconds, .milliseconds, .seconds]
    if let unit = units.first(where: given.contains) { return unit }
    let known = fields.filter { !["", "nan", "na", "null"].contains($0.lowercased()) }
    // Where a semicolon divides fields, a comma is the decimal point.
    let numbers = known.compactMap { Double($0.replacing(",", with: ".")) }
    guard numbers.count == known.count, let first = numbers.first else { return nil }
    if let told, units.contains(told) { return told }
    // At 1 to 500 accelerations per second the interval tells the unit, whatever the zero; seconds
    // since 1970 may be further apart.
    let steps = zip(numbers.dropFirst(), numbers).map { abs($0 - $1) }.filter { $0 > 0 }.sorted()
    let step = steps.isEmpty ? 0 : steps[steps.count / 2]
    if isDense, !steps.isEmpty, step >= 2_000 || !(9e8...3e9 ~= first) {
      return zip([2e6, 2e3, 2.0], units).first { step >= $0.0 }?.1 ?? .seconds
    }
    // Since 1970, in the years from 1973 to 5138.
    return zip([1e17, 1e14, 1e11], units).first { abs(first) >= $0.0 }?.1 ?? .seconds
  }
}
