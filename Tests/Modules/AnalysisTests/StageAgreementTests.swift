import Foundation
import Locomotion
import LocomotionAnalysis
import SensorSimulator
import TestSupport
import Testing

/// The stages' answers of one second agree, on every recording there is.
@Suite struct StageAgreementTests {
  /// What contradicts each other, in seconds.
  private struct Contradictions {
    var seconds = 0
    /// A cadence or a step on a ride.
    var stepsOnRides = 0
    /// Seconds on foot that come after ten or more without a cadence.
    var footWithoutSteps = 0
    /// Moving while the activity is stationary.
    var movingAtRest = 0
    private var secondsWithoutCadence = 0

    mutating func add(_ samples: [LocomotionSample]) {
      for sample in samples {
        seconds += 1
        let activity = sample.activity?.activity
        let isRide = activity == .cycling || activity?.parent == .automotive
        if isRide, sample.cadence != nil || sample.steps > 0 { stepsOnRides += 1 }
        let isOnFoot = activity == .walking || activity == .running
        secondsWithoutCadence = isOnFoot && sample.cadence == nil ? secondsWithoutCadence + 1 : 0
        if secondsWithoutCadence >= 10 { footWithoutSteps += 1 }
        if activity == .stationary, sample.movingState == .moving { movingAtRest += 1 }
      }
    }

    mutating func end() { secondsWithoutCadence = 0 }
  }

  private static let sets = [
    "difronzo", "driver_jair", "ml4qs_andras", "ml4qs_babur", "ml4qs_g67", "ml4qs_lars",
    "ml4qs_mika", "ml4qs_puck", "ml4qs_siberia", "mobgap_lab", "mobifall", "oxford_steps",
    "stride_wq",
  ]

  @Test(
    .enabled(if: TestFiles.datasets != nil, "the recordings are absent: set LOCOMOTION_DATASETS"))
  func secondsOfRealRecordingsDontContradictThemselves() throws {
    let folder = try #require(TestFiles.datasets)
    var all = Contradictions()
    for set in Self.sets {
      let files = try FileManager.default.contentsOfDirectory(
        atPath: folder.appendingPathComponent(set).path)
      for file in files.sorted() where file.hasSuffix(".csv.gz") {
        guard !file.hasSuffix(".gps.csv.gz"), !file.hasSuffix(".truth.csv.gz") else { continue }
        var replay = RecordingReplay(jobs: 1)
        let path = folder.appendingPathComponent("\(set)/\(file)").path
        try replay.run(path: path) { _, output in all.add(output.samples) }
        all.end()
      }
    }
    #expect(all.seconds > 90_000)
    #expect(all.stepsOnRides == 0)
    #expect(all.footWithoutSteps * 500 < all.seconds)
    // Handling a phone is moving, unless a location says otherwise.
    #expect(all.movingAtRest * 33 < all.seconds)
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func secondsOfSimulatedOutingsDontContradictThemselves(seed: UInt64) throws {
    let outing = Scenario(seed: seed, phone: SimulatedPhone()).sampling(rate: 100)
      .rest(.seconds(60)).walk(.seconds(120)).drive(.seconds(120)).stop(.seconds(30))
      .drive(.seconds(60)).walk(.seconds(60)).run(.seconds(60)).rest(.seconds(60))
      .recording().wholeBatch()
    var replay = RecordingReplay(jobs: 1)
    var found = Contradictions()
    try replay.run(batches: [outing]) { _, output in found.add(output.samples) }
    #expect(found.seconds > 500)
    #expect(found.stepsOnRides == 0 && found.footWithoutSteps == 0)
  }
}
