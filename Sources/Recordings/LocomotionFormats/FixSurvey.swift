internal import Foundation
internal import LocomotionPositioning
internal import LocomotionRecordings
internal import LocomotionSensing

/// What the fixes of an input show as a whole, in constant memory.
///
/// That is whether they are in the order of time, which of their values no receiver measured, and
/// how far the positions are rounded.
struct FixSurvey {
  private(set) var count = 0
  /// Those with a position on Earth.
  private var possible = 0
  private var first: Timestamp?
  /// Those that are earlier than the one before.
  private(set) var descents = 0
  /// Times before it are 1,024 weeks early; nil where none are.
  private(set) var rolloverEnd: Timestamp?
  private var speeds = SpeedCheck()
  private var last: LocationFix?
  /// Whether the clock jumps by half a day, or a position stands still while the receiver may move;
  /// then all fixes are to be judged together.
  private(set) var hasDoubt = false
  /// The rows that repeat the position of the one before, and those of the latest position.
  private var repeats = (all: 0, latest: 0)
  /// The decimals of the degrees that have the most, and how often one of them changed.
  private var decimals = (most: 0, changes: 0)

  /// The period of the week number in the messages of GPS, 1,024 weeks in seconds.
  ///
  /// A receiver that does not count the periods is early by one (IS-GPS-200, 20.3.3.3.1.1).
  static let weeks = 619_315_200.0
  /// What a recorder may pause while its dates change by a period, seconds.
  private static let longestPause = 86_400.0

  init() {}

  init(_ fixes: [LocationFix]) {
    for fix in fixes { add(fix) }
  }

  /// A survey of the fixes in a tidy file, up to its first defect.
  init(path: String) {
    guard var reader = try? RecordingReader(path: path, leavingOutBadRows: true) else { return }
    var batch = SensorBatch()
    while (try? reader.read(into: &batch)) ?? false {
      for fix in batch.fixes { add(fix) }
    }
    for fix in batch.fixes { add(fix) }
  }

  /// The time of the first fix, and of the last.
  var ends: [Timestamp] { [first, last?.timestamp].compactMap { $0 } }

  /// The longest difference of the times of samples and fixes that may be a pause, seconds.
  private static let longestDifference = 31_557_600.0

  /// Throws where samples count from the start of a phone, and fixes are dated, or the other way
  /// around: then all times of the fixes are years away from a sample's.
  static func compareClocks(
    _ path: String, _ sample: Timestamp, _ fixes: [Timestamp]
  ) throws(RecordingError) {
    let differences = fixes.map { $0.seconds(since: sample) }
    guard let first = differences.first, differences.allSatisfy({ abs($0) > longestDifference })
    else { return }
    let years = String(format: "%.0f", abs(first) / longestDifference)
    throw .refused(
      path: path,
      reason:
        "its accelerations and fixes are of clocks that differ by \(first) s, \(years) years: "
        + "one counts since the phone's start, and nothing tells when that was")
  }

  /// The error where no fix has a position on Earth; nil where one has, or there is none.
  func impossible(in path: String) -> RecordingError? {
    guard count > 0, possible == 0, let last else { return nil }
    return last.looksExchanged
      ? .exchanged(last, in: path)
      : .nothingUsable(path: path, reason: "none of \(count) fixes has a position on Earth")
  }

  /// The share of fixes that are earlier than the one before, 0 to 1.
  var shareOfDescents: Double { Double(descents) / Double(max(1, count - 1)) }

  /// Whether the speeds contradict the positions, as those of a receiver do that always says 0.
  var ignoresSpeeds: Bool { !speeds.isConsistent }

  /// The decimals to which the positions are rounded, by an app or for privacy; nil where the steps
  /// are finer than any receiver's error, or too few to tell.
  var roundedDecimals: Int? {
    1...Self.mostDecimals ~= decimals.most && decimals.changes >= Self.fewestChanges
      ? decimals.most : nil
  }

  /// With more decimals a step is 1 m and less.
  private static let mostDecimals = 4
  private static let fewestChanges = 10

  /// Notes how many decimals a fix has, up to one more than counts.
  private mutating func addDecimals(of fix: LocationFix) {
    if let last {
      decimals.changes +=
        (fix.latitude != last.latitude ? 1 : 0) + (fix.longitude != last.longitude ? 1 : 0)
    }
    func isOnGrid(_ degrees: Double) -> Bool {
      let steps = degrees * Double.power(ofTen: decimals.most)
      return abs(steps - steps.rounded()) < 1e-6
    }
    while decimals.most <= Self.mostDecimals, !isOnGrid(fix.latitude) || !isOnGrid(fix.longitude) {
      decimals.most += 1
    }
  }

  mutating func add(_ fix: LocationFix) {
    defer { last = fix }
    count += 1
    if abs(fix.latitude) <= 90, abs(fix.longitude) <= 360 { possible += 1 }
    first = first ?? fix.timestamp
    addDecimals(of: fix)
    if let point = EarthCentredPoint(fix) { speeds.add(point, speed: fix.speed, at: fix.timestamp) }
    guard let last else { return }
    addRepeat(fix, after: last)
    let seconds = fix.timestamp.seconds(since: last.timestamp)
    if seconds < 0 { descents += 1 }
    if abs(seconds) >= FixScreening.longestJump { hasDoubt = true }
    if abs(abs(seconds) - Self.weeks) <= Self.longestPause {
      let half = Int64(Self.weeks / 2) * 1_000_000_000
      let end = max(fix.timestamp, last.timestamp).advanced(byNanoseconds: -half)
      rolloverEnd = max(rolloverEnd ?? end, end)
    }
  }

  /// Counts rows of one position: many of them, or some before a leap, are of a recorder that
  /// writes what it has.
  private mutating func addRepeat(_ fix: LocationFix, after last: LocationFix) {
    guard !fix.isAt(last) else {
      repeats.all += 1
      repeats.latest += 1
      return
    }
    if repeats.latest >= 5, last.distance(to: fix) > FixScreening.shortestLeap { hasDoubt = true }
    if count > 30, 2 * repeats.all > count { hasDoubt = true }
    repeats.latest = 0
  }
}

/// Corrects fixes in the order of time by what a survey of them showed, and keeps of several of one
/// time the best.
struct FixCorrection {
  private let ignoresSpeeds: Bool
  /// The decimals to which the positions are rounded, if that matters.
  private let decimals: Int?
  /// The latest fix, until one of a later time shows that there is no better one.
  private var held: LocationFix?
  private var counts: (duplicate: Int, sameTime: Int, speeds: Int, rounded: Int) = (0, 0, 0, 0)

  /// Corrects nothing but repeated times.
  init(_ survey: FixSurvey) {
    ignoresSpeeds = survey.ignoresSpeeds
    decimals = survey.roundedDecimals
  }

  /// Takes the next fix, and gives the one before it when that is complete.
  mutating func take(_ fix: LocationFix) -> LocationFix? {
    let fix = corrected(fix)
    guard let before = held, before.timestamp == fix.timestamp else {
      defer { held = fix }
      return held
    }
    if before == fix { counts.duplicate += 1 } else { counts.sameTime += 1 }
    if Self.error(of: fix) < Self.error(of: before) { held = fix }
    return nil
  }

  mutating func finish() -> LocationFix? {
    defer { held = nil }
    return held
  }

  /// Replaces `fixes` by those that are complete.
  mutating func apply(to fixes: inout [LocationFix]) {
    var count = 0
    for index in fixes.indices {
      // What is given came before what was taken, so that its place is free.
      guard let fix = take(fixes[index]) else { continue }
      fixes[count] = fix
      count += 1
    }
    fixes.removeLast(fixes.count - count)
  }

  /// Removes a speed that contradicts the positions, and adds the error of rounding to the
  /// accuracy.
  mutating func corrected(_ fix: LocationFix) -> LocationFix {
    var fix = fix
    if ignoresSpeeds, fix.speed != nil {
      counts.speeds += 1
      (fix.speed, fix.speedAccuracy) = (nil, nil)
    }
    if let decimals, let radius = Self.radius(of: fix, roundedTo: decimals) {
      counts.rounded += 1
      fix.horizontalAccuracy = radius
    }
    return fix
  }

  /// The accuracy of a rounded position; nil where rounding adds less than an unknown accuracy.
  ///
  /// Of an error that is even over a step of each axis the variance is step²/12; of two axes the
  /// radius of probability 0.68 is √(−2 ln 0.32) times the root of their mean variance.
  private static func radius(of fix: LocationFix, roundedTo decimals: Int) -> Double? {
    let step = WGS84.metresPerDegree(latitude: fix.latitude) / .power(ofTen: decimals)
    let squared = EarthCentredPoint.squaredRadius68 * (step * step).sum() / 24
    let least = fix.horizontalAccuracy ?? (squared > 100 ? 10 : nil)
    return least.map { ($0 * $0 + squared).squareRoot() }
  }

  /// The accuracy, by which one of two fixes is the better one.
  private static func error(of fix: LocationFix) -> Double {
    (fix.latitude + fix.longitude).isFinite ? fix.horizontalAccuracy ?? 1e9 : .infinity
  }

  /// The report of the fixes that were taken, with what was corrected.
  func report(_ report: ImportReport) -> ImportReport {
    var report = report
    report.drop(counts.duplicate, .duplicate)
    report.drop(counts.sameTime, .sameTime)
    if counts.rounded > 0, let decimals {
      report.notes.append(
        "positions are rounded to \(decimals) decimals of a degree: their accuracy is that of the "
          + "rounding, of \(counts.rounded) fixes")
    }
    if counts.speeds > 0 {
      report.notes.append(
        "the speeds are far below those of the positions: ignored, of \(counts.speeds) fixes")
    }
    return report
  }
}

extension LocationFix {
  /// Whether what is called a latitude is beyond a pole, and a longitude could be one.
  var looksExchanged: Bool { 90 < abs(latitude) && abs(latitude) <= 180 && abs(longitude) <= 90 }
}

extension RecordingError {
  /// The error for positions whose coordinates are exchanged.
  static func exchanged(_ fix: LocationFix, in path: String) -> RecordingError {
    .malformed(
      path: path, place: "positions", expected: "a latitude up to 90",
      found: "\(fix.latitude), \(fix.longitude): exchanged?")
  }
}

extension ImportReport {
  /// Counts fixes that were kept as dropped.
  mutating func drop(_ count: Int, _ reason: DropReason) {
    guard count > 0 else { return }
    fixes -= count
    dropped[reason, default: 0] += count
  }
}
