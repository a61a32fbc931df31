public import Foundation
import Locomotion
import LocomotionJournal
import LocomotionRecordings
package import LocomotionReport

extension Command {
  static func runDay(_ arguments: Arguments) throws {
    let calendar = try arguments.calendar()
    let user = try arguments.upToDate()
    let day = try CivilDay(arguments, "date", try user.daySpan()?.end, calendar)
    let locale = try arguments.locale()
    let items = try user.dayItems(from: day.start, to: day.end)
    // As an archive keeps it.
    if arguments.has("storyline") { return try TextOutput.print(Day(day, items).json + "\n") }
    var analysis = AnalysisResult(name: user.name, samples: [], items: items.asOfNow)
    if locale.map != nil {
      analysis = try self.analysis(of: day, of: user, user.name, model: try arguments.model())
      analysis.locale.map = locale.map
      try analysis.consultMap()
    }
    let story = Day(day, analysis.items)
    if arguments.has("json") {
      return try TextOutput.print(TimelineDocument(analysis).json + "\n")
    }
    let doubt = try user.doubtfulLeg(from: day.start, to: day.end)
    try TextOutput.print(story.text(locale) + (doubt.map { story.text(of: $0, locale) } ?? ""))
  }

  static func runCorrect(_ arguments: Arguments) throws {
    if let path = arguments.value("file") {
      guard ["start", "end", "activity", "purpose"].allSatisfy({ !arguments.has($0) }) else {
        throw UsageError("'journal correct --file' takes no times and nothing to say of them")
      }
      return try Corrections(path: path).store(in: arguments.upToDate()) { StandardError.write($0) }
    }
    let start = try arguments.instant("start")
    let end = try arguments.instant("end")
    let purpose = arguments.value("purpose")
    let activity = try arguments.value("activity").map(Arguments.statedActivity)
    guard activity != nil || purpose != nil else {
      throw UsageError("'journal correct' needs '--activity' or '--purpose'")
    }
    let user = try arguments.writing()
    switch activity {
    case .activity(let activity): try user.correctActivity(to: activity, from: start, to: end)
    case .customActivity(let custom): try user.correctActivity(to: custom, from: start, to: end)
    default: break
    }
    if let purpose { try user.setPurpose(purpose, from: start, to: end) }
  }

  /// The time zone, the clock, the units and the towns in options of `analyze`.
  package static func locale(of options: [String]) throws -> ReportLocale {
    try Arguments(options + ["recording"], for: .analyze, of: "locomotion").locale()
  }
}

extension [TimelineItem] {
  /// The time after which nothing is expected to come for the end of a recording, seconds.
  private static var longestDelay: Double { 2 * 86_400 }

  /// The items; what may still change is what ended in the last two days.
  var asOfNow: [TimelineItem] {
    let now = Date().timeIntervalSince1970
    return map { item in
      var item = item
      if now - item.end.seconds > Self.longestDelay { item.isPartial = false }
      return item
    }
  }
}

extension CivilDay {
  /// The day given by an option, or that of the last instant before `last`, or of now.
  init(_ arguments: Arguments, _ option: String, _ last: Timestamp?, _ calendar: Calendar) throws {
    guard let text = arguments.value(option) else {
      let end = (last ?? Timestamp(Date()))?.advanced(byNanoseconds: -1_000_000)
      guard let day = end.flatMap({ CivilDay(holding: $0, calendar) }) else {
        throw UsageError("'--\(option)': a day beyond the reach of the clock")
      }
      self = day
      return
    }
    guard let day = CivilDay(text, calendar) else {
      throw UsageError("'--\(option) \(text)': expected a day as YYYY-MM-DD")
    }
    self = day
  }
}

extension Arguments {
  /// The calendar of the time zone given by an option.
  @_spi(Server) public func calendar() throws -> Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try timeZone()
    return calendar
  }

  /// The time zone given by an option, or the system's.
  func timeZone() throws -> TimeZone {
    guard let name = value("time-zone") else { return TimeZone.current }
    guard let zone = TimeZone(identifier: name) else {
      throw UsageError("'--time-zone \(name)': expected a time zone such as Europe/Berlin")
    }
    return zone
  }

  /// The time zone, the clock, the units and the towns given by options, or the system's zone, 24
  /// hours, metric units and none.
  func locale() throws -> ReportLocale {
    var locale = ReportLocale(
      timeZone: try timeZone(), hours: try choice("clock", default: .twentyFour),
      units: try choice("units", default: .metric))
    locale.towns = try towns()
    locale.map = try map()
    return locale
  }

  /// The towns of the list given by an option; nil without it.
  private func towns() throws -> ReportTowns? {
    guard let path = value("towns") else { return nil }
    let list = try content("towns") ?? Data()
    do {
      return try ReportTowns(list: Array(list))
    } catch {
      throw RecordingError.refused(
        path: path,
        reason: "line \(error.line): expected a town's name, latitude, longitude and population "
          + "between tabulators")
    }
  }

  static func activity(_ name: String, of option: String) throws -> Activity {
    guard let activity = Activity(name: name) else {
      let names = Activity.allCases.map(\.name).joined(separator: ", ")
      throw UsageError("'--\(option) \(name)': expected one of \(names)")
    }
    return activity
  }

  /// What `--activity` of a correction says: one of the six, or `NAME=ACTIVITY` for another one.
  fileprivate static func statedActivity(_ text: String) throws -> DayEdit.Change {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return .activity(try activity(text, of: "activity")) }
    return .customActivity(
      try customActivity(String(parts[0]), like: String(parts[1]), of: "activity"))
  }

  /// The activity called `name` that behaves like another one or `none`, as an option has it.
  static func customActivity(
    _ name: String, like parent: String, of option: String
  ) throws -> CustomActivity {
    let activity = parent == "none" ? nil : try self.activity(parent, of: option)
    guard let custom = CustomActivity(name: name, behavesLike: activity) else {
      throw UsageError(
        "'--\(option) \(name)': expected a name of 1 to 32 letters a-z, digits, '-' and '_', that "
          + "begins with a letter and is none of the six activities")
    }
    return custom
  }

  /// The file that `--out` names, which is none of the journal's own.
  func output(besidesJournalAt store: String) throws -> String {
    let path = try required("out")
    guard !Journal.isFile(path, ofJournalAt: store) else {
      throw UsageError("'--out \(path)': expected another file than those of the journal")
    }
    return path
  }

  /// A required option's value as an instant: seconds, or `20261121T080500Z`.
  func instant(_ name: String) throws -> Timestamp {
    let text = try required(name)
    if let seconds = Double(text), let instant = Timestamp(seconds: seconds) { return instant }
    let formatter = DateFormatter(DateFormatter.stamp, Calendar(identifier: .gregorian))
    if let date = formatter.date(from: text),
      let instant = Timestamp(seconds: date.timeIntervalSince1970)
    {
      return instant
    }
    throw UsageError("'--\(name) \(text)': expected seconds or a time as 20261121T080500Z")
  }

  /// The interval given by `--date`, or by `--from` and `--to`; nil without any of them.
  ///
  /// A day after `--to` belongs to the interval, an instant does not.
  func interval(_ calendar: Calendar) throws -> Range<Timestamp>? {
    guard has("from") || has("to") else {
      guard has("date") else { return nil }
      let day = try CivilDay(self, "date", nil, calendar)
      return day.start..<day.end
    }
    guard !has("date") else { throw UsageError("expected either '--date' or '--from' and '--to'") }
    let limit = Timestamp.limit
    var start = Timestamp(nanoseconds: -limit)
    if has("from") { start = try bound("from", calendar) { $0.start } }
    var end = Timestamp(nanoseconds: limit)
    if has("to") { end = try bound("to", calendar) { $0.end } }
    guard start < end else {
      throw UsageError("'--to \(value("to") ?? "")': expected an end after '--from'")
    }
    return start..<end
  }

  /// The interval as ``interval(_:)`` has it, or else all of the user's days.
  func interval(of user: UserJournal, _ calendar: Calendar) throws -> Range<Timestamp> {
    guard let span = try user.daySpan() else {
      throw RecordingError.nothingUsable(
        path: try required("store"), reason: "\(user.name) has no data")
    }
    return try interval(calendar) ?? span.start..<span.end
  }

  /// An option's value as a day, of which `edge` is taken, or as an instant.
  private func bound(
    _ option: String, _ calendar: Calendar, _ edge: (CivilDay) -> Timestamp
  ) throws -> Timestamp {
    let isDay = value(option)?.wholeMatch(of: /\d+-\d+-\d+/) != nil
    return isDay ? edge(try CivilDay(self, option, nil, calendar)) : try instant(option)
  }
}

extension Day {
  /// The items and legs in the words of the report.
  func text(_ locale: ReportLocale) -> String {
    guard !items.isEmpty else { return "\(date.date("-")): nothing is recorded\n" }
    var analysis = AnalysisResult(name: "", samples: [], items: items)
    analysis.locale = locale
    return date.date("-") + "\n" + TextSummary(itemsOf: analysis).text
  }

  /// A line that asks what a leg was.
  func text(of doubt: LegQuestion, _ locale: ReportLocale) -> String {
    let clock = ReportClock(start: date.start, end: date.end, locale: locale)
    return "In doubt: \(clock.time(doubt.start))–\(clock.end(doubt.end)), \(doubt.text)\n"
  }
}

extension LegQuestion {
  /// The answers, the likeliest first, such as "cycling or automotive?".
  var text: String { answers.map(\.activity.name).joined(separator: " or ") + "?" }
}
