import Locomotion
import LocomotionFormats
import LocomotionJournal
import LocomotionRecordings
import LocomotionReport

/// What a reader of a report corrected in its page, as the page saves it.
struct Corrections {
  private let path: String
  /// Which recording the page is about.
  private let recording: String?
  /// Whose journal the page is about; nil for a recording.
  private let user: String?
  private let annotations: Annotations

  /// The longest file, bytes of text.
  private static let longest = 1 << 22

  /// Reads a file, or `bytes` in memory that errors call so.
  ///
  /// - Throws: ``RecordingError`` for what is no such file.
  init(path: String, _ bytes: ByteReader? = nil) throws {
    self.path = path
    var stream = JSONStream(try bytes ?? ByteReader(path: path))
    let value = try stream.value(limit: Self.longest)
    guard value["corrections"]?.number == 1, let edits = value["edits"]?.array else {
      throw RecordingError.refused(
        path: path, reason: "expected corrections as a report's page saves them")
    }
    recording = value["recording"]?.string
    user = value["user"]?.string
    annotations = Annotations((value["places"]?.array ?? []) + edits)
    let places = Dictionary(grouping: annotations.places) { $0.id }
    let wrong =
      annotations.unknown + annotations.edits.count { !$0.isCorrection }
      + annotations.edits.count { edit in edit.place.map { places[$0] == nil } ?? false }
      + annotations.places.count { abs($0.latitude) > 90 || abs($0.longitude) > 180 }
      + places.values.count { $0.count > 1 }
    guard wrong == 0 else {
      throw RecordingError.refused(
        path: path, reason: "\(wrong) of its corrections and places are none that a page makes")
    }
  }

  /// The corrections as the page of a corrected recording holds them.
  var value: PageValue {
    let places = annotations.places.map { place -> PageValue in
      .object([
        ("id", .number(place.id)), ("name", place.name.map { .text($0) }),
        ("lat", .number(place.latitude, 7)), ("lon", .number(place.longitude, 7)),
        ("radius", .number(place.radius, 1)),
      ])
    }
    let edits = annotations.edits.map { edit -> PageValue in
      .object([
        ("kind", .text(edit.kindName ?? "")), ("start", .time(edit.start)),
        ("end", .time(edit.end)), ("value", .text(edit.value)),
      ])
    }
    return .object([("places", .list(places)), ("edits", .list(edits))])
  }

  /// The timeline of a recording as corrected; what is about nothing in it is told.
  ///
  /// - Throws: ``RecordingError`` where the corrections are those of another recording.
  func applied(to items: [TimelineItem], of identity: String) throws -> [TimelineItem] {
    guard user == nil, recording == identity else {
      throw RecordingError.refused(
        path: path,
        reason: user.map { "the corrections are of the journal of '\($0)'" }
          ?? "the corrections are of another recording")
    }
    for edit in annotations.edits where !edit.isAbout(items) {
      StandardError.write(Self.unmatched(edit))
    }
    return TimelineEdits(annotations.edits, annotations.places).applied(to: items)
  }

  /// Stores the corrections in a journal, once; what is about nothing in it is left out.
  ///
  /// What it does is told to `tell`, with what stands in the corrections.
  ///
  /// - Throws: ``RecordingError`` where they are those of another user, or none is about anything.
  func store(in journal: UserJournal, tell: (String) -> Void) throws {
    guard user == nil || user == journal.name else {
      throw RecordingError.refused(
        path: path, reason: "the corrections are of the journal of '\(user ?? "")'")
    }
    // The places that the journal remembers for the stays that the edits are about.
    var remembered: [Int: Place] = [:]
    var edits = try annotations.edits.filter { edit in
      let items = try journal.dayItems(
        from: edit.start.advanced(byNanoseconds: -1), to: edit.end.advanced(byNanoseconds: 1))
      let isKnown = edit.isAbout(items)
      if !isKnown { tell(Self.unmatched(edit)) }
      if let id = edit.place, remembered[id] == nil {
        for case .stay(let stay) in items where edit.isAbout([.stay(stay)]) {
          remembered[id] = stay.place
        }
      }
      return isKnown
    }
    guard !edits.isEmpty || annotations.edits.isEmpty else {
      throw RecordingError.refused(
        path: path, reason: "the corrections are about nothing that is in the journal")
    }
    var places = annotations.places
    var named = 0
    for (index, place) in places.enumerated() {
      // A place that the journal remembers is renamed, and one of that name near by is the place.
      if let known = remembered[place.id] {
        let count = edits.count
        edits.removeAll { $0.place == place.id }
        guard known.name != place.name else { continue }
        try journal.renamePlace(known.id, to: place.name)
        named += count - edits.count
      } else if let same = try journal.places().first(where: { $0.isNamed(like: place) }) {
        places[index] = same
        places[index].id = place.id
      }
    }
    let added = try journal.restore(
      places.filter { place in edits.contains { $0.place == place.id } }, edits, areLatest: true)
    tell("corrections: \(added.edits + named) new of \(annotations.edits.count)\n")
  }

  private static func unmatched(_ edit: EditRecord) -> String {
    "corrections: \(edit.kindName ?? "") \(edit.value) from \(LineJSON.seconds(edit.start)) to "
      + "\(LineJSON.seconds(edit.end)) is about nothing that is there\n"
  }
}

extension Place {
  /// Whether two places have one name and are within the radius of either.
  fileprivate func isNamed(like other: Place) -> Bool {
    name == other.name && distance(to: other) <= max(radius, other.radius)
  }
}
