internal import Foundation
internal import LocomotionRecordings
internal import LocomotionSensing

/// A table whose columns have names that are common, or that the caller gives, or whose values tell
/// what they hold.
struct NamedColumns {
  private let header: [String]
  private let parts: [(name: String, unit: TableColumns.Unit?)]
  private let given: TableColumns
  private let file: String
  private var columns: [String: Int] = [:]
  /// The quantities that values told, as no name did.
  private var guessed: [String] = []

  /// Finds the columns of a table.
  ///
  /// Nil without a column of time, or without three of accelerations and without those of
  /// positions, or where the caller names a column that isn't there.
  ///
  /// The name of the file tells the sensor where the columns are `x`, `y` and `z`, and its first
  /// rows tell what no name does.
  init?(_ header: [String], _ given: TableColumns, file: String = "", rows: [[String]] = []) {
    self.header = header
    self.file = file.lowercased()
    self.given = given
    parts = header.map(ColumnNames.parts)
    for (quantity, name) in given.names {
      guard let column = header.firstIndex(of: name) else { return nil }
      columns[quantity] = column
    }
    func column(_ names: [String], in parts: [String]) -> Int? {
      names.lazy.compactMap { parts.firstIndex(of: $0) }.first {
        !given.names.values.contains(header[$0])
      }
    }
    let (names, cores) = (parts.map(\.name), parts.map { ColumnNames.core($0.name) })
    for (quantity, common) in ColumnNames.common where columns[quantity] == nil {
      let isOfFix = LocationFix.quantityNames.contains(quantity) || quantity == "t"
      columns[quantity] = column(common, in: names) ?? (isOfFix ? column(common, in: cores) : nil)
    }
    leaveOutDoubtful()
    if !isComplete { guess(rows) }
    guard isComplete else { return nil }
  }

  private var isComplete: Bool {
    columns["t"] != nil && (hasAccelerations || hasPosition || isOfGyroscope)
  }

  /// Takes columns of names that say nothing for what their values are.
  private mutating func guess(_ rows: [[String]]) {
    guard given.names.isEmpty, !Self.others.contains(where: file.contains) else { return }
    let free = header.indices.filter { !isUsed($0) }
    let found = ColumnGuess(
      rows, free.filter { ColumnNames.saysNothing(header[$0]) }, times: free,
      needsTime: columns["t"] == nil, needsPlace: !hasPosition && !hasAccelerations)
    columns.merge(found.columns) { known, _ in known }
    guessed = found.columns.keys.sorted()
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

  private var hasAccelerations: Bool { SensorNames.accelerations.allSatisfy { columns[$0] != nil } }

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
  /// - Parameters:
  ///   - rows: The fields of its first rows, by which units are found where neither the caller nor
  ///     a name tells them.
  ///   - path: The table's name in an error.
  /// - Returns: The columns, with a name that says what was taken for what; nil where the positions
  ///   are in no text of one.
  /// - Throws: `RecordingError.refused` for accelerations of a unit that nothing tells.
  func app(_ rows: [[String]], path: String) throws(RecordingError) -> SensorTableImporter.App? {
    if let point = columns["point"], !hasAccelerations,
      !rows.contains(where: { PlaceText.point($0[point]) != nil })
    {
      return nil
    }
    var app = SensorTableImporter.App(name: "", signature: [])
    let timeUnit = setTimes(of: &app, rows)
    let gravity = try unitOfAcceleration(rows, path)
    app.acceleration = axes("a")
    app.accelerationScale = gravity.scale
    app.rotation = axes("g")
    // Nobody's phone turns faster than 35 rad/s.
    let isFast = length(of: SensorNames.rotationRates, rows).map { $0 > 35 } ?? false
    let isTold = columns["gx"].map { parts[$0].unit != nil } ?? true
    let turns =
      isFast && !isTold ? .degreesPerSecond : unit("gx", .radiansPerSecond, .degreesPerSecond)
    app.rotationScale = turns.scale
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
    var words = ["times in \(timeUnit.map { $0 == .days ? "days" : $0.rawValue } ?? "text")"]
    if !app.acceleration.isEmpty { words.append("accelerations in \(gravity.name)") }
    for quantity in ["alt", "hacc", "vacc", "speed"] {
      let unit =
        quantity == "speed"
        ? unit("speed", .metresPerSecond, .kilometresPerHour, .milesPerHour, .knots)
        : unit(quantity, .metresPerSecond, .feet)
      app.scales[quantity] = unit.scale
      if unit != .metresPerSecond, columns[quantity] != nil {
        words.append("\(quantity) in \(unit.rawValue)")
      }
    }
    let isDilution = columns["hacc"].map { parts[$0].name == "hdop" } ?? false
    if isDilution { app.scales["hacc"] = GPXElements.rangeError }
    if !guessed.isEmpty { words.append("\(guessed.joined(separator: ", ")) by their values") }
    let found = TableColumns.quantities.compactMap { quantity in
      columns[quantity].map { "\(quantity)=\(header[$0])" }
    }
    app.name = "columns \(found.joined(separator: ",")), " + words.joined(separator: ", ")
    return app
  }

  /// Sets the columns of time.
  ///
  /// - Returns: The unit; nil for texts.
  private func setTimes(
    of app: inout SensorTableImporter.App, _ rows: [[String]]
  ) -> TableColumns.Unit? {
    var time = columns["t"] ?? 0
    // Of several dates the one of the same zone as the times.
    let zone = parts[time].name.replacing("time", with: "")
    var date = ([zone + "date"] + ColumnNames.dates).lazy.compactMap { [parts] name in
      parts.indices.first { parts[$0].name == name && $0 != time }
    }.first
    // A date whose time of day has no name that is known.
    if date == nil, !rows.isEmpty, rows.allSatisfy({ DateText.isDate($0[time]) }),
      let clock = header.indices.first(where: { column in
        !isUsed(column) && rows.allSatisfy { DateText.isTimeOfDay($0[column]) }
      })
    {
      (time, date) = (clock, time)
    }
    let isCompact =
      date.map { date in
        rows.allSatisfy { Self.isCompact($0[date]) && Self.isCompact($0[time]) }
      } ?? false
    let texts = rows.map { $0[time] }
    let timeUnit =
      isCompact
      ? nil
      : Self.unitOfTime(
        parts[time].unit, texts, given.units, isDense: hasAccelerations || isOfGyroscope)
    if let timeUnit {
      app.columns["count"] = [header[time]]
      app.digits = Self.digits[timeUnit] ?? 0
      if timeUnit == .days {
        app.dayZero = Self.dayZero(texts.lazy.compactMap(Self.number).first) ?? Self.spreadsheetZero
      }
    } else {
      app.columns["clock"] = [header[time]]
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

  private func isUsed(_ column: Int) -> Bool { columns.values.contains(column) }

  /// Whether a text is a date or a time of day of digits alone: 240501, 20240501, 70510, 70510.25.
  private static func isCompact(_ text: String) -> Bool {
    let digits = text.prefix { $0 != "." }
    return 3...8 ~= digits.utf8.count && digits.isOfDigits
  }

  /// The number in a text, maybe with a decimal comma.
  static func number(_ text: String) -> Double? { Double(text.replacing(",", with: ".")) }

  // MARK: Units

  /// What accelerations at rest are, by the length that gravity has in a unit: those of counts are
  /// of the converters that phones and boards have.
  private static let gravities: [(name: String, range: ClosedRange<Double>, scale: Double)] =
    [
      ("m/s2", 0...40, 1), ("mg", 850...1_150, TableColumns.Unit.milligravity.scale),
      ("mm/s2", 9_600...10_000, 1e-3),
    ]
    + [256.0, 2_048, 4_096, 8_192, 16_384].map { counts in
      (
        "counts of \(Int(counts)) per g", 0.9 * counts...1.1 * counts,
        Acceleration.standardGravity / counts
      )
    }

  /// The unit of the accelerations: what the caller or a name says, or what their median length
  /// says, which is that of gravity.
  private func unitOfAcceleration(
    _ rows: [[String]], _ path: String
  ) throws(RecordingError) -> (name: String, scale: Double) {
    let units: [TableColumns.Unit] = [
      .metresPerSecondSquared, .standardGravity, .milligravity, .appleGravity,
    ]
    let told = columns["ax"].flatMap { parts[$0].unit }
    if let unit = units.first(where: given.units.contains) ?? units.first(where: { $0 == told }) {
      return (unit.rawValue, unit.scale)
    }
    guard let length = length(of: SensorNames.accelerations, rows) else { return ("m/s2", 1) }
    if 0.85...1.15 ~= length { return ("g", TableColumns.Unit.standardGravity.scale) }
    let text = String(format: "%.4g", length)
    // `x`, `y` and `z` are of any sensor: those of an accelerometer have the length of gravity.
    let isOfAnySensor = columns["ax"].map { ["x", "xaxis"].contains(parts[$0].name) } ?? false
    guard length > 4 || !isOfAnySensor || given.names["ax"] != nil else {
      throw .refused(
        path: path,
        reason: "the columns x, y and z have a median length of \(text): no accelerations with "
          + "gravity; '--column ax=…' says that they are, and '--unit' their unit")
    }
    guard let known = Self.gravities.first(where: { $0.range.contains(length) }) else {
      throw .refused(
        path: path,
        reason:
          "the accelerations have a median length of \(text), where gravity has 9.8 m/s2, 1 g "
          + "or 1000 mg: '--unit' says their unit")
    }
    return (known.name, known.scale)
  }

  /// Whether gravity has this length in a unit that is known.
  static func isGravity(_ length: Double) -> Bool {
    0.9...1.1 ~= length || 8.5...11 ~= length
      || gravities.dropFirst().contains { $0.range.contains(length) }
  }

  private func length(of names: [String], _ rows: [[String]]) -> Double? {
    Self.length(of: names.compactMap { columns[$0] }, rows, atLeast: 16)
  }

  /// The median length of three columns in some rows; nil of fewer than so many.
  static func length(of axes: [Int], _ rows: [[String]], atLeast fewest: Int) -> Double? {
    let lengths = rows.compactMap { row -> Double? in
      let values = axes.compactMap { number(row[$0]) }
      return values.count == 3 ? values.reduce(0) { $0 + $1 * $1 }.squareRoot() : nil
    }
    return lengths.count < fewest ? nil : lengths.median
  }

  /// The unit of the times; nil for text.
  private static func unitOfTime(
    _ told: TableColumns.Unit?, _ fields: [String], _ given: Set<TableColumns.Unit>, isDense: Bool
  ) -> TableColumns.Unit? {
    let units: [TableColumns.Unit] = [.nanoseconds, .microseconds, .milliseconds, .seconds, .days]
    if let unit = units.first(where: given.contains) { return unit }
    let known = fields.filter { !["", "nan", "na", "null"].contains($0.lowercased()) }
    // Where a semicolon divides fields, a comma is the decimal point.
    let numbers = known.compactMap(number)
    guard numbers.count == known.count, let first = numbers.first else { return nil }
    if let told, units.contains(told) { return told }
    // At 1 to 500 accelerations per second the interval tells the unit, whatever the zero; seconds
    // since 1970 may be further apart.
    let all = numbers.steps.map { abs($0) }
    let steps = all.filter { $0 > 0 }
    // Of samples in batches of one time the mean is that of a sample.
    let isBatched = 2 * steps.count < all.count
    let step = isBatched ? all.reduce(0, +) / Double(all.count) : steps.median ?? 0
    let decimals = known.map { $0.drop { !".,".contains($0) }.count - 1 }.max() ?? 0
    // Of seconds the steps would be those of a fast sensor; half an hour is 0.02 of a day.
    let longest = isDense ? 1e-4 : decimals > 3 ? 0.5 : 0.02
    if dayZero(first) != nil, step > 0, step < longest { return .days }
    if isDense, !steps.isEmpty, step >= 2_000 || !(9e8...3e9 ~= first) {
      return zip([2e6, 2e3, 2.0], units).first { step >= $0.0 }?.1 ?? .seconds
    }
    // Since 1970, in the years from 1973 to 5138.
    return zip([1e17, 1e14, 1e11], units).first { abs(first) >= $0.0 }?.1 ?? .seconds
  }

  /// 1970 in the days of spreadsheets.
  private static let spreadsheetZero = 25_569.0

  /// 1970 in days of the size of `days`: those of spreadsheets since 1899-12-30, of MATLAB since
  /// the year 0, or of the Julian date; nil for another size.
  private static func dayZero(_ days: Double?) -> Double? {
    guard let days else { return nil }
    return [
      (20_000.0...80_000, spreadsheetZero), (700_000...800_000, 719_529),
      (2_430_000...2_490_000, 2_440_587.5),
    ].first { $0.0.contains(days) }?.1
  }
}

extension StringProtocol {
  /// Whether there is no byte but digits.
  var isOfDigits: Bool { utf8.allSatisfy { 0x30...0x39 ~= $0 } }
}
