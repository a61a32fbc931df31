import Locomotion
import LocomotionFormats
import LocomotionJournal
import LocomotionRecordings
import LocomotionReport

extension Command {
  /// `journal import`: any input that `analyze` reads goes into the journal, once.
  static func runImport(_ arguments: Arguments) throws {
    let user = try arguments.making()
    var output = TextOutput.standard
    var refused = 0
    var known = try user.recordedTimes()
    let pauses = try user.statements().filter { $0.kind == .unrecorded }.map(\.start).sorted()
    var recordings = Dictionary(grouping: known.fixes) { time in
      pauses.partitioningIndex { $0 >= time }
    }.map(\.value)
    for path in arguments.operands {
      var file = FileImport(into: known)
      defer { known.add(file.own) }
      do {
        recordings += try file.read(arguments.source(path), into: user)
        try output.write("\(path): \(file.words)\n")
      } catch let error as RecordingError where error.isInputRejection {
        // The others go in.
        StandardError.write("locomotion: \(error)\n")
        refused += 1
      }
    }
    try output.finish()
    let silences = try RecordedSpan.pauses(between: recordings, user.statements()) {
      (one, other) throws(JournalError) in
      let ends = try [one, other].map { (time) throws(JournalError) in
        try user.fixes(from: time, to: time.advanced(byNanoseconds: 1)).first
      }
      return RecordedSpan.isOnePlace(ends[0], ends[1])
    }
    try user.addStatements(
      silences.filter { pause in
        // A phone that lies somewhere has no fixes, and records.
        [pause.start, pause.end].allSatisfy { $0.isPlausible && !known.hasSamples(at: $0) }
      })
    guard refused == 0 else {
      throw RecordingError.refused(
        path: try arguments.required("store"),
        reason: "\(refused) of \(arguments.operands.count) inputs were not imported")
    }
  }
}

/// One input on its way into a journal.
private struct FileImport {
  private let known: RecordedTimes
  /// The times of what was taken.
  private(set) var own = RecordedTimes()
  private(set) var samples = 0
  private(set) var fixes = 0
  private var statements = 0
  private var restored = (places: 0, edits: 0)
  private var repeated = 0
  private var unknown = 0
  private var impossible = 0

  init(into known: RecordedTimes) {
    self.known = known
  }

  var words: String {
    let added = [
      (statements, "statement"), (restored.places, "place"), (restored.edits, "edit"),
    ]
    var words = "\(samples) samples, \(fixes) fixes"
    for (count, name) in added where count > 0 {
      words += ", \(ReportFormatting.plural(count, name))"
    }
    if samples + fixes == 0, repeated > 0 {
      words += "; an outing that the journal has already"
    } else if repeated > 0 {
      words += "; \(repeated) of a time that the journal has already"
    }
    if impossible > 0 { words += "; \(impossible) with an impossible time" }
    if unknown > 0 { words += "; \(unknown) edits of a kind that is not known" }
    return words
  }

  /// Takes in a file.
  ///
  /// - Returns: The times of the fixes of each of its recordings.
  mutating func read(
    _ source: RecordingSource, into user: UserJournal
  ) throws -> [[Timestamp]] {
    if source.format == .ndjson, source.path != "-", try readExport(source, into: user) {
      return []
    }
    var batch = SensorBatch()
    if let held = try source.held() {
      var recordings: [[Timestamp]] = []
      for var part in held.parts {
        var times: [Timestamp] = []
        while try part.read(into: &batch) {
          try append(batch, to: user)
          times += batch.fixes.map(\.timestamp)
        }
        recordings.append(times)
      }
      statements = try user.addStatements(
        held.report.statements.filter {
          $0.start.isPlausible && $0.end.isPlausible && $0.kind != .unrecorded
        })
      try restore(Annotations(held.report.annotations), to: user)
      return recordings
    }
    var reader = try source.reader()
    while try reader.read(into: &batch) { try append(batch, to: user) }
    return []
  }

  /// Takes what a journal has exported as it stands; false for an input of another kind.
  private mutating func readExport(
    _ source: RecordingSource, into user: UserJournal
  ) throws -> Bool {
    var isExport = false
    var failure: (any Error)?
    var copy = self
    let report = try source.importEvents { event in
      switch event {
      case .recording(let recording): isExport = recording.isOfJournal
      case .batch(let batch) where isExport && failure == nil:
        do { try copy.append(batch, to: user) } catch { failure = error }
      default: break
      }
    }
    if let failure { throw failure }
    guard isExport else { return false }
    self = copy
    try restore(Annotations(report.annotations), to: user)
    return true
  }

  private mutating func restore(_ annotations: Annotations, to user: UserJournal) throws {
    restored = try user.restore(annotations.places, annotations.edits)
    unknown = annotations.unknown
  }

  private mutating func append(_ batch: SensorBatch, to user: UserJournal) throws {
    var batch = batch
    let count = batch.accelerations.count + batch.fixes.count
    batch.fixes.removeAll { known.hasFix(at: $0.timestamp) }
    var journalBatch = JournalBatch(batch)
    let times = batch.accelerations.timestamps
    if known.hasSamples(at: times.first) || known.hasSamples(at: times.last) {
      let new = journalBatch.filtered { !known.hasSamples(at: $0) }
      journalBatch.accelerations = new.accelerations
      journalBatch.rotationRates = new.rotationRates
      journalBatch.pressures = new.pressures
    }
    samples += journalBatch.accelerations.count
    fixes += batch.fixes.count
    own.add(
      samples: journalBatch.accelerations.timestamps, fixes: batch.fixes.map(\.timestamp))
    repeated += count - journalBatch.accelerations.count - batch.fixes.count
    impossible += journalBatch.removeImplausibleTimes()
    if !journalBatch.isEmpty { try user.append(journalBatch) }
  }
}

/// The places, edits and statements of a user as lines of an export.
struct Annotations {
  private(set) var places: [Place] = []
  private(set) var edits: [EditRecord] = []
  /// The number of those that are none.
  private(set) var unknown = 0

  /// What stands in the lines of an export.
  init(_ values: [JSONValue]) {
    for value in values {
      if let place = Self.place(value) {
        places.append(place)
      } else if let edit = Self.edit(value) {
        edits.append(edit)
      } else {
        unknown += 1
      }
    }
  }

  static func member(_ place: Place) -> String {
    var members = [
      "\"id\":\(place.id)", "\"lat\":\(place.latitude)", "\"lon\":\(place.longitude)",
      "\"radius\":\(place.radius)", "\"learned\":\(place.isLearned)",
    ]
    if let name = place.name { members.append("\"name\":\(JSONText.compact(name))") }
    return "\"place\":{\(members.joined(separator: ","))}"
  }

  static func member(_ edit: EditRecord) -> String {
    let members = [
      "\"kind\":\(JSONText.compact(edit.kindName ?? ""))",
      "\"start\":\(LineJSON.seconds(edit.start))", "\"end\":\(LineJSON.seconds(edit.end))",
      "\"value\":\(JSONText.compact(edit.value))",
    ]
    return "\"edit\":{\(members.joined(separator: ","))}"
  }

  private static func place(_ value: JSONValue) -> Place? {
    guard let id = value["id"]?.number.flatMap({ Int(exactly: $0) }),
      let latitude = value["lat"]?.number, let longitude = value["lon"]?.number,
      let radius = value["radius"]?.number
    else { return nil }
    return Place(
      id: id, name: value["name"]?.string, latitude: latitude, longitude: longitude,
      radius: radius, isLearned: value["learned"]?.isTrue ?? false)
  }

  private static func edit(_ value: JSONValue) -> EditRecord? {
    guard let kind = value["kind"]?.string, let start = value["start"]?.time,
      let end = value["end"]?.time, let text = value["value"]?.string
    else { return nil }
    return EditRecord(kind, from: start, to: end, value: text)
  }
}
