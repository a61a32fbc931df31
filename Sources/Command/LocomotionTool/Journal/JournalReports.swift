import Foundation
import Locomotion
import LocomotionAnalysis
import LocomotionFormats
public import LocomotionJournal
import LocomotionRecordings
import LocomotionReport

extension Command {
  /// Writes a page about one day, or about several with '--from' and '--to'.
  static func runReport(_ arguments: Arguments) throws {
    let (store, name) = (try arguments.required("store"), try arguments.required("user"))
    let path = try arguments.output(besidesJournalAt: store)
    let tiles = try arguments.tiles()
    let calendar = try arguments.calendar()
    let locale = try arguments.locale()
    let period = try arguments.period(calendar)
    let outputs = OutputFiles.forCommand(inputs: [store])
    let file = try outputs.open(path)
    let model = try arguments.model()
    let user = try arguments.upToDate(model)
    let html: String
    if let period {
      html = try report(on: period, of: user, name, locale, tiles, model).document.html
    } else {
      let day = try CivilDay(arguments, "date", try user.daySpan()?.end, calendar)
      var analysis = try analysis(of: day, of: user, name, model: model)
      analysis.locale = locale
      try analysis.consultMap()
      html = PageDocument(analysis, tiles: tiles).html
    }
    try file.write(html)
    try outputs.commit()
    StandardError.write("report: \(path)\n")
  }

  /// A day of the journal with its seconds.
  static func analysis(
    of day: CivilDay, of user: UserJournal, _ name: String, model: ActivityModel = .default
  ) throws -> AnalysisResult {
    let items = try user.dayItems(from: day.start, to: day.end).asOfNow
    let found = try user.daySamples(from: day.start, to: day.end, model: model)
    var analysis = AnalysisResult(name: name, samples: found.samples, items: items)
    analysis.correct(to: items)
    analysis.doubt = try user.doubtfulLeg(from: day.start, to: day.end)
      .map { ($0.start, $0.text) }
    analysis.diagnostics = found.diagnostics.figures
    analysis.locale.timeZone = day.calendar.timeZone
    analysis.user = name
    return analysis
  }

  private static func report(
    on period: [CivilDay], of user: UserJournal, _ name: String, _ locale: ReportLocale,
    _ tiles: ReportTiles?, _ model: ActivityModel
  ) throws -> PeriodReport {
    var report = PeriodReport(name: name, locale: locale, tiles: tiles)
    let span = try user.daySpan()
    for day in period {
      // A day without data is not looked for in the whole recording.
      let isRecorded = span.map { $0.start < day.end && day.start < $0.end } ?? false
      var analysis =
        isRecorded
        ? try analysis(of: day, of: user, name, model: model)
        : AnalysisResult(name: name, samples: [], items: [])
      analysis.locale.map = locale.map
      try analysis.consultMap()
      report.add(analysis, key: day.date(), from: day.start, to: day.end)
    }
    return report
  }
}

extension Arguments {
  /// The longest period of a report, days.
  private static let longestPeriod = 366

  /// The days from '--from' to '--to', both included; nil without either.
  fileprivate func period(_ calendar: Calendar) throws -> [CivilDay]? {
    guard has("from") || has("to") else { return nil }
    guard has("from"), has("to"), let times = try interval(calendar) else {
      throw UsageError("'journal report' needs '--from' and '--to', or neither")
    }
    var days: [CivilDay] = []
    var next = CivilDay(holding: times.lowerBound, calendar)
    while let day = next, day.start < times.upperBound {
      guard days.count < Self.longestPeriod else {
        throw UsageError("'--to': expected at most \(Self.longestPeriod) days")
      }
      days.append(day)
      next = day.next
    }
    return days
  }
}

/// What the server's package shows of a journal, and takes for it.
@_spi(Server) public enum JournalPages {
  /// The page about a day, as `journal report` writes it, and its content security policy;
  /// corrections are posted from it with `pageToken`, if there is one.
  public static func page(
    about day: CivilDay, of user: UserJournal, pageToken: String? = nil
  ) throws -> (html: String, policy: String) {
    var document = PageDocument(try Command.analysis(of: day, of: user, user.name))
    document.pageToken = pageToken
    return (document.html, document.policy)
  }

  /// Stores the corrections that a page has posted, once.
  ///
  /// - Throws: ``RecordingError`` for what is no such text, or about nothing in the journal.
  public static func store(corrections: [UInt8], in user: UserJournal) throws {
    try user.updateDays()
    let bytes = ByteReader(bytes: corrections, name: "corrections")
    try Corrections(path: "corrections", bytes).store(in: user) { _ in }
  }

  /// Writes all trips of a user as tracks in GeoJSON, with times in UTC.
  public static func writeTracks(of name: String, in journal: Journal, to path: String) throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let outputs = OutputFiles()
    var exporter = try TrackExporter(.geojson, to: outputs.open(path))
    let user = try journal.existing(name)
    if let span = try user.daySpan() {
      try Command.write(user, span.start..<span.end, calendar, to: &exporter)
    }
    try exporter.finish()
    try outputs.commit()
  }
}
