import Foundation
import LocomotionGait
import TestSupport
import Testing

/// How good the answers are on real recordings; each test prints its table.
///
/// Skipped when the data sets aren't there. Thresholds leave a margin over what was measured, so
/// that they catch a change for the worse. Tuned on o1, m1, m2, u1 to u4, p1, z1 and z2.
@Suite(
  .enabled(
    if: TestFiles.datasets != nil,
    "real recordings not found: set LOCOMOTION_DATASETS or put them at ../shared/datasets"),
  .serialized)
struct GaitAccuracyTests {
  struct Score {
    var errors: [Double] = []
    var gross = 0
    var refused = 0
    var count = 0

    mutating func add(_ estimate: Cadence?, truth: Double) {
      count += 1
      guard let estimate else {
        refused += 1
        return
      }
      let error = abs(Double(estimate.stepsPerMinute) - truth)
      errors.append(error)
      if error > 0.15 * truth { gross += 1 }
    }

    static func + (a: Score, b: Score) -> Score {
      Score(
        errors: a.errors + b.errors, gross: a.gross + b.gross, refused: a.refused + b.refused,
        count: a.count + b.count)
    }

    var meanError: Double { errors.reduce(0, +) / Double(max(errors.count, 1)) }
    var medianError: Double { errors.isEmpty ? 0 : errors.sorted()[errors.count / 2] }
    var refusedPercent: Double { 100 * Double(refused) / Double(max(count, 1)) }
    var grossPercent: Double { 100 * Double(gross) / Double(max(count, 1)) }
    var row: String {
      String(
        format: "n %5d  MAE %.2f  median %.2f  refused %.2f %%  off > 15 %%: %.2f %%", count,
        meanError, medianError, refusedPercent, grossPercent)
    }
  }

  func recordings(_ set: String) throws -> (URL, [String: [RecordedWalk.Label]]) {
    let folder = try #require(TestFiles.datasets).appendingPathComponent(set)
    return (folder, Dictionary(grouping: try RecordedWalk.labels(of: folder), by: \.recording))
  }

  @Test func oxfordCadenceAndTotals() throws {
    let (folder, labels) = try recordings("oxford_steps")
    let truth = try RecordedWalk.steps(of: folder)
    var scores: [String: Score] = [:]
    var calibration = [(count: Int, right: Int, claimed: Double)](
      repeating: (0, 0, 0), count: 6)
    let edges: [Float] = [0, 0.5, 0.8, 0.9, 0.95, 0.98, 1.01]
    var totals: [String: [(error: Double, raw: Double, name: String)]] = [:]
    for (name, pieces) in labels.sorted(by: { $0.key < $1.key }) {
      let raw = try #require(truth[name])
      let steps = FootSwitches.cleaned(raw)
      let subject = pieces[0].subject
      let position = pieces[0].note.split(separator: "/")[0]
      let walk = try RecordedWalk(contentsOf: folder.appendingPathComponent(name + ".csv.gz"))
      let answers = walk.answers()
      for (index, answer) in answers.enumerated() {
        for (length, keys) in [
          (6.0, [subject, "position " + position]), (10.0, ["10 s " + subject]),
        ] {
          let begin = answer.end - length
          guard begin >= walk.start,
            let rate = FootSwitches.rate(of: steps, from: begin, to: answer.end)
          else { continue }
          var estimate = answer.update.cadence
          if length == 10, var cadence = estimate {
            // Four seconds of answers see what ten seconds of truth see.
            let recent = answers[max(0, index - 4)...index].compactMap(\.update.cadence)
            cadence.stepsPerMinute =
              recent.reduce(0) { $0 + $1.stepsPerMinute } / Float(recent.count)
            estimate = cadence
          }
          for key in keys { scores[key, default: Score()].add(estimate, truth: rate) }
          if length == 6, let cadence = estimate,
            let bin = edges.indices.dropLast().last(where: { cadence.confidence >= edges[$0] })
          {
            calibration[bin].count += 1
            calibration[bin].claimed += Double(cadence.confidence)
            if abs(Double(cadence.stepsPerMinute) - rate) < 0.05 * rate {
              calibration[bin].right += 1
            }
          }
        }
      }
      let counted = Double(answers.reduce(0) { $0 + $1.update.steps })
      totals[subject, default: []].append(
        (
          error: 100 * (counted / Double(steps.count) - 1),
          raw: 100 * (counted / Double(raw.count) - 1), name
        ))
    }
    for (key, score) in scores.sorted(by: { $0.key < $1.key }) {
      print("oxford_steps", key.padding(toLength: 22, withPad: " ", startingAt: 0), score.row)
    }
    for (index, bin) in calibration.enumerated() where bin.count > 0 {
      print(
        "oxford_steps confidence from \(edges[index]):",
        String(
          format: "n %5d claimed %.3f right within 5 %%: %.3f", bin.count,
          bin.claimed / Double(bin.count), Double(bin.right) / Double(bin.count)))
    }
    for (subject, errors) in totals.sorted(by: { $0.key < $1.key }) {
      let mean = errors.reduce(0) { $0 + abs($1.error) } / Double(errors.count)
      let rawMean = errors.reduce(0) { $0 + abs($1.raw) } / Double(errors.count)
      let bias = errors.reduce(0) { $0 + $1.error } / Double(errors.count)
      let worst = try #require(errors.max { abs($0.error) < abs($1.error) })
      let rawWorst = try #require(errors.max { abs($0.raw) < abs($1.raw) })
      print(
        "oxford_steps totals", subject,
        String(
          format: "mean |e| %.2f %% (raw switches %.2f %%)  bias %+.2f %%  worst %+.2f %%", mean,
          rawMean, bias, worst.error), worst.name,
        String(format: "(raw %+.2f %%)", rawWorst.raw), rawWorst.name)
    }
  }

  @Test func mobgapShortBouts() throws {
    let (folder, labels) = try recordings("mobgap_lab")
    let truth = try RecordedWalk.steps(of: folder)
    _ = truth
    var score = Score()
    for (name, pieces) in labels.sorted(by: { $0.key < $1.key }) {
      let walk = try RecordedWalk(contentsOf: folder.appendingPathComponent(name + ".csv.gz"))
      let answers = walk.answers()
      for piece in pieces where piece.note.hasPrefix("INDIP") {
        let rate = try #require(
          Double(piece.note.split(separator: "=").last ?? ""), "cadence in \(piece.note)")
        // Answers in the bout and while it is still in the window.
        let inside = answers.filter { $0.end > piece.start + 3 && $0.end < piece.end + 2 }
        let rates = inside.compactMap(\.update.cadence?.stepsPerMinute).sorted()
        score.add(
          rates.isEmpty
            ? nil : Cadence(stepsPerMinute: rates[rates.count / 2], confidence: 1), truth: rate)
        let counted = answers.filter { $0.end > piece.start && $0.end < piece.end + 4 }
          .reduce(0) { $0 + $1.update.steps }
        print(
          "mobgap_lab", name, piece.start, piece.end, "rate \(rate)",
          "answers", rates.map { Int($0.rounded()) }, "counted", counted, "of about",
          (piece.end - piece.start) * rate / 60)
      }
    }
    print("mobgap_lab", score.row)
  }

  struct Tally {
    var seconds = 0
    var answered = 0
    var steps: Double = 0
    var inBand = 0

    mutating func add(_ update: CadenceUpdate, band: ClosedRange<Float>) {
      seconds += 1
      steps += Double(update.steps)
      if let cadence = update.cadence {
        answered += 1
        if band.contains(cadence.stepsPerMinute) { inBand += 1 }
      }
    }
    var answeredPercent: Double { 100 * Double(answered) / Double(max(seconds, 1)) }
    var stepsPerMinute: Double { 60 * steps / Double(max(seconds, 1)) }
    var inBandPercent: Double { 100 * Double(inBand) / Double(max(answered, 1)) }
  }

  /// Tallies per label (and subject) of every second that lies within a label.
  func tallies(
    _ set: String, trimming trim: Double = 0, hint: GaitHint = .unknown,
    where include: (RecordedWalk.Label) -> Bool = { _ in true }
  ) throws -> [String: Tally] {
    let (folder, labels) = try recordings(set)
    var tallies: [String: Tally] = [:]
    for (name, pieces) in labels where pieces.contains(where: include) {
      let file = folder.appendingPathComponent(name + ".csv.gz")
      let answers = try RecordedWalk(contentsOf: file).answers(hint: hint)
      for piece in pieces where include(piece) {
        let band: ClosedRange<Float> = piece.name == "running" ? 140...190 : 60...145
        for answer in answers
        where answer.end - 1 >= piece.start + trim && answer.end <= piece.end - trim {
          for key in [piece.name, piece.name + " " + piece.subject] {
            tallies[key, default: Tally()].add(answer.update, band: band)
          }
        }
      }
    }
    for (key, tally) in tallies.sorted(by: { $0.key < $1.key }) {
      print(
        set, key.padding(toLength: 16, withPad: " ", startingAt: 0),
        String(
          format: "%5d s  answered %.1f %%  in band %.1f %%  steps/min %.2f", tally.seconds,
          tally.answeredPercent, tally.inBandPercent, tally.stepsPerMinute))
    }
    return tallies
  }

  @Test func mikaEverything() throws {
    _ = try tallies("ml4qs_mika", trimming: 3)
  }

  @Test func difronzoEverything() throws {
    _ = try tallies("difronzo")
  }

  @Test func puckEverything() throws {
    _ = try tallies("ml4qs_puck", trimming: 3)
    _ = try tallies("ml4qs_andras", trimming: 3)
  }
}
