import BenchmarkScores
import Locomotion
import LocomotionRecordings
import TestSupport
import Testing

/// What pauses of a recording cost.
@Suite struct PauseEvaluationTests {
  /// A minute at 100 Hz with a fix every second, in batches of ten seconds.
  private static let minute: [SensorBatch] = (0..<6).map { batch in
    var result = SensorBatch()
    for index in 1000 * batch..<1000 * (batch + 1) {
      let time = Timestamp(nanoseconds: 5_000_000_000 + Int64(index) * 10_000_000)
      result.accelerations.append(x: Float(index), y: 0, z: 9.81, at: time)
      result.rotationRates.append(x: 0, y: Float(index), z: 0, at: time)
      if index.isMultiple(of: 100) {
        result.append(LocationFix(timestamp: time, latitude: 0, longitude: 0))
      }
    }
    return result
  }

  private static func count(_ batches: [SensorBatch]) -> [Int] {
    [
      batches.reduce(0) { $0 + $1.accelerations.count },
      batches.reduce(0) { $0 + $1.rotationRates.count }, batches.reduce(0) { $0 + $1.fixes.count },
    ]
  }

  /// Of a minute: nothing, 12 · .3 s, 3 · .6 s, 6 · 1 s, 2 · 3 s, 40 s and 2 · 20 s.
  @Test func piecesAreCutFromBothSensorsAndFixesStay() {
    let left = PausePattern.all.map { Self.count($0.cut(Self.minute)) }
    #expect(left.map { $0[0] } == [6000, 5640, 5820, 5400, 5400, 2000, 2000])
    #expect(left.map { $0[0] } == left.map { $0[1] })
    #expect(left.allSatisfy { $0[2] == 60 })
    let cut = PausePattern.all[5].cut(Self.minute)
    #expect(cut[1].accelerations.x.last == 1999 && cut[2].accelerations.count == 0)
    #expect(
      PausePattern.all.map(\.name) == [
        "none", "0.3 s every 5 s", "0.6 s every 20 s", "1 s every 10 s", "3 s every 30 s",
        "20 s on, 40 s off", "10 s on, 20 s off",
      ])
  }

  /// A recording that walks for twenty seconds and is driven for twenty.
  private static func dataset() throws -> LabelledDataset {
    let folder = ScratchFolder()
    let labels =
      "recording,subject,start,end,label\nr,ada,5,25,walking\nr,ada,25,45,automotive\n"
    try folder.write(labels, to: "labels.csv")
    try folder.write("t,ax,ay,az\n", to: "r.csv")
    return try LabelledDataset(folder: folder.path)
  }

  @Test func secondsAreScoredAgainstTheirLabels() throws {
    let dataset = try Self.dataset()
    var evaluation = PauseEvaluation()
    evaluation.add(Self.minute, labels: dataset.intervals) { batches in
      let isWhole = Self.count(batches)[0] == 6000
      // Walking for ten seconds, unknown for ten, then train: right for a vehicle.
      let live = (0..<60).map { second -> LocomotionSample in
        let start = Timestamp(nanoseconds: Int64(5 + second) * 1_000_000_000)
        var sample = LocomotionSample(
          start: start, end: start.advanced(byNanoseconds: 1_000_000_000))
        sample.coverage = 1
        sample.steps = isWhole ? 2 : 1.9
        sample.activity =
          switch second {
          case ..<10: ActivityDecision(activity: .walking, probabilities: .uniform)
          case ..<20: ActivityDecision(unknown: .lowConfidence, probabilities: .uniform)
          default: ActivityDecision(activity: .train, probabilities: .uniform)
          }
        return sample
      }
      var hindsight = live
      for index in 10..<20 { hindsight[index].activity = live[0].activity }
      return (live, hindsight)
    }
    let rows = evaluation.text.split(separator: "\n").map {
      $0.split(separator: " ").joined(separator: " ")
    }
    #expect(rows.contains("none 40 75.0 % 25.0 % 100.0 % 100.0 % 0.0 %"))
    #expect(rows.contains("1 s every 10 s 40 75.0 % 25.0 % 100.0 % 95.0 % 5.0 %"))
  }
}
