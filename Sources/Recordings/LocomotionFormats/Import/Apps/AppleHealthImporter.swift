internal import LocomotionRecordings
internal import LocomotionSensing

/// The export of Apple's Health: the routes of workouts, GPX files below `workout-routes/`, each a
/// recording of one subject.
///
/// The workouts of `export.xml` label the routes that they name, or else those of their time,
/// without their pauses, and are stated with them. Its counts of steps are noted: several devices
/// count the same steps, so they are for comparison only.
final class AppleHealthImporter: FormatImporter {
  private static let labels = [
    "HKWorkoutActivityTypeWalking": "walking", "HKWorkoutActivityTypeRunning": "running",
    "HKWorkoutActivityTypeCycling": "cycling",
  ]
  /// The limit for workouts.
  private static let most = 200_000
  private var workouts: [Workout] = []

  override func read() throws(RecordingError) {
    var routes: [String] = []
    for name in source.names {
      if name.lowercased().hasSuffix(".xml"), !name.lowercased().hasSuffix("_cda.xml") {
        try leavingOutDefects { () throws(RecordingError) in try readRecords(name) }
      } else if TrackImporter.format(of: name) == .gpx {
        routes.append(name)
      } else {
        sink.leaveOut("files of other kinds")
      }
    }
    guard !routes.isEmpty else {
      throw .nothingUsable(
        path: source.path,
        reason: "no routes of workouts: expected workout-routes/*.gpx beside export.xml")
    }
    let files = workouts.flatMap { workout in workout.files.map { ($0, workout) } }
    let named = Dictionary(grouping: files) { $0.0 }.mapValues { $0.map { $0.1 } }
    let others = workouts.filter { $0.files.isEmpty && $0.text != nil }
    for name in routes {
      let recording = ImportedRecording(name: ImportSource.stem(name), subject: source.stem)
      try leavingOutDefects { () throws(RecordingError) in
        let track = try readTrack(name, .gpx, as: recording, .given(nil))
        for workout in named[name.fileName] ?? others {
          try workout.give(track, to: sink)
        }
      }
    }
  }

  private struct Workout {
    var text: String?
    var sport: String?
    var files: Set<String> = []
    var span: ClosedRange<Timestamp>
    /// When it went on.
    var runs = TrackSpans()

    /// Labels the parts of a track, and states the workout and its pauses as far as it goes.
    func give(_ track: TrackSpans, to sink: ImportSink) throws(RecordingError) {
      for part in track.spans where part.lowerBound < part.upperBound {
        try runs.clamped(to: part).label(text, sink)
      }
      guard let whole = track.whole, sport != nil, span.lowerBound < span.upperBound,
        whole.overlaps(span)
      else { return }
      let bounds = span.clamped(to: whole)
      sink.state(
        .activity(name: sport, distance: nil), from: bounds.lowerBound, to: bounds.upperBound,
        source: "Health", basis: .chosen)
      runs.statePauses("Health", sink, within: bounds)
    }
  }

  private func readRecords(_ name: String) throws(RecordingError) {
    var tags = try XMLReader(source.bytes(of: name))
    var open: Workout?
    var records = 0
    var steps = 0.0
    while let tag = try tags.next() {
      switch (tag, tags.name) {
      case (.begin, "Record"):
        guard tags["type"] == "HKQuantityTypeIdentifierStepCount" else { continue }
        records += 1
        steps += tags["value"].flatMap(XMLReader.number) ?? 0
      case (.begin, "Workout"):
        guard let start = tags["startDate"].flatMap(sink.time(of:)),
          let end = tags["endDate"].flatMap(sink.time(of:)),
          start <= end, workouts.count < Self.most
        else {
          sink.leaveOut("workouts without a time")
          continue
        }
        let type = tags["workoutActivityType"] ?? ""
        // The sport in a type such as `HKWorkoutActivityTypeDownhillSkiing`.
        let words = type.dropFirst("HKWorkoutActivityType".count)
          .map { $0.isUppercase ? " \($0)" : "\($0)" }.joined()
        open = Workout(
          text: Self.labels[type], sport: SportWords.sport(in: words), span: start...end)
        open?.runs.start(at: start)
      case (.begin, "WorkoutEvent"):
        guard let time = tags["date"].flatMap(sink.time(of:)) else { continue }
        switch tags["type"] {
        case "HKWorkoutEventTypePause": open?.runs.stop(at: time)
        case "HKWorkoutEventTypeResume": open?.runs.start(at: time)
        default: break
        }
      case (.begin, "FileReference"):
        if let path = tags["path"], (open?.files.count ?? 0) < 1_000 {
          open?.files.insert(path.fileName)
        }
      case (.end, "Workout"):
        if var workout = open {
          workout.runs.stop(at: workout.span.upperBound)
          workouts.append(workout)
        }
        open = nil
      default: break
      }
    }
    guard !tags.isCut else {
      throw .malformed(
        path: source.displayPath(of: name), place: "line \(tags.line)",
        expected: "the end of an element", found: "the end of the file")
    }
    if records > 0 {
      sink.note(
        "for comparison only, several devices count the same: \(Int(min(steps, 1e15))) steps in "
          + "\(records) records of steps")
    }
  }
}
