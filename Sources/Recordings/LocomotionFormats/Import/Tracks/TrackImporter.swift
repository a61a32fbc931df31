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
  /// The file name extensions of the formats, also in front of `.gz`.
  private static let extensions: [(ending: String, format: RecordingFormat)] = [
    (".gpx", .gpx), (".tcx", .tcx), (".kml", .kml), (".fit", .fit),
  ]

  /// The format of a file by its name; nil for any other file.
  static func format(of name: String) -> RecordingFormat? {
    let name = name.lowercased()
    let plain = name.hasSuffix(".gz") ? String(name.dropLast(3)) : name
    return extensions.first { plain.hasSuffix($0.ending) }?.format
  }

  /// The one of these formats in which the input is.
  var format = RecordingFormat.gpx

  /// Reads all files of the format, or the only file whatever its name.
  override func read() throws(RecordingError) {
    let names = source.names.filter { Self.format(of: $0) == format }
    for name in names.isEmpty ? source.names : names {
      let title = ImportSource.stem(source.names.count > 1 ? name : source.path)
      try readTrack(name, format, as: ImportedRecording(name: title), .own)
    }
    sink.leaveOut(
      "files of other kinds", count: names.isEmpty ? 0 : source.names.count - names.count)
    let report = sink.report
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
  /// - Returns: The stretches of the track that the file tells apart; none for FIT and KML.
  @discardableResult func readTrack(
    _ name: String, _ format: RecordingFormat, as recording: ImportedRecording, _ label: TrackLabel
  ) throws(RecordingError) -> TrackSpans {
    let type: TrackReader.Type =
      switch format {
      case .fit: FITReader.self
      case .tcx: TCXElements.self
      case .kml: KMLElements.self
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

  /// Extends the stretch to a point.
  mutating func take(_ time: Timestamp) {
    if let last = spans.last, !isPaused {
      spans[spans.count - 1] = min(last.lowerBound, time)...max(last.upperBound, time)
    } else {
      spans.append(time...time)
    }
    isPaused = false
  }

  /// Ends the stretch.
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
    guard let first = spans.map(\.lowerBound).min(), let last = spans.map(\.upperBound).max() else {
      return nil
    }
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
