internal import LocomotionRecordings
internal import LocomotionSensing

/// Reads a file of tracks.
class TrackReader {
  let sink: ImportSink
  let recording: ImportedRecording
  let label: TrackLabel
  let path: String
  /// The stretches of the track that the file tells apart.
  final var spans = TrackSpans()
  /// Whether the recording has begun.
  final var hasBegun = false

  required init(
    _ sink: ImportSink, _ recording: ImportedRecording, _ label: TrackLabel, path: String
  ) {
    self.sink = sink
    self.recording = recording
    self.label = label
    self.path = path
  }

  /// Reads all of a file.
  func read(_ bytes: ByteReader) throws(RecordingError) {}

  /// Starts the recording, unless it has begun; `suffix` follows its name.
  final func beginRecording(_ suffix: String = "") throws(RecordingError) {
    guard !hasBegun else { return }
    hasBegun = true
    var recording = recording
    recording.name += suffix
    try sink.begin(recording)
  }
}

/// Receives the elements of an XML file of tracks, called by their names without a prefix.
///
/// Elements are matched by their local names, so that those of any program are found, whatever
/// prefixes it has.
class TrackElements: TrackReader {
  /// The name of the outermost element.
  class var root: String { "" }
  /// The limit for the text of an element, bytes; what is longer is cut.
  class var longestText: Int { 256 }

  /// An element begins.
  func begin(_ element: String, _ attributes: XMLReader, at line: Int) throws(RecordingError) {}

  /// An element ends; `content` is the text since the last tag, trimmed.
  func end(_ element: String, _ content: String, at line: Int) throws(RecordingError) {}

  /// The file ends within its outermost element.
  ///
  /// - Returns: Whether there was anything before that.
  func endEarly(at line: Int) throws(RecordingError) -> Bool { false }

  /// Reads the elements of a file.
  override final func read(_ bytes: ByteReader) throws(RecordingError) {
    var reader = try XMLReader(bytes)
    reader.longestText = Self.longestText
    var depth = 0
    var hasRoot = false
    func malformed(_ expected: String, _ found: String) -> RecordingError {
      .malformed(path: path, place: "line \(reader.line)", expected: expected, found: found)
    }
    while let tag = try reader.next() {
      let element = reader.name
      switch tag {
      case .begin:
        if depth == 0 {
          guard !hasRoot, element == Self.root else {
            throw malformed(hasRoot ? "the end of the file" : "a \(Self.root) element", element)
          }
          hasRoot = true
        }
        depth += 1
        try begin(element, reader, at: reader.line)
      case .end:
        depth -= 1
        try end(element, reader.text, at: reader.line)
      }
    }
    guard hasRoot else { throw malformed("a \(Self.root) element", "none") }
    guard reader.isCut else { return }
    guard try endEarly(at: reader.line) else {
      throw malformed("the end of the \(Self.root) element", "the end of the file")
    }
    sink.note("\(path): ends at line \(reader.line) within a track; what is whole was read")
  }

  /// Appends a fix of what `number` gives, at a time as text.
  ///
  /// Without a time it is dropped for `reason`.
  ///
  /// - Returns: The time, if the fix is kept.
  @discardableResult
  final func append(
    at text: String, line: Int, _ reason: DropReason = .noTime, called name: String = "time",
    suffix: String = "", _ number: (String) -> Double?
  ) throws(RecordingError) -> Timestamp? {
    guard let time = sink.time(of: text) else {
      drop(reason, at: line, expected: "a \(name) in ISO 8601", found: text)
      return nil
    }
    try beginRecording(suffix)
    guard try sink.append(LocationFix(at: time, number)) else { return nil }
    spans.take(time)
    return time
  }

  /// Counts what was dropped for a reason, and which element shows it.
  final func drop(
    _ reason: DropReason, at line: Int, expected: String, found: @autoclosure () -> String
  ) {
    sink.drop(reason, in: path, at: "line \(line)", expected: expected, found: found())
  }
}
