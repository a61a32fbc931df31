import Locomotion
import LocomotionFormats
import LocomotionJournal
import LocomotionRecordings
import LocomotionSensing

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

  /// Reads a file.
  ///
  /// - Throws: ``RecordingError`` for what is no such file.
  init(path: String) throws {
    self.path = path
    var stream = JSONStream(try ByteReader(path: path))
    let value = try stream.value(limit: Self.longest)
    guard value["corrections"]?.number == 1, let edits = value["edits"]?.array else {
      throw RecordingError.refused(
        path: path, reason: "expected corrections as a report's page saves them")
    }
    recording = value["recording"]?.string
    user = value["user"]?.string
    annotations = Annotations((value["places"]?.array ?? []) + edits)
    guard annotations.unknown == 0 else {
      throw RecordingError.refused(
        path: path, reason: "\(annotations.unknown) of its corrections are of no known kind")
    }
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
    for edit in annotations.edits where !edit.isAbout(items) { Self.tellUnmatched(edit) }
    return TimelineEdits(annotations.edits, annotations.places).applied(to: items)
  }

  /// Stores the corrections in a journal, once; what is about nothing in it is told and left out.
  ///
  /// - Throws: ``RecordingError`` where they are those of another user, or none is about anything.
  func store(in journal: UserJournal) throws {
    guard user == nil || user == journal.name else {
      throw RecordingError.refused(
        path: path, reason: "the corrections are of the journal of '\(user ?? "")'")
    }
    let edits = try annotations.edits.filter { edit in
      let items = try journal.dayItems(
        from: edit.start.advanced(byNanoseconds: -1), to: edit.end.advanced(byNanoseconds: 1))
      if !edit.isAbout(items) { Self.tellUnmatched(edit) }
      return edit.isAbout(items)
    }
    guard !edits.isEmpty || annotations.edits.isEmpty else {
      throw RecordingError.refused(
        path: path, reason: "the corrections are about nothing that is in the journal")
    }
    let added = try journal.restore(annotations.places, edits)
    StandardError.write("corrections: \(added.edits) new of \(annotations.edits.count)\n")
  }

  private static func tellUnmatched(_ edit: EditRecord) {
    StandardError.write(
      "corrections: \(edit.kindName ?? "") \(edit.value) from \(LineJSON.seconds(edit.start)) to "
        + "\(LineJSON.seconds(edit.end)) is about nothing that is there\n")
  }
}
