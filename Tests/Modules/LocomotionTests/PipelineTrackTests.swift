import Foundation
import Locomotion
import LocomotionActivityRecognition
import SensorSimulator
import TestSupport
import Testing

/// Activities by fixes alone, where there are no accelerations.
@Suite struct PipelineTrackTests {
  /// The default model without its term for fixes.
  private static let plain = ActivityModel.default.with(track: nil)

  private static func outing(seed: UInt64) -> SensorBatch {
    Scenario(seed: seed).rest(.seconds(60), sky: .open).walk(.minutes(5)).drive(.minutes(8))
      .walk(.minutes(3)).recording().wholeBatch()
  }

  private static func fixes(of batch: SensorBatch, every seconds: Int = 1) -> SensorBatch {
    var result = SensorBatch()
    for (index, fix) in batch.fixes.enumerated() where index % seconds == 0 { result.append(fix) }
    return result
  }

  @Test(arguments: [1, 30])
  func aWalkAndADriveAreTold(period: Int) throws {
    let output = run([Self.fixes(of: Self.outing(seed: 5), every: period)])
    var samples = output.samples
    Hindsight.smoothActivities(of: &samples)
    let start = try #require(samples.first?.start)
    func share(of expected: Activity, _ range: Range<Double>) -> Double {
      let part = samples.filter { range.contains($0.start.seconds(since: start)) }
      let right = part.count { $0.activity?.activity?.parent == expected }
      return Double(right) / Double(max(1, part.count))
    }
    #expect(share(of: .walking, 120..<330) > 0.8)
    #expect(share(of: .automotive, 480..<800) > 0.8)
  }

  @Test func withoutATermThereIsNoAnswer() {
    let batch = Self.fixes(of: Self.outing(seed: 6))
    let output = run([batch], through: LocomotionPipeline(model: Self.plain))
    #expect(output.samples.allSatisfy { $0.activity == nil && $0.activityEvidence == nil })
  }

  @Test func accelerationsAnswerAsIfThereWereNoTerm() {
    let batch = Self.outing(seed: 7)
    let plain = run([batch], through: LocomotionPipeline(model: Self.plain))
    #expect(bytes(of: run([batch])) == bytes(of: plain))
  }

  @Test func fixesAnswerAfterAccelerationsEnd() throws {
    let whole = Self.outing(seed: 8)
    var cut = Self.fixes(of: whole)
    let start = try #require(whole.accelerations.timestamps.first)
    let series = whole.accelerations
    for index in 0..<series.count where series.timestamps[index].seconds(since: start) < 100 {
      cut.append(
        Acceleration(x: series.x[index], y: series.y[index], z: series.z[index]),
        at: series.timestamps[index])
    }
    let samples = run([cut]).samples
    let later = samples.filter { $0.start.seconds(since: start) > 150 }
    #expect(later.count > 500)
    #expect(later.allSatisfy { $0.activityEvidence?.isFromFixes ?? false })
    let seconds = later.compactMap { $0.activityEvidence?.elapsedSeconds }
    #expect(seconds.allSatisfy { $0 >= 1 })
    #expect(samples.contains { $0.hasWindow })
  }

  @Test(arguments: [1, 20]) func aPipelineOfFixesAloneIsAStage(period: Int) {
    let batch = Self.fixes(of: Self.outing(seed: 9), every: period)
    #expect(checkPipeline(events(of: batch)) == [])
  }
}
