package import LocomotionRecordings
package import LocomotionSensing

/// One recording that an importer found.
package struct ImportedRecording: Hashable, Sendable {
  package var name: String
  /// Who recorded; the name when nobody says.
  package var subject: String
  package var hasGyroscope: Bool

  package init(name: String, subject: String? = nil, hasGyroscope: Bool = false) {
    self.name = name
    self.subject = subject ?? name
    self.hasGyroscope = hasGyroscope
  }
}

/// What an importer hands on, in the input's order.
package enum ImportEvent: Sendable {
  /// What follows belongs to this recording.
  case recording(ImportedRecording)
  /// Samples and fixes.
  case batch(SensorBatch)
  /// What the person did from `start` to `end`, as somebody wrote it down.
  case label(start: Timestamp, end: Timestamp, text: String)
}

/// Where an importer puts what it reads; counts it and hands it on in batches.
///
/// A class, because XML comes in calls to a delegate.
package final class ImportSink {
  package typealias Receiver = (ImportEvent) throws(RecordingError) -> Void

  package private(set) var report = ImportReport()
  private let receiver: Receiver
  /// What is dropped when its time is elsewhere; nil takes every time.
  private let times: ClosedRange<Timestamp>?
  private var batch = SensorBatch()
  private var recent = RecentFixes()
  private var hasRecording = false
  private var latest = (
    acceleration: Timestamp(nanoseconds: .min), rate: Timestamp(nanoseconds: .min),
    fix: Timestamp(nanoseconds: .min)
  )
  private static let largestBatch = 2048
  private static let mostNotes = 20

  package init(
    times: ClosedRange<Timestamp>? = nil, _ receiver: @escaping Receiver
  ) {
    self.times = times
    self.receiver = receiver
  }

  /// Starts a recording; what follows belongs to it.
  func begin(_ recording: ImportedRecording) throws(RecordingError) {
    try flush()
    report.recordings += 1
    hasRecording = true
    latest = (
      Timestamp(nanoseconds: .min), Timestamp(nanoseconds: .min), Timestamp(nanoseconds: .min)
    )
    recent = RecentFixes()
    try receiver(.recording(recording))
  }

  /// Takes an acceleration; NaN is a missing component.
  func append(_ value: Acceleration, at time: Timestamp) throws(RecordingError) {
    guard isSample(value.x, value.y, value.z, at: time, after: &latest.acceleration) else { return }
    report.accelerations += 1
    batch.append(value, at: time)
    try flushIfFull()
  }

  /// Takes a rotation rate; NaN is a missing component.
  func append(_ value: RotationRate, at time: Timestamp) throws(RecordingError) {
    guard isSample(value.x, value.y, value.z, at: time, after: &latest.rate) else { return }
    report.rotationRates += 1
    batch.append(value, at: time)
    try flushIfFull()
  }

  /// Counts a sample, and says whether there is anything in it.
  private func isSample(
    _ x: Float, _ y: Float, _ z: Float, at time: Timestamp, after latest: inout Timestamp
  ) -> Bool {
    guard isPossible(time) else { return false }
    report.read += 1
    guard x.isFinite || y.isFinite || z.isFinite else {
      drop(.noValue, isCounted: true)
      return false
    }
    note(time, after: &latest)
    return true
  }

  /// Whether a time is within the limits; what is not is counted and dropped.
  ///
  /// An importer that computes with times asks before it does.
  func isPossible(_ time: Timestamp) -> Bool {
    guard let times, !times.contains(time) else { return true }
    drop(.impossibleTime)
    return false
  }

  /// Takes a fix; one that was there before, or is nowhere on Earth, is dropped.
  func append(_ fix: LocationFix) throws(RecordingError) {
    guard isPossible(fix.timestamp) else { return }
    report.read += 1
    guard fix.latitude.isFinite, fix.longitude.isFinite, abs(fix.latitude) <= 90,
      abs(fix.longitude) <= 360
    else {
      drop(.noPosition, isCounted: true)
      return
    }
    guard recent.insert(fix) else {
      drop(.duplicate, isCounted: true)
      return
    }
    report.fixes += 1
    note(fix.timestamp, after: &latest.fix)
    batch.append(fix)
    try flushIfFull()
  }

  /// Takes a labelled interval.
  func label(_ text: String, from start: Timestamp, to end: Timestamp) throws(RecordingError) {
    report.read += 1
    guard start <= end else {
      drop(.badInterval, isCounted: true)
      return
    }
    report.labels += 1
    try flush()
    try receiver(.label(start: start, end: end, text: text))
  }

  /// Counts a row that was read and is left out.
  ///
  /// Only the first defect is shown, so only until then is one made.
  func drop(_ reason: DropReason, _ defect: @autoclosure () -> RecordingError? = nil) {
    report.read += 1
    drop(reason, isCounted: true)
    if report.firstDefect == nil { report.firstDefect = defect() }
  }

  private func drop(_ reason: DropReason, isCounted: Bool) {
    report.dropped[reason, default: 0] += 1
  }

  /// Says how the input was understood, once each.
  func note(_ text: String) {
    guard report.notes.count < Self.mostNotes, !report.notes.contains(text) else { return }
    report.notes.append(text)
  }

  /// Hands on what is held.
  package func flush() throws(RecordingError) {
    guard !batch.isEmpty else { return }
    precondition(hasRecording, "an importer starts a recording before its first sample")
    let full = batch
    batch.removeAll()
    try receiver(.batch(full))
  }

  private func flushIfFull() throws(RecordingError) {
    guard
      batch.accelerations.count + batch.rotationRates.count + batch.fixes.count
        >= Self.largestBatch
    else { return }
    try flush()
  }

  private func note(_ time: Timestamp, after latest: inout Timestamp) {
    if time < latest { report.outOfOrder += 1 } else { latest = time }
  }
}

/// The fixes of late, to find those that a phone sent again.
private struct RecentFixes {
  private var known: Set<LocationFix> = []
  private var order: [LocationFix] = []
  private var next = 0
  private static let capacity = 4096

  /// False when the fix is among them already.
  mutating func insert(_ fix: LocationFix) -> Bool {
    guard known.insert(fix).inserted else { return false }
    if order.count < Self.capacity {
      order.append(fix)
    } else {
      known.remove(order[next])
      order[next] = fix
      next = (next + 1) % Self.capacity
    }
    return true
  }
}
