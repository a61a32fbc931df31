import Foundation
import LocomotionJournal
import LocomotionPositioning
import LocomotionSensing
import TestSupport
import Testing

/// Measurements start, pause, resume and stop, and their tracks hold the data in between.
@Suite struct MeasurementTests {
  private let folder = ScratchFolder()

  /// A walk north at `speed`, one fix a second, with normal errors of `deviation` metres.
  private func walk(
    from start: Int, seconds: Int, speed: Double, deviation: Double, seed: UInt64
  ) -> [LocationFix] {
    var random = SplitMix64(seed: seed)
    return (start..<start + seconds).map { second in
      let metres = Double(second - start) * speed
      return LocationFix(
        timestamp: .at(second), latitude: 48 + (metres + deviation * random.nextNormal()) / 111_200,
        longitude: 11 + deviation * random.nextNormal() / 74_500, horizontalAccuracy: 5)
    }
  }

  private func batch(_ fixes: [LocationFix]) -> SensorBatch {
    var batch = SensorBatch()
    batch.fixes = fixes
    return batch
  }

  @Test func aRecorderSavesBatchesWithOnlyRotationRates() throws {
    try withJournal { _, user in
      var recorder = MeasurementRecorder(in: user)
      try recorder.start("WALKING", at: .at(0))
      for second in 0...11 {
        var batch = SensorBatch()
        batch.rotationRates.append(x: 1, y: 2, z: 3, at: .at(second))
        _ = try recorder.add(batch)
      }
      #expect(try user.counts().rotationRates == 11)
    }
  }

  @Test func tracksAreSplitAtPauses() throws {
    let path = folder.path("journal")
    do {
      let ada = try Journal(path: path).user("ada")
      var recorder = MeasurementRecorder(in: ada)
      let ways = (0..<3).map {
        walk(from: 100 * $0, seconds: 60, speed: 1.5, deviation: 0, seed: UInt64($0))
      }
      #expect(try recorder.add(batch(ways[0])) == nil)
      #expect(recorder.ignored == 60)
      try recorder.start("WALKING", at: .at(0))
      _ = try recorder.add(batch(ways[0]))
      try recorder.changeModality(to: "BICYCLE", at: .at(50))
      try recorder.pause(at: .at(60))
      _ = try recorder.add(batch(ways[1]))
      try recorder.resume(at: .at(200))
      _ = try recorder.add(batch(ways[2]))
      try ada.note("a dog", at: .at(210))
      #expect(throws: JournalError.wrongState(.recording, wanted: .stopped)) {
        try ada.start("CAR", at: .at(211))
      }
      try recorder.save()
    }
    // The program is restarted, and the measurement continues.
    let (journal, ada) = try openJournal(path)
    var recorder = MeasurementRecorder(in: ada)
    try recorder.restore()
    #expect(recorder.state == .recording)
    let current = try #require(try ada.currentMeasurement())
    #expect(current.end == nil)
    try recorder.stop(at: .at(260))
    #expect(throws: JournalError.wrongState(.stopped, wanted: .recording)) {
      try ada.pause(at: .at(261))
    }

    let measurement = try #require(try ada.measurements().first)
    #expect(measurement.id == current.id)
    #expect(measurement.state == .stopped)
    #expect(measurement.modality == "BICYCLE")
    #expect(
      measurement.events.map(\.kind) == [.start, .modality, .pause, .resume, .note, .stop])
    #expect(measurement.events[4].value == "a dog")
    #expect(measurement.start == Timestamp.at(0))
    #expect(measurement.end == Timestamp.at(260))
    #expect(measurement.tracks.map(\.fixes) == [0..<60, 60..<120])
    #expect(measurement.tracks.map(\.start) == [Timestamp.at(0), .at(200)])
    #expect(measurement.tracks.map(\.end) == [Timestamp.at(60), .at(260)])
    // Two distances of 59 steps, and nothing for the distance between them.
    let length = try ada.length(of: measurement)
    #expect(abs(length.plain - 2 * 59 * 1.5) < 0.3)
    let travelledError = abs(length.travelled - 2 * 59 * 1.5)
    #expect(travelledError < 3 * length.travelledDeviation + 6)
    #expect(try ada.currentMeasurement() == nil)
    #expect(journal.check().problems == [])
  }

  @Test func aRecorderSavesAtItsIntervalAndShowsOneOfSeveralFixes() throws {
    try withJournal { _, ada in
      var settings = MeasurementRecorder.Settings()
      settings.locationUpdateSkipRate = 4
      var recorder = MeasurementRecorder(in: ada, settings: settings)
      try recorder.start("WALKING", at: .at(0))
      var (saved, shown): ([Int], [Int]) = ([], [])
      for (second, fix) in walk(from: 0, seconds: 40, speed: 1, deviation: 0, seed: 1).enumerated()
      {
        let before = try ada.counts().fixes
        if try recorder.add(batch([fix])) != nil { shown.append(second) }
        if try ada.counts().fixes > before { saved.append(second) }
      }
      #expect(saved == [10, 21, 32])
      #expect(shown == Array(stride(from: 0, to: 40, by: 4)))
      #expect(recorder.pendingCount == 7)
    }
  }

  @Test func unsavedDataAreBufferedUpToTheBacklogLimit() throws {
    let path = folder.path("journal")
    try Journal(path: path).user("ada").start("WALKING", at: .at(0))
    var settings = MeasurementRecorder.Settings()
    settings.savingInterval = 0
    settings.largestBacklog = 50
    let reader = try Journal(path: path, access: .reading).user("ada")
    var recorder = MeasurementRecorder(in: reader, settings: settings)
    try recorder.restore()
    for fix in walk(from: 0, seconds: 60, speed: 1, deviation: 0, seed: 1) {
      #expect(throws: JournalError.readOnly(path: path)) {
        _ = try recorder.add(batch([fix]))
      }
    }
    #expect(recorder.pendingCount <= 50)
    #expect(recorder.pendingCount + recorder.lost == 60)
    recorder.journal = try Journal(path: path).user("ada")
    try recorder.save()
    let fixes = try recorder.journal.fixes(in: 0..<100)
    #expect(fixes.count == 60 - recorder.lost)
    #expect(fixes.last?.timestamp == Timestamp.at(59))
  }

  @Test func noiseAtRestLengthensThePlainLengthButNotTheTravelledOne() {
    let still = TrackLength(
      of: walk(from: 0, seconds: 1_200, speed: 0, deviation: 3, seed: 5))
    // Differences of two errors of 3 m along each axis: their mean is 3·√2·√(π/2) m.
    let meanStep = 3 * 2.0.squareRoot() * (Double.pi / 2).squareRoot()
    #expect(abs(still.plain / 1_199 - meanStep) < 0.3)
    // A fiftieth of the plain length: without speeds and accelerations some looks like steps.
    #expect(still.travelled < 90)
    let moving = TrackLength(
      of: walk(from: 0, seconds: 1_200, speed: 1.5, deviation: 3, seed: 6))
    #expect(moving.plain > 5_000)
    let movingError = abs(moving.travelled - 1_799)
    #expect(movingError < 3 * moving.travelledDeviation + 30)
    #expect(moving.travelledDeviation > 0 && moving.travelledDeviation < 200)
    let sum = still + moving
    #expect(sum.travelled == still.travelled + moving.travelled)
    #expect(TrackLength(of: []).plain == 0)
  }
}
