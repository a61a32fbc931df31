import Combine
import Foundation
import Locomotion
import LocomotionJournal
import Recorder

/// What the screen shows, and what its button does.
@MainActor
final class RecorderModel: ObservableObject {
  @Published private(set) var isRecording = false
  @Published private(set) var activity = "–"
  @Published private(set) var cadence = "–"
  @Published private(set) var distance = "–"
  /// The stays and trips of today.
  @Published private(set) var today: [TimelineItem] = []
  @Published private(set) var problem: String?

  private var recorder: Recorder?
  private var sensors: PhoneSensors?
  private var odometer = Odometer()

  /// Begins to record, or goes on with what an earlier run of the app was recording.
  func start() {
    guard !isRecording else { return }
    let sensors = PhoneSensors()
    self.sensors = sensors
    isRecording = true
    problem = nil
    odometer.reset()
    sensors.start()
    Task {
      do {
        try await record(sensors)
      } catch {
        problem = "\(error)"
        sensors.stop()
      }
      isRecording = false
    }
  }

  /// Ends the stream of the sensors, so that the recorder saves what it holds.
  func stop() { sensors?.stop() }

  /// Stores what the recorder holds in memory.
  func save() {
    Task {
      do {
        try await recorder?.journal.withRecorder { try $0.save() }
      } catch {
        problem = "\(error)"
      }
    }
  }

  private func record(_ sensors: PhoneSensors) async throws {
    let recorder = try await openRecorder()
    // One stream, so that seconds are shown in their order.
    let (samples, sink) = AsyncStream.makeStream(of: LocomotionSample.self)
    let shown = Task {
      for await sample in samples { show(sample) }
    }
    let days = Task {
      for await _ in await recorder.journal.dayChanges() { try await showToday(recorder) }
    }
    defer {
      sink.finish()
      shown.cancel()
      days.cancel()
    }
    try await recorder.start("day", at: now)
    try await recorder.run(
      sensors.batches,
      steer: { request in Task { @MainActor in sensors.steer(request) } },
      show: { sink.yield($0) })
    let end = now
    try await recorder.journal.withRecorder { try $0.stop(at: end) }
    try await showToday(recorder)
  }

  /// The recorder of the app's life: a journal is opened once.
  private func openRecorder() async throws -> Recorder {
    if let recorder { return recorder }
    let folder = try FileManager.default.url(
      for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
    var power = PowerPolicy.Settings()
    // A stopped receiver would let iOS suspend the app.
    power.accuracyAsleep = .kilometres
    let opened = try await Recorder(
      path: folder.appendingPathComponent("journal").path, name: "me", power: power)
    recorder = opened
    return opened
  }

  private var now: Timestamp { Timestamp(Date.now) ?? Timestamp(nanoseconds: 0) }

  private func show(_ sample: LocomotionSample) {
    if let decision = sample.activity, let name = decision.activity {
      let percent = Int((100 * decision.probabilities[name]).rounded())
      activity = "\(name.name), \(percent) %"
    } else {
      activity = "unknown"
    }
    cadence = sample.cadence.map { "\(Int($0.stepsPerMinute.rounded())) steps/min" } ?? "no steps"
    if sample.rawLocation != nil, let location = sample.location {
      odometer.update(with: location, state: sample.movingState)
      distance = "\(Int(odometer.distance.rounded())) m"
    }
  }

  private func showToday(_ recorder: Recorder) async throws {
    let midnight = Calendar.current.startOfDay(for: Date.now)
    guard let start = Timestamp(midnight) else { return }
    let end = now
    let items = try await recorder.journal.withJournal { try $0.dayItems(from: start, to: end) }
    today = items.filter { !$0.isGap }
  }

  static func times(of item: TimelineItem) -> String {
    let formatter = DateFormatter()
    formatter.timeStyle = .short
    return "\(formatter.string(from: Date(item.start)))–\(formatter.string(from: Date(item.end)))"
  }

  static func words(for item: TimelineItem) -> String {
    switch item {
    case .stay(let stay): stay.place?.name ?? "a place"
    case .trip(let trip): trip.legs.map { $0.name ?? "unknown" }.joined(separator: ", ")
    case .gap: "no data"
    }
  }
}
