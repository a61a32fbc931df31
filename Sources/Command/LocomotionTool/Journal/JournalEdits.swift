import Foundation
internal import Locomotion
import LocomotionJournal
import LocomotionRecordings
import LocomotionTraining

extension Command {
  /// `journal edits`: one row for each.
  static func listEdits(_ user: UserJournal) throws {
    try CSVTable.print(try user.edits(), header: "id,start,end,change,value") { edit, line in
      let (change, value) = edit.change.fields
      line.add("\(edit.id)")
      line.add(nanoseconds: edit.start.nanoseconds)
      line.add(nanoseconds: edit.end.nanoseconds)
      line.add(change)
      line.add(CSVLine.quoted(value))
    }
  }

  static func undo(_ arguments: Arguments) throws {
    let user = try arguments.writing()
    let edits = try user.edits()
    let text = arguments.value("edit")
    let edit = text.map { text in edits.first { "\($0.id)" == text } } ?? edits.last
    guard let edit else { throw JournalError.unknownEdit }
    try user.removeEdit(edit)
  }

  static func merge(_ arguments: Arguments) throws {
    enum Kind: String, CaseIterable { case stay, trip }
    let user = try arguments.writing()
    let kind = try arguments.choice("as", default: Kind.stay)
    try user.mergeItems(
      asStay: kind == .stay, from: arguments.instant("start"), to: arguments.instant("end"))
  }

  static func split(_ arguments: Arguments) throws {
    try arguments.writing().splitItem(at: arguments.instant("at"))
  }

  static func move(_ arguments: Arguments) throws {
    try arguments.writing().moveEdge(
      from: arguments.instant("edge"), to: arguments.instant("at"))
  }

  /// `journal erase`: all of a user, a measurement, or an interval.
  static func erase(_ arguments: Arguments) throws {
    let times = try arguments.interval(arguments.calendar())
    let user = try arguments.writing()
    guard let text = arguments.value("measurement") else {
      guard let times else { return try eraseAll(of: user) }
      return try write(user.erase(from: times.lowerBound, to: times.upperBound))
    }
    guard times == nil else {
      throw UsageError("'journal erase' takes either '--measurement' or times")
    }
    let measurements = try user.measurements()
    guard let measurement = measurements.first(where: { "\($0.id)" == text }) else {
      throw JournalError.unknownMeasurement
    }
    try write(user.erase(measurement))
  }

  /// Prints which times and places an erasure took away.
  private static func write(_ report: ErasureReport) throws {
    var output = TextOutput.standard
    for time in report.times {
      let ends = [time.lowerBound, time.upperBound].map {
        Date(timeIntervalSince1970: $0.seconds).formatted(.iso8601)
      }
      try output.write("erased: \(ends[0]) to \(ends[1])\n")
    }
    for place in report.places {
      let name = place.name.map { " " + CSVLine.quoted($0) } ?? ""
      try output.write("erased: place \(place.id)\(name)\n")
    }
    try output.finish()
  }

  /// Erases a user, and tells what an archive may have of them.
  private static func eraseAll(of user: UserJournal) throws {
    let device = try user.device()
    let units = try user.units()
    try user.erase()
    guard !units.isEmpty else { return }
    let withdrawn = units.count { $0.state == .withdrawn }
    let part = withdrawn > 0 ? ", \(withdrawn) of which it was to delete" : ""
    StandardError.write(
      "locomotion: an archive may have \(units.count) units of \(user.name)\(part), which stay there: "
        + "'locomotion sync --withdraw-device DEVICE --to URL --token-file FILE' asks it to delete all "
        + "units of a device. This one was \(device); erasures have begun new ones, and URL/v1/days "
        + "tells all\n")
  }

  /// `journal totals`: one row for each activity of each day, week or month.
  static func writeTotals(_ arguments: Arguments) throws {
    var calendar = try arguments.calendar()
    // ISO 8601: weeks begin on Monday.
    calendar.firstWeekday = 2
    enum Period: String, CaseIterable { case day, week, month }
    let components: [Period: Calendar.Component] = [.week: .weekOfYear, .month: .month]
    let period = components[try arguments.choice("by", default: Period.day)] ?? .day
    let user = try arguments.upToDate()
    let span = try arguments.interval(of: user, calendar)
    let known = try user.daySpan().map { $0.start..<$0.end } ?? span
    let times = span.clamped(to: known)
    let all =
      times.isEmpty
      ? [] : try user.totals(by: period, from: times.lowerBound, to: times.upperBound, in: calendar)
    let header = "start,end,activity,duration,distance,steps"
    let rows = all.flatMap { totals in Self.rows(of: totals).map { (totals, $0) } }
    try CSVTable.print(rows, header: header) { row, line in
      let (totals, part) = row
      line.add(nanoseconds: totals.start.nanoseconds)
      line.add(nanoseconds: totals.end.nanoseconds)
      line.add(part.name)
      line.add(part.seconds, decimals: 0)
      line.add(part.distance, decimals: 0)
      line.add(part.steps, decimals: 0)
    }
  }

  private typealias TotalsRow = (name: String, seconds: Double, distance: Double?, steps: Double?)

  private static func rows(of totals: Totals) -> [TotalsRow] {
    var rows = totals.partsInOrder.compactMap { kind, part -> TotalsRow? in
      switch kind {
      case .stay: ("stay", part.seconds, nil, part.steps)
      case .travel(let activity):
        (activity?.name ?? "unknown", part.seconds, part.distance, part.steps)
      case .gap: nil
      }
    }
    // Parts of the rows above.
    for (custom, part) in totals.customTravel.sorted(by: { $0.key.name < $1.key.name }) {
      let whole = custom.behavesLike?.name ?? "unknown"
      rows.append(("\(whole)/\(custom.name)", part.seconds, part.distance, part.steps))
    }
    rows.append(("no data", totals.unknownSeconds, nil, nil))
    rows.append(("all", totals.seconds, totals.known.distance, totals.known.steps))
    return rows.filter { $0.seconds > 0 }
  }

  /// `journal learn`: writes the model that the user's corrections make of another one.
  static func runLearn(_ arguments: Arguments) throws {
    let out = try arguments.output(besidesJournalAt: arguments.required("store"))
    let never = try arguments.all("never").map { try Arguments.activity($0, of: "never") }
    guard let base = try arguments.model().limited(to: Set(Activity.allCases).subtracting(never))
    else { throw UsageError("'--never': two activities or more must remain") }
    let user = try arguments.writing()
    let outputs = OutputFiles.forCommand(inputs: arguments.all("model") + arguments.all("store"))
    let file = try outputs.open(out)
    let learned = try user.learnedModel(from: base)
    try file.write(learned.model.file)
    try outputs.commit()
    func errors(_ value: Double?) -> String { value.map { percent($0) } ?? "–" }
    let outcome =
      switch learned.outcome {
      case .learned: "learned"
      case .nothingStated: "there is no correction with accelerations: the model is the base"
      case .noMoments: "the base can't learn: train it anew with this version"
      case .noGain: "the base recognises the corrected stretches better: it stays"
      }
    try TextOutput.print(
      """
      \(outcome)
      corrected stretches: \(learned.stretches); contradicted by the others: \(learned.contradicted)
      their windows that are wrong: by the base \(errors(learned.baseError)), by what the other \
      stretches taught \(errors(learned.error))

      """)
  }
}

extension DayEdit.Change {
  /// The name of the change and its value, for the command line.
  fileprivate var fields: (name: String, value: String) {
    switch self {
    case .customActivity(let custom):
      ("activity", "\(custom.name)=\(custom.behavesLike?.name ?? "none")")
    case .extent(let activity, let custom):
      ("extent", custom?.name ?? activity?.name ?? "unknown")
    case .samePlace: ("same-place", words.value)
    default: words
    }
  }
}
