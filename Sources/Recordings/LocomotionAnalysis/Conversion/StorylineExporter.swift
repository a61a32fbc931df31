internal import Locomotion
internal import LocomotionActivityRecognition
internal import LocomotionFormats
internal import LocomotionPositioning
internal import LocomotionRecordings
internal import LocomotionSensing

/// A storyline in the format of the Moves service, from the timeline of the pipeline.
///
/// Unlike the other formats it is an inference: the samples pass through the pipeline, and its
/// stays and trips are written. One sample per second is held in memory, some 100 MB a week. Gaps,
/// confidence, accuracy and altitude are not exported; car and train are both `trp`.
final class StorylineExporter: RecordingExporter {
  private let file: OutputFile
  private var pipeline: LocomotionPipeline?
  private var output = LocomotionOutput()
  private var samples: [LocomotionSample] = []
  private var fixes: [FixReport] = []
  private var isFirst = true

  init(_ file: OutputFile) throws(RecordingError) {
    self.file = file
    try file.write("[")
  }

  func take(_ event: ImportEvent) throws(RecordingError) {
    switch event {
    case .recording:
      try endRecording()
      pipeline = LocomotionPipeline(model: .default)
    case .batch(let batch):
      output.removeAll()
      pipeline?.ingest(batch, into: &output)
      samples += output.samples
      fixes += output.fixes
    case .label: break
    }
  }

  private func endRecording() throws(RecordingError) {
    guard pipeline != nil else { return }
    output.removeAll()
    pipeline?.finish(into: &output)
    pipeline = nil
    samples += output.samples
    Hindsight.smooth(&samples, reports: fixes + output.fixes)
    let items = TimelineBuilder.items(of: samples)
    for day in Storyline.days(of: items, samples: samples) {
      try file.write((isFirst ? "\n" : ",\n") + day)
      isFirst = false
    }
    samples.removeAll()
    fixes.removeAll()
  }

  func finish() throws(RecordingError) {
    try endRecording()
    try file.write("\n]\n")
  }
}

/// The text of a storyline.
enum Storyline {
  /// One JSON object per day in UTC; an item belongs to the day in which it starts.
  static func days(of items: [TimelineItem], samples: [LocomotionSample]) -> [String] {
    var days: [(date: String, segments: [String])] = []
    for item in items {
      guard let segment = segment(item, samples) else { continue }
      let date = CalendarTime.basicText(item.start, hasClock: false)
      if days.last?.date != date { days.append((date, [])) }
      days[days.count - 1].segments.append(segment)
    }
    return days.map {
      "{\"date\":\"\($0.date)\",\"segments\":[\n\($0.segments.joined(separator: ",\n"))\n]}"
    }
  }

  private static func segment(_ item: TimelineItem, _ samples: [LocomotionSample]) -> String? {
    let times = times(item.start, item.end)
    switch item {
    case .gap: return nil
    case .stay(let stay):
      let place = stay.location.map {
        ",\"location\":{\"lat\":\($0.latitude),\"lon\":\($0.longitude)}"
      }
      return "{\"type\":\"place\",\(times),\"place\":{\"type\":\"unknown\"\(place ?? "")},"
        + "\"activities\":[]}"
    case .trip(let trip):
      let legs = trip.legs.map { activity($0, samples) }
      return "{\"type\":\"move\",\(times),\"activities\":[\n\(legs.joined(separator: ",\n"))]}"
    }
  }

  private static func activity(_ leg: Trip.Leg, _ samples: [LocomotionSample]) -> String {
    let code =
      switch leg.activity {
      case .walking: "wlk"
      case .running: "run"
      case .cycling: "cyc"
      default: "trp"
      }
    var text = "{\"activity\":\"\(code)\",\(times(leg.start, leg.end)),"
    text += "\"duration\":\(Int(leg.end.seconds(since: leg.start).rounded()))"
    if let distance = leg.distance { text += ",\"distance\":\(Int(distance.rounded()))" }
    if leg.steps > 0 { text += ",\"steps\":\(Int(leg.steps.rounded()))" }
    let first = samples.partitioningIndex { $0.start >= leg.start }
    var points: [String] = []
    for sample in samples[first...].prefix(while: { $0.start < leg.end }) {
      guard let location = sample.location else { continue }
      points.append(
        "{\"lat\":\(location.latitude),\"lon\":\(location.longitude),"
          + "\"time\":\"\(CalendarTime.basicText(sample.end, hasClock: true))\"}")
    }
    return text + ",\"trackPoints\":[\(points.joined(separator: ","))]}"
  }

  private static func times(_ start: Timestamp, _ end: Timestamp) -> String {
    "\"startTime\":\"\(CalendarTime.basicText(start, hasClock: true))\","
      + "\"endTime\":\"\(CalendarTime.basicText(end, hasClock: true))\""
  }
}
