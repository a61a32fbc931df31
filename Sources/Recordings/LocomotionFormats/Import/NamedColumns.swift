internal import Foundation
internal import LocomotionSensing

/// A table whose columns have names that are common, or that the caller gives.
struct NamedColumns {
  /// Names without what is not a letter or digit, by quantity, in the order of preference.
  private static let common: [String: [String]] = {
    var names: [String: [String]] = [
      "t": [
        "t", "time", "timestamp", "datetime", "unixtime", "epoch", "utc", "ts", "elapsed",
        "elapsedtime", "seconds", "milliseconds", "millis", "date",
      ],
      "lat": ["lat", "latitude"], "lon": ["lon", "lng", "long", "longitude"],
      "alt": ["alt", "altitude", "elevation", "ele", "height"],
      "hacc": ["hacc", "accuracy", "horizontalaccuracy", "acc", "precision"],
      "vacc": ["vacc", "verticalaccuracy"], "speed": ["speed", "velocity"],
      "course": ["course", "bearing", "heading"],
      "pressure": ["pressure", "airpressure", "barometer"],
    ]
    for axis in ["x", "y", "z"] {
      names["a" + axis] =
        ["a", "acc", "accel", "acceleration", "accelerometer"].map { $0 + axis }
        + ["\(axis)acc", "\(axis)axis", axis]
      names["g" + axis] = ["g", "gyr", "gyro", "gyroscope", "rotationrate"].map { $0 + axis }
    }
    return names
  }()

  /// The units that the end of a name tells, behind a bracket or an underscore; nil for those of
  /// the tidy form.
  private static let endings: [(text: String, unit: TableColumns.Unit?)] = [
    ("ms", .milliseconds), ("millis", .milliseconds), ("us", .microseconds),
    ("µs", .microseconds), ("ns", .nanoseconds), ("nanos", .nanoseconds), ("s", .seconds),
    ("sec", .seconds), ("seconds", .seconds), ("m/s2", .metresPerSecondSquared),
    ("m/s^2", .metresPerSecondSquared), ("m/s²", .metresPerSecondSquared),
    ("ms2", .metresPerSecondSquared), ("g", .standardGravity), ("mg", .milligravity),
    ("rad/s", .radiansPerSecond), ("rads", .radiansPerSecond), ("deg/s", .degreesPerSecond),
    ("°/s", .degreesPerSecond), ("dps", .degreesPerSecond), ("km/h", .kilometresPerHour),
    ("kmh", .kilometresPerHour), ("m/s", nil), ("m", nil), ("hpa", nil), ("deg", nil), ("°", nil),
  ]

  private let header: [String]
  private let parts: [(name: String, unit: TableColumns.Unit?)]
  private let given: TableColumns
  /// The columns by what they hold.
  private var columns: [String: Int] = [:]

  /// Finds the columns of a table.
  ///
  /// Nil without a column of time, or without three of accelerations and without two of positions,
  /// or where the caller names a column that isn't there.
  ///
  /// - Parameters:
  ///   - header: The names of its columns, in lower case.
  ///   - given: What the caller says.
  init?(_ header: [String], _ given: TableColumns) {
    self.header = header
    self.given = given
    parts = header.map(Self.parts)
    for (quantity, name) in given.names {
      guard let column = header.firstIndex(of: name) else { return nil }
      columns[quantity] = column
    }
    for (quantity, names) in Self.common where columns[quantity] == nil {
      columns[quantity] = names.lazy.compactMap { [parts] name in
        parts.firstIndex { $0.name == name }
      }.first { !given.names.values.contains(header[$0]) }
    }
    leaveOutDoubtful()
    guard columns["t"] != nil, hasAccelerations || hasPosition else { return nil }
  }

  private var hasPosition: Bool { columns["lat"] != nil && columns["lon"] != nil }

  /// Leaves out what has a common name by accident: `x` beside a latitude is a position's, `g_x`
  /// without accelerations may be one, and `acc` beside accelerations or without a position is no
  /// accuracy of one.
  private mutating func leaveOutDoubtful() {
    func isGuessed(_ quantity: String, as name: String? = nil) -> Bool {
      guard given.names[quantity] == nil, let column = columns[quantity] else { return false }
      return name.map { parts[column].name == $0 } ?? true
    }
    if hasPosition, isGuessed("ax", as: "x") {
      for quantity in ["ax", "ay", "az"] { columns[quantity] = nil }
    }
    if !hasAccelerations, isGuessed("gx") {
      for quantity in ["gx", "gy", "gz"] { columns[quantity] = nil }
    }
    if isGuessed("hacc"), !hasPosition || hasAccelerations && isGuessed("hacc", as: "acc") {
      columns["hacc"] = nil
    }
  }

  private var hasAccelerations: Bool { ["ax", "ay", "az"].allSatisfy { columns[$0] != nil } }

  private func name(_ quantity: String) -> [String] { columns[quantity].map { [header[$0]] } ?? [] }

  private func axes(_ first: String) -> [[String]] {
    let names = ["x", "y", "z"].map { name(first + $0) }
    return names.contains([]) ? [] : names
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
  /// - Returns: The columns, with a name that says what was taken for what.
  func app(_ rows: [[String]]) -> SensorTableImporter.App {
    let time = columns["t"] ?? 0
    let timeUnit = Self.unitOfTime(
      parts[time].unit, rows.map { $0[time] }, given.units, isDense: hasAccelerations)
    var app = SensorTableImporter.App(name: "", signature: [])
    switch timeUnit {
    case .milliseconds: app.milliseconds = name("t")
    case .microseconds: app.microseconds = name("t")
    case .nanoseconds: app.nanoseconds = name("t")
    case .seconds: app.seconds = name("t")
    default:
      app.clock = name("t")
      let isTimeOfDay = rows.allSatisfy { !$0[time].contains("-") && !$0[time].contains("/") }
      let date = parts.indices.first { ["date", "day"].contains(parts[$0].name) && $0 != time }
      if isTimeOfDay, let date { app.date = [header[date]] }
    }
    let gravity = unit(
      "ax", .metresPerSecondSquared, .standardGravity, .milligravity, .appleGravity)
    app.acceleration = axes("a")
    app.accelerationScale = Self.metresPerSecondSquared(gravity)
    app.rotation = axes("g")
    app.rotationScale =
      unit("gx", .radiansPerSecond, .degreesPerSecond) == .degreesPerSecond ? .pi / 180 : 1
    app.pressure = name("pressure")
    (app.latitude, app.longitude, app.altitude) = (name("lat"), name("lon"), name("alt"))
    (app.accuracy, app.verticalAccuracy) = (name("hacc"), name("vacc"))
    (app.speed, app.course) = (name("speed"), name("course"))
    app.speedScale =
      unit("speed", .metresPerSecond, .kilometresPerHour) == .kilometresPerHour ? 1 / 3.6 : 1
    let found = TableColumns.quantities.compactMap { quantity in
      columns[quantity].map { "\(quantity)=\(header[$0])" }
    }
    app.name =
      "columns \(found.joined(separator: ",")), times in \(timeUnit?.rawValue ?? "text")"
      + (app.acceleration.isEmpty ? "" : ", accelerations in \(gravity.rawValue)")
    return app
  }

  private static func metresPerSecondSquared(_ unit: TableColumns.Unit) -> Double {
    switch unit {
    case .standardGravity: Acceleration.standardGravity
    case .milligravity: Acceleration.standardGravity / 1_000
    case .appleGravity: -Acceleration.standardGravity
    default: 1
    }
  }

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

  /// A column's name without its unit and without what is not a letter or digit, and the unit.
  private static func parts(of column: String) -> (name: String, unit: TableColumns.Unit?) {
    var text = column
    var unit: TableColumns.Unit? =
      switch column {
      case "milliseconds", "millis": .milliseconds
      case "seconds": .seconds
      default: nil
      }
    for (open, close) in [("(", ")"), ("[", "]"), ("_", ""), (" ", "")] {
      guard let start = text.range(of: open, options: .backwards), text.hasSuffix(close) else {
        continue
      }
      let ending = text[start.upperBound...].dropLast(close.count)
      guard let found = endings.first(where: { $0.text == ending }) else { continue }
      unit = found.unit
      text = String(text[..<start.lowerBound])
      break
    }
    return (String(text.unicodeScalars.filter(CharacterSet.alphanumerics.contains)), unit)
  }
}
