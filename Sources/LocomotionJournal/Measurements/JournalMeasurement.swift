public import LocomotionSensing

/// Something that happened to a measurement.
public struct MeasurementEvent: Hashable, Sendable {
  /// What can happen.
  public enum Kind: Int, Hashable, Sendable, Codable {
    /// The measurement begins; the value is the mode of travel.
    case start = 1
    /// Recording stops for a while; the track ends.
    case pause = 2
    /// Recording goes on; a new track begins.
    case resume = 3
    /// The measurement ends.
    case stop = 4
    /// The mode of travel changes; the value is the new one.
    case modality = 5
    /// The person or the app noted something; the value is the note.
    case note = 6
  }

  /// What happened.
  public let kind: Kind
  /// When it happened, on the clock of the samples.
  public let timestamp: Timestamp
  /// A mode of travel or a note.
  public let value: String?
  /// How many samples of the user had been recorded by then.
  public let samples: Int
  /// How many fixes of the user had been recorded by then.
  public let fixes: Int

  /// The event number of the measurement's start.
  let measurement: Int
}

/// One piece of a measurement without a pause.
///
/// Its rotation rates: ``Journal/rotationRates(of:for:)``.
public struct Track: Hashable, Sendable {
  /// When recording began.
  public let start: Timestamp
  /// When it was paused or stopped; nil while it goes on.
  public let end: Timestamp?
  /// The positions of the samples in the user's recording, for ``Journal/samples(of:in:)``.
  public let samples: Range<Int>
  /// The positions of the fixes in the user's recording, for ``Journal/fixes(of:in:)``.
  public let fixes: Range<Int>
}

/// A journey, or whatever else a person chose to record, from start to stop.
public struct JournalMeasurement: Hashable, Sendable, Identifiable {
  /// The measurement's number, unique for its user.
  public let id: Int
  /// Everything that happened, in order.
  public let events: [MeasurementEvent]
  /// What is recorded, split at pauses.
  public let tracks: [Track]

  /// What the measurement is doing.
  public var state: MeasurementState {
    let changes: [MeasurementEvent.Kind] = [.start, .pause, .resume, .stop]
    return switch events.last(where: { changes.contains($0.kind) })?.kind {
    case .pause: .paused
    case .stop, nil: .stopped
    default: .recording
    }
  }

  /// The mode of travel that holds at the end of the measurement.
  public var modality: String? {
    events.last { $0.kind == .start || $0.kind == .modality }?.value
  }

  /// When it began.
  public var start: Timestamp { events[0].timestamp }

  /// When it ended; nil while it goes on.
  public var end: Timestamp? { events.last { $0.kind == .stop }?.timestamp }

  /// Follows the events of one measurement, which begin with its start.
  ///
  /// `total` holds what is recorded of the user, up to which an open track reaches.
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
