import BenchmarkScores
import Foundation
import Locomotion
import TestSupport
import Testing

struct LocationEvaluationTests {
  private let script = TrackScript()

  /// Ten minutes' rest, five minutes at 10 m/s, ten minutes' rest, with noisy fixes.
  private func day(noise: Double, seed: UInt64 = 1) -> (LocomotionOutput, LocationTruth) {
    var random = SplitMix64(seed: seed)
    var (moments, batch): ([LocationTruth.Moment], SensorBatch) = ([], SensorBatch())
    for second in 0...1_500 {
      let isMoving = (600..<900).contains(second)
      let east = 10 * Double(min(max(second - 600, 0), 300))
      moments.append(script.moment(Double(second), east: east, isMoving: isMoving))
      batch.append(
        script.fix(
          Double(second), east: east + noise * random.nextNormal(),
          north: noise * random.nextNormal(), accuracy: max(1, 1.515 * noise),
          speed: isMoving ? 10 : 0, course: isMoving ? 90 : nil))
    }
    var (pipeline, output) = (LocomotionPipeline(), LocomotionOutput())
    pipeline.ingest(batch, into: &output)
    pipeline.finish(into: &output)
    let ends = [(0.0, 600.0, 0.0), (900, 1_501, 3_000)].map { start, end, east in
      let place = script.plane.geodetic(SIMD2(east, 0))
      return StayInterval(
        start: TrackScript.time(start), end: TrackScript.time(end), latitude: place.latitude,
        longitude: place.longitude)
    }
    return (output, LocationTruth(moments: moments, stays: ends))
  }

  @Test func exactFixesHaveNoErrorAndTheirStaysAreDetected() throws {
    var evaluation = LocationEvaluation(baselines: .all)
    let (output, truth) = day(noise: 0)
    evaluation.add("exact", output: output, truth: truth)
    let scores = evaluation.recordings[0]
    #expect(
      scores.tracks.map(\.name).prefix(4) == [
        "ours, live", "ours, 6 s later", "ours, looking back", "raw fixes",
      ])
    let raw = scores.tracks[3]
    #expect(raw.fixes == 1_501 && (raw.errors.max() ?? 1) < 1e-6 && raw.motion?.wrong == 0)
    for ours in scores.tracks.prefix(3) {
      #expect(ours.errors.count == 1_501 && (ErrorSize(ours.errors)?.rms ?? 9) < 5)
    }
    let stays = try #require(scores.stays.first)
    #expect(stays.name == "ours" && stays.f1 == 1)
  }

  @Test func pooledScoresHoldAllRecordings() {
    var evaluation = LocationEvaluation(baselines: .all)
    for seed in [1, 2] as [UInt64] {
      let (output, truth) = day(noise: 5, seed: seed)
      evaluation.add("day \(seed)", output: output, truth: truth)
    }
    let pooled = evaluation.pooled
    for (index, score) in pooled.tracks.enumerated() {
      let parts = evaluation.recordings.map { $0.tracks[index].errors.count }
      #expect(score.errors.count == parts.reduce(0, +))
    }
    #expect(pooled.stays.allSatisfy { $0.truths == 4 })
    let raw = pooled.tracks.first { $0.name == "raw fixes" }
    // Rayleigh: RMS σ√2 of 3,002 fixes, within 5 standard errors.
    #expect(ErrorSize(raw?.errors ?? []).map { abs($0.rms - 5 * 2.0.squareRoot()) < 0.33 } ?? false)
  }

  @Test func movingStatesOfEverySecondAreScoredToo() throws {
    var evaluation = LocationEvaluation(baselines: .all)
    let (output, truth) = day(noise: 3)
    evaluation.add("day", output: output, truth: truth)
    let score = try #require(evaluation.recordings[0].tracks.last)
    #expect(score.name == "ours, every second" && score.fixes == 0 && score.errors.isEmpty)
    let motion = try #require(score.motion)
    // The last sample ends a second after the last moment of the truth.
    #expect(motion.decisions == output.samples.count - 1)
    #expect(motion.startLatencies.count + motion.missedStarts == 1)
    #expect(motion.error.map { $0 < 0.05 } ?? false)
  }

  @Test func withoutTrueStaysNoneAreScored() {
    var evaluation = LocationEvaluation(baselines: .all)
    let (output, truth) = day(noise: 3)
    evaluation.add("day", output: output, truth: LocationTruth(moments: truth.moments))
    #expect(evaluation.recordings[0].stays.isEmpty)
    #expect(!evaluation.text.contains("Stays"))
  }

  @Test func tablesAreAlignedAndNameEveryMethod() {
    var evaluation = LocationEvaluation(baselines: .all)
    let (output, truth) = day(noise: 3)
    evaluation.add("one", output: output, truth: truth)
    let single = evaluation.text
    evaluation.add("two", output: output, truth: truth)
    let text = evaluation.text
    for baseline in LocationEvaluation.Baselines.all.tracks {
      #expect(text.contains(baseline.name))
    }
    #expect(text.contains("== one ==") && text.contains("== all recordings =="))
    #expect(text.contains("== geometric mean") && !single.contains("geometric"))
    let tables = text.split(separator: "\n").filter { $0.hasPrefix("ours, live") }
    // Two each for two recordings and the pool, and the means.
    #expect(tables.count == 7)
  }

  @Test func jsonHoldsTheFiguresOfTheTables() throws {
    var evaluation = LocationEvaluation(baselines: .all)
    let (output, truth) = day(noise: 4)
    evaluation.add("day", output: output, truth: truth)
    let parsed = try JSONSerialization.jsonObject(with: Data(evaluation.json.utf8))
    let document = try #require(parsed as? [String: Any])
    let recordings = try #require(document["recordings"] as? [[String: Any]])
    let tracks = try #require(recordings.first?["tracks"] as? [[String: Any]])
    #expect(tracks.count == 13)
    let raw = try #require(tracks.first { $0["name"] as? String == "raw fixes" })
    let errors = try #require(raw["errorMetres"] as? [String: Double])
    let expected = try #require(ErrorSize(evaluation.recordings[0].tracks[3].errors))
    #expect(errors["rms"] == expected.rms && errors["percentile95"] == expected.percentile95)
    #expect((raw["relativeToRaw"] as? [String: Double])?["rms"] == 1)
    let stays = try #require(recordings.first?["stays"] as? [[String: Any]])
    #expect(stays.count == 5 && stays[0]["truths"] as? Int == 2)
    #expect(document["pooled"] != nil)
  }

  @Test func emptyOutputIsNotScored() {
    var evaluation = LocationEvaluation(baselines: .all)
    evaluation.add("empty", output: LocomotionOutput(), truth: script.ride())
    #expect(evaluation.recordings[0].tracks.allSatisfy { $0.fixes == 0 && $0.errors.isEmpty })
    #expect(evaluation.text.contains("ours, live"))
  }
}
