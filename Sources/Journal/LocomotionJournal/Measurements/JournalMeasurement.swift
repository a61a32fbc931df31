internal import LocomotionPositioning
public import LocomotionSensing

/// An event of a measurement.
public struct MeasurementEvent: Hashable, Sendable {
  /// The kinds of events.
  public enum Kind: Int, Hashable, Sendable, Codable {
    /// The measurement starts; the value is the mode of travel.
    case start = 1
    /// Recording pauses; the track ends.
    case pause = 2
    /// Recording resumes; a new track begins.
    case resume = 3
    /// The measurement stops.
    case stop = 4
    /// The mode of travel changes; the value is the new one.
    case modality = 5
    /// The person or the app adds a note; the value is the note.
    case note = 6
  }

  /// The kind of the event.
  public internal(set) var kind: Kind
  /// When it happened, on the clock of the samples.
  public internal(set) var timestamp: Timestamp
  /// The mode of travel or the note; nil for other events.
  public internal(set) var value: String?
  /// The number of the user's samples that were recorded by then.
  public package(set) var samples: Int
  /// The number of the user's fixes that were recorded by then.
  public internal(set) var fixes: Int

  /// The event number of the measurement's start.
  var measurement: Int
}

/// A part of a measurement without a pause.
public struct Track: Hashable, Sendable {
  /// The time at which recording began.
  public let start: Timestamp
  /// The time at which it was paused or stopped; nil while it goes on.
  public let end: Timestamp?
  /// The positions of the samples in the user's recording, for ``UserJournal/samples(in:)``.
  public let samples: Range<Int>
  /// The positions of the fixes in the user's recording, for ``UserJournal/fixes(in:)``.
  public let fixes: Range<Int>
}

/// A journey, or whatever else a person chose to record, from start to stop.
public struct JournalMeasurement: Hashable, Sendable, Identifiable {
  /// The measurement's number, unique for its user.
  public let id: Int
  /// All events, in order.
  public let events: [MeasurementEvent]
  /// The recorded tracks, split at pauses.
  public let tracks: [Track]

  /// The state of the measurement.
  public var state: MeasurementState {
    let changes: [MeasurementEvent.Kind] = [.start, .pause, .resume, .stop]
    return switch events.last(where: { changes.contains($0.kind) })?.kind {
    case .pause: .paused
    case .stop, nil: .stopped
    default: .recording
    }
  }

  /// The mode of travel at the end of the measurement.
  public var modality: String? {
    events.last { $0.kind == .start || $0.kind == .modality }?.value
  }

  /// When it began.
  public var start: Timestamp { events[0].timestamp }

  /// When it ended; nil while it goes on.
  public var end: Timestamp? { events.last { $0.kind == .stop }?.timestamp }

  /// Derives the tracks from the events of one measurement, the first of which is its start.
  ///
  /// `total` is what is recorded of the user, where an open track ends.
  init(id: Int, events: [MeasurementEvent], total: (samples: Int, fixes: Int)) {
    self.id = id
    self.events = events
    var tracks: [Track] = []
    var open: MeasurementEvent?
    func close(at samples: Int, _ fixes: Int, _ end: Timestamp?) {
      guard let begin = open else { return }
      tracks.append(
        Track(
          start: begin.timestamp, end: end, samples: begin.samples..<max(begin.samples, samples),
          fixes: begin.fixes..<max(begin.fixes, fixes)))
      open = nil
    }
    for event in events {
      switch event.kind {
      case .start, .resume: open = event
      case .pause, .stop: close(at: event.samples, event.fixes, event.timestamp)
      case .modality, .note: break
      }
    }
    close(at: total.samples, total.fixes, nil)
    self.tracks = tracks
  }
}

/// The state of a measurement.
public enum MeasurementState: String, Hashable, Sendable, Codable {
  /// Samples are recorded.
  case recording
  /// Nothing is recorded until it is resumed.
  case paused
  /// It is over, or there is none.
  case stopped
}

/// The length of a track, computed in two ways.
public struct TrackLength: Hashable, Sendable {
  /// The sum of the distances between successive fixes, metres.
  ///
  /// The noise of a receiver makes it grow without end while a phone lies still.
  public private(set) var plain: Double
  /// The travelled distance, estimated from the fixes, metres.
  ///
  /// The fixes pass through the location smoother. From its speeds the `Odometer` measures the
  /// distance while the phone moved, and none while it was at rest.
  public private(set) var travelled: Double
  /// One standard deviation of ``travelled``, metres.
  public private(set) var travelledDeviation: Double

  /// The lengths of one track.
  ///
  /// A fix without a position, or not later than the one before it, is left out of the plain
  /// length. Linear time.
  public init(of fixes: [LocationFix]) {
    var plain = 0.0
    var last: LocationFix?
    for fix in fixes where abs(fix.latitude) <= 90 && fix.longitude.isFinite {
      if let last {
        guard fix.timestamp > last.timestamp else { continue }
        plain += last.distance(to: fix)
      }
      last = fix
    }
    var odometer = Odometer()
    for report in LocationSmoother().estimates(for: fixes, mode: .smoothed) {
      guard let location = report.location else { continue }
      odometer.update(with: location, state: report.moving.state)
    }
    self.plain = plain
    travelled = odometer.distance
    travelledDeviation = odometer.deviation
  }

  /// The length of several tracks together; their errors are assumed to be independent.
  public static func + (lhs: TrackLength, rhs: TrackLength) -> TrackLength {
    let variance =
      lhs.travelledDeviation * lhs.travelledDeviation
      + rhs.travelledDeviation * rhs.travelledDeviation
    var sum = lhs
    sum.plain += rhs.plain
    sum.travelled += rhs.travelled
    sum.travelledDeviation = variance.squareRoot()
    return sum
  }
}
