import Foundation
internal import Locomotion
import LocomotionAnalysis
import LocomotionFormats
import LocomotionJournal
import LocomotionRecordings

/// The accelerations, rotation rates and pressures of a recording, joined where their times are
/// equal.
///
/// Each sensor's samples stay in recording order, whatever their times; of the two next samples,
/// the earliest one comes first. The sensors are read side by side, on one snapshot of the journal:
/// memory is that of one block each, however far apart they were recorded.
private struct JoinedSamples {
  /// One instant; at least one sensor has a value.
  struct Row {
    var time: Timestamp
    var acceleration: [Double]?
    var rotationRate: [Double]?
    var pressure: Double?
  }

  /// One sensor's samples, with a buffer.
  private struct Side {
    typealias Series = (times: [Timestamp], axes: [[Double]])

    let user: UserJournal
    var batches: Range<Int>
    let series: (JournalBatch) -> Series
    var held: Series = ([], [])
    var index = 0

    mutating func time() throws(JournalError) -> Timestamp? {
      while index == held.times.count, let batch = batches.first {
        held = series(try user.batch(batch))
        batches = batches.dropFirst()
        index = 0
      }
      return index < held.times.count ? held.times[index] : nil
    }

    mutating func take() -> [Double] {
      defer { index += 1 }
      return held.axes.map { $0[index] }
    }
  }

  private var accelerations: Side
  private var rotationRates: Side
  private var pressures: Side

  init(of user: UserJournal) throws(JournalError) {
    let batches = try user.batches()
    func side(_ path: KeyPath<JournalBatch, SampleSeries>) -> Side {
      Side(user: user, batches: batches) { batch in
        let series = batch[keyPath: path]
        return (series.timestamps, [series.x, series.y, series.z])
      }
    }
    (accelerations, rotationRates) = (side(\.accelerations), side(\.rotationRates))
    pressures = Side(user: user, batches: batches) { batch in
      (batch.pressures.timestamps, [batch.pressures.hectopascals.map { Double($0) }])
    }
  }

  /// Whether there is any pressure from here on.
  mutating func hasPressures() throws(JournalError) -> Bool {
    try pressures.time() != nil
  }

  /// The next row; nil at the end.
  mutating func next() throws(JournalError) -> Row? {
    let times = (try accelerations.time(), try rotationRates.time(), try pressures.time())
    guard let time = [times.0, times.1, times.2].compactMap({ $0 }).min() else { return nil }
    var row = Row(time: time)
    if times.0 == time { row.acceleration = accelerations.take() }
    if times.1 == time { row.rotationRate = rotationRates.take() }
    if times.2 == time { row.pressure = pressures.take()[0] }
    return row
  }
}

/// The output of `journal export`.
struct JournalExport: ~Copyable {
  private let user: UserJournal
  private let counts: JournalCounts
  private let times: Range<Timestamp>?
  private var output = TextOutput.standard
  /// Whether a line was written.
  private var isBegun = false
  /// The number of rows or fixes in a line.
  private static let length = 1_000

  /// An export of all times, or of the interval `times`.
  init(of user: UserJournal, times: Range<Timestamp>?) throws {
    self.user = user
    self.times = times
    counts = try user.counts()
  }

  /// Writes `t,ax,ay,az`, followed by `gx,gy,gz` when there are rotation rates and by `pressure`
  /// when there are pressures.
  mutating func writeCSV() throws {
    let dropped = try user.droppedSamples()
    if !dropped.isEmpty {
      StandardError.write(
        "locomotion: \(dropped.samples) samples and \(dropped.rotationRates) rotation rates are in "
          + "the archive only, and not in this export\n")
    }
    let hasRates = counts.rotationRates > 0
    var rows = try JoinedSamples(of: user)
    let hasPressures = try rows.hasPressures()
    try output.write(
      "t,ax,ay,az\(hasRates ? ",gx,gy,gz" : "")\(hasPressures ? ",pressure" : "")\n")
    var line = CSVLine()
    let none: [Double] = [.nan, .nan, .nan]
    while let row = try rows.next() {
      guard times?.contains(row.time) ?? true else { continue }
      line.removeAll()
      line.add(nanoseconds: row.time.nanoseconds)
      for value in (row.acceleration ?? none) + (hasRates ? row.rotationRate ?? none : []) {
        line.add(value.isNaN ? nil : "\(value)")
      }
      if hasPressures {
        line.add(row.pressure.flatMap { $0.isNaN ? nil : "\(Float($0))" })
      }
      try output.write(line)
    }
    try output.finish()
  }

  /// Writes lines in the format that `record` reads, and places and edits in lines that it passes
  /// over and `journal import` takes.
  mutating func writeLines() throws {
    var rows = try JoinedSamples(of: user)
    var held: [JoinedSamples.Row] = []
    while let row = try rows.next() {
      guard times?.contains(row.time) ?? true else { continue }
      held.append(row)
      if held.count == Self.length {
        try write(held)
        held = []
      }
    }
    try write(held)
    for start in stride(from: 0, to: counts.fixes, by: Self.length) {
      let end = min(start + Self.length, counts.fixes)
      let fixes = try user.fixes(in: start..<end)
        .filter { times?.contains($0.timestamp) ?? true }
      if !fixes.isEmpty { try writeMembers([LineJSON.fixes(fixes)]) }
    }
    try writeAnnotations()
    try output.finish()
  }

  /// Writes the places and edits, of an interval its own alone: edits of its time, and the places
  /// of its stays.
  private mutating func writeAnnotations() throws {
    var (places, edits) = try user.annotations()
    if let times {
      try user.updateDays()
      let stays = try user.dayItems(from: times.lowerBound, to: times.upperBound)
        .compactMap { if case .stay(let stay) = $0 { stay.place?.id } else { nil } }
      places.removeAll { !stays.contains($0.id) }
      edits.removeAll { edit in
        edit.start >= times.upperBound || edit.end <= times.lowerBound
          || edit.kindName == "samePlace"
      }
    }
    for place in places { try writeMembers([Annotations.member(place)]) }
    for edit in edits { try writeMembers([Annotations.member(edit)]) }
  }

  /// Writes a line; the first one says that a journal has exported it.
  private mutating func writeMembers(_ members: [String]) throws {
    try output.write(LineJSON.line((isBegun ? [] : ["\"journal\":1"]) + members))
    isBegun = true
  }

  /// Writes the leading rows with accelerations and rotation rates in one line, all others in two,
  /// one per sensor, and the pressures in one more: a line for each row would make each a
  /// transaction.
  private mutating func write(_ rows: [JoinedSamples.Row]) throws {
    let isWhole = { (row: JoinedSamples.Row) in
      row.acceleration != nil && row.rotationRate != nil
    }
    let common = rows.prefix(while: isWhole)
    let rest = rows[common.endIndex...]
    try writeLine(
      common.map { ($0.time, ($0.acceleration ?? []) + ($0.rotationRate ?? [])) },
      SensorNames.accelerations + SensorNames.rotationRates)
    try writeLine(
      rest.compactMap { row in row.acceleration.map { (row.time, $0) } }, SensorNames.accelerations)
    try writeLine(
      rest.compactMap { row in row.rotationRate.map { (row.time, $0) } }, SensorNames.rotationRates)
    try writeLine(
      rows.compactMap { row in row.pressure.map { (row.time, [$0]) } }, [SensorNames.pressures])
  }

  private mutating func writeLine(
    _ samples: [(time: Timestamp, values: [Double])], _ names: [String]
  ) throws {
    guard !samples.isEmpty else { return }
    let columns = names.indices.map { column in samples.map { $0.values[column] } }
    try writeMembers(LineJSON.samples(samples.map(\.time), names, columns))
  }

  /// Writes the corrections as `labels.csv` of a data set whose recording has the user's name.
  func writeLabels(name: String) throws {
    // It is a file name and a field at once.
    let recording = String(name.map { $0.isLetter || $0.isNumber || "-_".contains($0) ? $0 : "_" })
    let corrections = try user.corrections()
      .filter { times?.overlaps($0.start..<$0.end) ?? true }
    let header = "recording,subject,start,end,label"
    try CSVTable.print(corrections, header: header) { correction, line in
      line.add(recording)
      line.add(recording)
      line.add(nanoseconds: correction.start.nanoseconds)
      line.add(nanoseconds: correction.end.nanoseconds)
      line.add(correction.activity.name)
    }
  }
}

extension Command {
  /// Writes a user's trips as tracks, one per leg, named after its start and activity.
  static func exportTracks(as format: TrackExporter.Format, _ arguments: Arguments) throws {
    let store = try arguments.required("store")
    let path = try arguments.output(besidesJournalAt: store)
    let calendar = try arguments.calendar()
    let outputs = OutputFiles.forCommand(inputs: [store])
    var exporter = try TrackExporter(format, to: outputs.open(path))
    let user = try arguments.upToDate()
    try write(user, arguments.interval(of: user, calendar), calendar, to: &exporter)
    try exporter.finish()
    try outputs.commit()
  }

  /// Writes the trips of an interval as tracks, named after their start in the calendar's time zone
  /// and their activity.
  static func write(
    _ user: UserJournal, _ times: Range<Timestamp>, _ calendar: Calendar,
    to exporter: inout TrackExporter
  ) throws {
    let minutes = DateFormatter("yyyy-MM-dd HH:mm", calendar)
    let items = try user.dayItems(from: times.lowerBound, to: times.upperBound)
    for track in try user.tracks(of: items) {
      let start = minutes.string(from: Date(track.leg.start))
      let activity = track.leg.name ?? "unknown"
      try exporter.write(
        ActivityTrack(
          name: "\(start) \(activity)", activity: track.leg.activity, points: track.points))
    }
  }
}
