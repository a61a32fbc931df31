internal import LocomotionPositioning
internal import LocomotionRecordings
internal import LocomotionSensing

/// What the points of a track are labelled with.
enum TrackLabel {
  /// What the file itself says.
  case own
  /// What another file says of it, nil for no label, and the sport in its words.
  case given(String?, sport: String? = nil)

  /// The label where the file itself says `text`.
  func text(own text: String?) -> String? {
    if case .given(let given, _) = self { given } else { text }
  }

  /// The sport that is stated where the file itself says `sport`, and how.
  func statement(
    own sport: String?, _ basis: StatedInterval.Basis
  ) -> (sport: String?, basis: StatedInterval.Basis) {
    if case .given(_, let given?) = self { (given, .chosen) } else { (sport, basis) }
  }
}

/// Files of GPX, TCX, KML or FIT, each with its tracks.
final class TrackImporter: FormatImporter {
  /// The points without times of the last file.
  private(set) var plan = UntimedWay()
  var isPlan: Bool {
    plan.points.count > 1 && (sink.report.kept == 0 || !plan.hasTimes && source.names.count == 1)
  }

  /// The format of a file by its name; nil for any other file.
  static func format(of name: String) -> RecordingFormat? {
    let plain = name.lowercased().withoutGzip
    return [.gpx, .tcx, .kml, .fit].first { plain.hasSuffix("." + $0.rawValue) }
  }

  /// Reads all files of the format, or the only file whatever its name.
  override func read() throws(RecordingError) {
    let names = source.names.filter { Self.format(of: $0) == format }
    for name in names.isEmpty ? source.names : names {
      let title = ImportSource.stem(source.names.count > 1 ? name : source.path)
      plan = try readTrack(name, format, as: ImportedRecording(name: title), .own).untimed
    }
    sink.leaveOut(
      "files of other kinds", count: names.isEmpty ? 0 : source.names.count - names.count)
    let report = sink.report
    if isPlan { throw .nothingUsable(path: source.path, reason: plan.words) }
    guard report.kept > 0 || report.firstDefect != nil || report.droppedCount == 0 else {
      throw .nothingUsable(
        path: source.path,
        reason: "none of \(report.read) points has a time and a position on a track; an activity "
          + "that was recorded without satellites has none")
    }
  }
}

extension FormatImporter {
  /// Reads one file; its points are labelled with what `label` says.
  ///
  /// - Returns: The stretches of the track that the file tells apart; none for KML.
  @discardableResult func readTrack(
    _ name: String, _ format: RecordingFormat, as recording: ImportedRecording, _ label: TrackLabel
  ) throws(RecordingError) -> TrackSpans {
    let type: TrackReader.Type =
      switch format {
      #if !hasFeature(Embedded)
        case .fit: FITReader.self
        case .tcx: TCXElements.self
        case .kml: KMLElements.self
      #endif
      default: GPXElements.self
      }
    let reader = type.init(sink, recording, label, path: source.displayPath(of: name))
    try reader.read(source.bytes(of: name))
    return reader.spans
  }
}

/// The stretches of a track between its pauses, or those in which a timer ran.
struct TrackSpans {
  private(set) var spans: [ClosedRange<Timestamp>] = []
  private var isPaused = true
  /// The points without times.
  var untimed = UntimedWay()

  /// Extends the stretch to a point.
  mutating func take(_ time: Timestamp) {
    if let last = spans.last, !isPaused {
      spans[spans.count - 1] = min(last.lowerBound, time)...max(last.upperBound, time)
    } else {
      spans.append(time...time)
    }
    isPaused = false
  }

  mutating func pause() { isPaused = true }

  /// Begins a stretch, unless one goes on, up to a limit of them.
  mutating func start(at time: Timestamp) {
    if isPaused, spans.count < Self.most { take(time) }
  }

  /// Ends the stretch that goes on.
  mutating func stop(at time: Timestamp) {
    if let last = spans.last, !isPaused, last.lowerBound <= time { take(time) }
    isPaused = true
  }

  private static let most = 100_000

  /// The parts of the stretches within bounds.
  func clamped(to bounds: ClosedRange<Timestamp>) -> TrackSpans {
    var parts = self
    parts.spans = spans.filter { $0.overlaps(bounds) }.map { $0.clamped(to: bounds) }
    return parts
  }

  /// From the first point to the last; nil without any.
  var whole: ClosedRange<Timestamp>? {
    guard let first = spans.map({ $0.lowerBound }).min(),
      let last = spans.map({ $0.upperBound }).max()
    else { return nil }
    return first...last
  }

  /// States the pauses between the stretches that begin within bounds.
  func statePauses(_ source: String, _ sink: ImportSink, within bounds: ClosedRange<Timestamp>) {
    for (span, next) in zip(spans, spans.dropFirst())
    where span.upperBound < next.lowerBound && bounds.contains(span.upperBound) {
      sink.state(.pause, from: span.upperBound, to: next.lowerBound, source: source, basis: .chosen)
    }
  }

  /// Labels every stretch; nil labels none.
  func label(_ text: String?, _ sink: ImportSink) throws(RecordingError) {
    guard let text else { return }
    for span in spans { try sink.label(text, from: span.lowerBound, to: span.upperBound) }
  }
}

/// Reads a file of tracks.
class TrackReader {
  let sink: ImportSink
  let recording: ImportedRecording
  let label: TrackLabel
  let path: String
  /// The stretches of the track that the file tells apart.
  final var spans = TrackSpans()
  final var hasBegun = false

  required init(
    _ sink: ImportSink, _ recording: ImportedRecording, _ label: TrackLabel, path: String
  ) {
    (self.sink, self.recording, self.label, self.path) = (sink, recording, label, path)
  }

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
  /// What the elements of a point have said of it.
  final class Point {
    let line: Int
    var time = ""
    var numbers: [String: Double] = [:]
    /// Where the position is from, in lower case; and how often it is told.
    var source = ""
    var positions = 0

    init(line: Int) { self.line = line }
  }

  final var point: Point?

  /// The name of the outermost element.
  class var root: String { "" }
  /// The limit for the text of an element, bytes; what is longer is cut.
  class var longestText: Int { 256 }

  /// An element begins, with its attributes, or ends, with the text since the last tag.
  func take(_ tag: XMLReader.Tag, _ xml: XMLReader) throws(RecordingError) {}

  /// The file ends within its outermost element.
  ///
  /// - Returns: Whether there was anything before that.
  func endEarly(at line: Int) throws(RecordingError) -> Bool { false }

  override final func read(_ bytes: ByteReader) throws(RecordingError) {
    var reader = try XMLReader(bytes)
    reader.longestText = Self.longestText
    var depth = 0
    var hasRoot = false
    func malformed(_ expected: String, _ found: String) -> RecordingError {
      .malformed(path: path, place: "line \(reader.line)", expected: expected, found: found)
    }
    while let tag = try reader.next() {
      if tag == .begin, depth == 0 {
        guard !hasRoot, reader.name == Self.root else {
          throw malformed(hasRoot ? "the end of the file" : "a \(Self.root) element", reader.name)
        }
        hasRoot = true
      }
      depth += tag == .begin ? 1 : -1
      try take(tag, reader)
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
      sink.drop(
        reason, in: path, at: "line \(line)", expected: "a \(name) in ISO 8601", found: text)
      return nil
    }
    try beginRecording(suffix)
    guard try sink.append(LocationFix(at: time, number)) else { return nil }
    spans.take(time)
    return time
  }

  final func measureBody(_ point: Point, at time: Timestamp) {
    sink.measure(.heartRate, point.numbers["hr"], at: time)
    sink.measure(.cadence, point.numbers["cad"], at: time)
    sink.measure(.power, point.numbers["power"], at: time)
  }
}

/// The way along points without times or with one time for all, as those of a plan, or of a journey
/// with times at its ends.
package struct UntimedWay {
  /// A place, degrees on WGS 84.
  typealias Place = (latitude: Double, longitude: Double)

  /// What the file calls it; empty where it doesn't.
  package internal(set) var name = ""
  private var instant: Timestamp?
  /// Whether points have more than one time; the way is without those from there on.
  private(set) var hasTimes = false

  /// The points: degrees on WGS 84, and metres where they are told.
  package private(set) var points: [(latitude: Double, longitude: Double, altitude: Double?)] = []
  /// The length, metres.
  package private(set) var metres = 0.0
  /// The sum of all rises, metres.
  package private(set) var climb = 0.0
  /// The length up to each point, metres.
  package private(set) var distances: [Double] = []

  init(along places: [Place] = []) {
    for place in places { take(place, nil) }
  }

  /// Takes in a point, unless it has another time than earlier ones.
  mutating func take(_ place: Place, _ altitude: Double?, at time: Timestamp? = nil) {
    instant = instant ?? time
    hasTimes = hasTimes || time != nil && time != instant
    if hasTimes, time != nil { return }
    if let last = points.last {
      let step = Geodesic(from: (last.latitude, last.longitude), to: place).distance
      metres += step.isFinite ? step : 0
      climb += max(0, (altitude ?? 0) - (last.altitude ?? altitude ?? 0))
    }
    points.append((place.latitude, place.longitude, altitude))
    distances.append(metres)
  }

  /// The times of the points at a constant speed from `start`, at the first, to `end`, at the last.
  func times(from start: Timestamp, to end: Timestamp) -> [Timestamp] {
    let duration = Double(end.nanoseconds(since: start))
    return distances.enumerated().map { index, distance in
      let share = metres > 0 ? distance / metres : Double(index) / Double(max(1, points.count - 1))
      // A rounded duration of all time is just beyond 64 bits.
      return start.advanced(byNanoseconds: Int64(min(max(share * duration, -9e18), 9e18)))
    }
  }

  /// What is there, for a person.
  var words: String {
    "its \(points.count) points have \(instant == nil ? "no" : "one") time: "
      + "a plan of \((metres / 10).rounded() / 100) km and \(Int(min(climb, 1e6))) m up, "
      + "of which nothing tells when anyone was there"
  }
}
