import BenchmarkScores
import Foundation
import LocomotionActivityRecognition
import LocomotionRecordings
import LocomotionSensing
import LocomotionTraining
import TestSupport
import Testing

struct CorrectionReplayTests {
  /// People of three sets who each move in their own way: of each, twelve recordings of one
  /// activity with ten windows, whose features are shifted by up to `oddity`.
  private func set(oddity: Double, seed: UInt64 = 4) -> TrainingSet {
    var random = SplitMix64(seed: seed)
    var set = TrainingSet(featureCount: 4)
    for person in 0..<12 {
      let own = (0..<4).map { _ in oddity * (2 * random.nextUniform() - 1) }
      for recording in 0..<12 {
        for window in 0..<10 {
          let row = (0..<4).map { feature in
            Float((feature == recording % 3 ? 2 : 0) + own[feature] + 0.5 * random.nextNormal())
          }
          set.append(
            row, activity: Activity.allCases[recording % 3],
            origin: RecordingOrigin(
              dataset: "set\(person % 3)", person: "p\(person)", recording: "r\(recording)"),
            end: Timestamp(nanoseconds: Int64(window + 1) * 2_560_000_000))
        }
      }
    }
    return set
  }

  @Test func oddPeopleGainByTheirCorrections() throws {
    let rows = try CorrectionReplay(of: set(oddity: 2)).rows()
    #expect(rows.map(\.corrections) == [1, 3, 10])
    #expect(rows.allSatisfy { $0.people == 12 })
    let last = try #require(rows.last)
    #expect(last.baseError > 0.15)
    #expect(last.error < 0.7 * last.baseError)
    #expect(last.medianReduction > 0.5 && last.better > 0.6 && last.worse < 0.2)
    // The interval holds the mean, and says that there is a gain.
    #expect(last.gain.lowerBound > 0 && last.gain ~= last.baseError - last.error)
    // Not all people have stretches of each activity to be judged by.
    #expect(last.activities.count > 1)
    #expect(last.activities.allSatisfy { 1...12 ~= $0.people && 0...1 ~= $0.error })
    #expect(last.activities.contains { $0.error < 0.7 * $0.baseError })
    // The same people, the same order.
    #expect(try CorrectionReplay(of: set(oddity: 2)).rows() == rows)
  }

  @Test func ordinaryPeopleLoseNothing() throws {
    let rows = try CorrectionReplay(of: set(oddity: 0)).rows()
    for row in rows {
      #expect(row.baseError < 0.02 && row.error < 0.03)
      #expect(row.worse < 0.2 && row.lossOfOthers < 0.02)
    }
  }

  @Test func wrongCorrectionsAreWorseThanRightOnes() throws {
    let replay = try CorrectionReplay(of: set(oddity: 2))
    let (right, wrong) = (replay.rows(), replay.rows(wrong: 0.9))
    let last = try #require(wrong.last)
    let best = try #require(right.last)
    #expect(last.error > best.error)
  }

  /// People of thirteen sets, each set left out of the base; what is asked of all together.
  @Test(
    .enabled(
      if: TestFiles.datasets != nil, "the recordings are absent: set LOCOMOTION_DATASETS"))
  func recordedPeopleGainAndOthersLoseLittle() throws {
    let folder = try #require(TestFiles.datasets)
    var collector = WindowCollector()
    for name in [
      "bratislava_mhd", "difronzo", "har_mcservenka", "ml4qs_andras", "ml4qs_babur", "ml4qs_g67",
      "ml4qs_lars", "ml4qs_mika", "ml4qs_puck", "ml4qs_siberia", "ml4qs_valentijn", "mobifall",
      "motionsense",
    ] {
      let path = folder.appendingPathComponent(name).path
      let description = TestFiles.packageRoot
        .appendingPathComponent("Datasets/Descriptions/\(name).json").path
      let dataset = try LabelledDataset(
        folder: path, descriptor: DatasetDescriptor(path: description))
      try collector.collect(dataset)
    }
    let replay = try CorrectionReplay(of: collector.set)
    // With fewer sets in the base more people are worse than in the article's table.
    for row in replay.rows() where row.corrections <= 10 {
      #expect(row.error < 0.95 * row.baseError, "\(row)")
      #expect(row.worse <= 0.15 && row.worse <= row.better, "\(row)")
      #expect(row.lossOfOthers <= 0.005, "\(row)")
    }
    let wrong = try #require(replay.rows(wrong: 0.05).first { $0.corrections == 10 })
    #expect(wrong.error < 0.95 * wrong.baseError, "\(wrong)")
  }
}
