import Foundation
import LocomotionGait
import LocomotionRecordings
import TestSupport
import Testing

/// The accuracy on real recordings.
///
/// Skipped when the data sets aren't present. Thresholds leave a margin over the measured values,
/// so that they detect regressions. Tuned on o1, m1, m2, u1 to u4, p1, z1 and z2.
@Suite(
  .enabled(
    if: TestFiles.datasets != nil,
    "real recordings not found: set LOCOMOTION_DATASETS or put them at ../shared/datasets"),
  .serialized)
struct GaitAccuracyTests {
  func recordings(
    _ set: String
  ) throws -> (dataset: LabelledDataset, labels: [String: [LabelledDataset.Interval]]) {
    let folder = try #require(TestFiles.datasets).appendingPathComponent(set)
    let dataset = try LabelledDataset(folder: folder.path)
    return (dataset, Dictionary(grouping: dataset.intervals, by: \.recording))
  }

  /// The times of the steps of every recording by one instrument, sorted.
  private func steps(
    of dataset: LabelledDataset, by system: String = ""
  ) throws -> [String: [Double]] {
    var rows = try TableRows(LineReader(path: "\(dataset.folder)/steps.csv"))
    let columns = try rows.positions(of: ["recording", "t"], expected: "recording,t[,system]")
    var steps: [String: [Double]] = [:]
    while try rows.next() {
      guard rows.text(at: rows.position(of: "system")) == system else { continue }
      steps[rows.text(at: columns[0]), default: []].append(try rows.number(at: columns[1]))
    }
    return steps.mapValues { $0.sorted() }
  }

  @Test func oxfordCadenceAndTotalsAreWithinBounds() throws {
    let (dataset, labels) = try recordings("oxford_steps")
    let truth = try steps(of: dataset)
    var scores: [String: CadenceScore] = [:]
    // Of the estimates whose confidence is 98 % or more.
    var sure = (count: 0, right: 0)
    var totals: [String: [Double]] = [:]
    var silent = (alone: 0, known: 0, of: 0)
    for (name, pieces) in labels.sorted(by: { $0.key < $1.key }) {
      let steps = FootSwitches.cleaned(try #require(truth[name]))
      let subject = pieces[0].subject
      let position = pieces[0].note.split(separator: "/")[0]
      let walk = try RecordedWalk(name, of: dataset)
      // As in the pipeline, whose classifier classifies all of these as walking.
      let answers = walk.answers(hint: GaitHint(walkingProbability: 0.9))
      let alone = walk.answers().filter { $0.update.cadence == nil }
      let known = answers.filter { $0.update.cadence == nil }
      silent.alone += alone.count
      silent.known += known.count
      silent.of += answers.count
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
            // Four seconds of estimates cover the same samples as ten seconds of reference.
            let recent = answers[max(0, index - 4)...index].compactMap(\.update.cadence)
            cadence.stepsPerMinute =
              recent.reduce(0) { $0 + $1.stepsPerMinute } / Float(recent.count)
            estimate = cadence
          }
          for key in keys { scores[key, default: CadenceScore()].add(estimate, truth: rate) }
          if length == 6, let cadence = estimate, cadence.confidence >= 0.98 {
            sure.count += 1
            sure.right += abs(Double(cadence.stepsPerMinute) - rate) < 0.05 * rate ? 1 : 0
          }
        }
      }
      // Ten seconds of lagged estimates, as `locomotion cadence` prints.
      for index in answers.indices.dropFirst(9 + CadenceEstimator.lagSeconds) {
        let end = answers[index - CadenceEstimator.lagSeconds].end
        guard end - 10 >= walk.start,
          let rate = FootSwitches.rate(of: steps, from: end - 10, to: end)
        else { continue }
        let known = answers[(index - 9)...index].compactMap(\.update.laggedCadence)
        var lagged = known.last
        lagged?.stepsPerMinute =
          known.reduce(0) { $0 + $1.stepsPerMinute } / Float(known.count)
        scores["10 s lagged " + subject, default: CadenceScore()].add(
          known.count >= 5 ? lagged : nil, truth: rate)
      }
      let counted = Double(answers.reduce(0) { $0 + $1.update.steps })
      totals[subject, default: []].append(100 * (counted / Double(steps.count) - 1))
    }
    // Both counts include the seconds before the first and after the last steps.
    #expect(silent.known < silent.of / 25)
    #expect(silent.alone < silent.of / 16)
    for subject in ["o1", "o2"] {
      let sixSeconds = try #require(scores[subject])
      let tenSeconds = try #require(scores["10 s " + subject])
      #expect(sixSeconds.meanError < 1.4)
      #expect(sixSeconds.grossPercent < 0.4)
      #expect(sixSeconds.refusedPercent < 1.3)
      #expect(tenSeconds.meanError < 1.0)
      #expect(tenSeconds.grossPercent < 0.2)
      let lagged = try #require(scores["10 s lagged " + subject])
      #expect(lagged.meanError < 0.8)
      #expect(lagged.meanError < 0.95 * tenSeconds.meanError)
      #expect(lagged.refusedPercent < 0.5)
    }
    for (key, score) in scores where key.hasPrefix("position") {
      #expect(score.grossPercent < 1, "\(key)")
      #expect(score.refusedPercent < 2.5, "\(key)")
    }
    #expect(Double(sure.right) / Double(sure.count) > 0.97)
    for (subject, errors) in totals {
      #expect(errors.reduce(0) { $0 + abs($1) } / Double(errors.count) < 0.9, "\(subject)")
      #expect(errors.allSatisfy { abs($0) < 3 }, "\(subject): \(errors)")
    }
  }

  /// Bouts of 4 to 12 s, lower back, slow and soft: the hardest data set.
  @Test func mobgapShortBoutsAreWithinBounds() throws {
    let (dataset, labels) = try recordings("mobgap_lab")
    let truth = try steps(of: dataset, by: "INDIP")
    var score = CadenceScore()
    var countErrors: [Double] = []
    for (name, pieces) in labels.sorted(by: { $0.key < $1.key }) {
      let walk = try RecordedWalk(name, of: dataset)
      let answers = walk.answers(hint: GaitHint(walkingProbability: 0.9))
      for piece in pieces where piece.note.hasPrefix("INDIP") {
        let (start, end) = (piece.start.seconds, piece.end.seconds)
        let rate = try #require(
          Double(piece.note.split(separator: "=").last ?? ""), "cadence in \(piece.note)")
        // Estimates in the bout and while it is still in the window.
        let rates = answers.filter { $0.end > start + 3 && $0.end < end + 2 }
          .compactMap(\.update.cadence?.stepsPerMinute).sorted()
        score.add(
          rates.isEmpty ? nil : Cadence(stepsPerMinute: rates[rates.count / 2], confidence: 1),
          truth: rate)
        let counted = answers.filter { $0.end > start && $0.end < end + 4 }
          .reduce(0) { $0 + Double($1.update.steps) }
        let steps = (truth[name] ?? []).filter { $0 >= start - 0.05 && $0 <= end + 0.05 }
        countErrors.append(counted - Double(steps.count))
      }
    }
    let meanCountError = countErrors.reduce(0) { $0 + abs($1) } / Double(countErrors.count)
    print("mobgap_lab: steps/min off \(score.meanError), steps off per bout \(meanCountError)")
    #expect(score.refused <= 1)
    #expect(score.gross == 0)
    #expect(score.meanError < 4.5)
    #expect(meanCountError < 2.5)
  }

  /// Tallies per label (and subject) of every second that lies within a label.
  func tallies(
    _ set: String, trimming trim: Double = 0, hint: GaitHint = .unknown,
    where include: (LabelledDataset.Interval) -> Bool = { _ in true }
  ) throws -> [String: LabelTally] {
    let (dataset, labels) = try recordings(set)
    var tallies: [String: LabelTally] = [:]
    for (name, pieces) in labels where pieces.contains(where: include) {
      let answers = try RecordedWalk(name, of: dataset).answers(hint: hint)
      for piece in pieces where include(piece) {
        let band: ClosedRange<Float> = piece.label == "running" ? 140...190 : 60...145
        for answer in answers
        where answer.end - 1 >= piece.start.seconds + trim
          && answer.end <= piece.end.seconds - trim
        {
          for key in [piece.label, piece.label + " " + piece.subject] {
            tallies[key, default: LabelTally()].add(answer.update, band: band)
          }
        }
      }
    }
    return tallies
  }

  /// The held-out people are m3 and m4.
  ///
  /// Both ends of each label, where phones are handled, are excluded.
  @Test func mikasActivitiesGiveTheirStepRates() throws {
    let tallies = try tallies("ml4qs_mika", trimming: 3)
    let walking = try #require(tallies["walking"])
    #expect(walking.answeredPercent > 97.5 && walking.inBandPercent > 99.5)
    let running = try #require(tallies["running"])
    #expect(running.answeredPercent > 96 && running.inBandPercent > 95)
    #expect(try #require(tallies["automotive"]).stepsPerMinute < 0.3)
    #expect(try #require(tallies["other"]).stepsPerMinute < 0.4)
    #expect(try #require(tallies["stationary"]).stepsPerMinute < 0.1)
    #expect(try #require(tallies["cycling"]).stepsPerMinute < 30)
  }

  @Test func hintsOfTheClassifierRuleRidesOut() throws {
    let cycling = try tallies(
      "ml4qs_mika", trimming: 3, hint: GaitHint(vehicleProbability: 0.02, cyclingProbability: 0.95),
      where: { $0.label == "cycling" })
    #expect(try #require(cycling["cycling"]).stepsPerMinute < 12)
    let riding = try tallies(
      "ml4qs_mika", trimming: 3, hint: GaitHint(vehicleProbability: 0.9, cyclingProbability: 0.02),
      where: { $0.label == "automotive" })
    #expect(try #require(riding["automotive"]).stepsPerMinute < 0.3)
    // An uncertain hint keeps a walker's steps.
    let walking = try tallies(
      "ml4qs_mika", trimming: 3, hint: GaitHint(vehicleProbability: 0.25, cyclingProbability: 0.25),
      where: { $0.label == "walking" })
    #expect(try #require(walking["walking"]).answeredPercent > 94)
  }

  /// Tuned on u1 to u4.
  ///
  /// Labels begin with the first step, so the first seconds have no estimate.
  @Test func difronzosActivitiesGiveTheirStepRates() throws {
    let tallies = try tallies("difronzo")
    #expect(try #require(tallies["stationary"]).stepsPerMinute < 1)
    #expect(try #require(tallies["walking"]).answeredPercent > 88)
    #expect(try #require(tallies["walking"]).inBandPercent > 99)
  }

  /// Tuned on p1, z1 and z2.
  ///
  /// Two of andras' walks contain rests.
  @Test func otherPhonesOnTrainsAndRunsGiveTheirStepRates() throws {
    let puck = try tallies("ml4qs_puck", trimming: 3)
    #expect(try #require(puck["running"]).inBandPercent > 98)
    #expect(try #require(puck["running"]).answeredPercent > 97.5)
    // Smooth rails sway the phone as a slow walker's hand does; only the classifier separates them.
    #expect(try #require(puck["train"]).stepsPerMinute < 3)
    #expect(try #require(puck["automotive"]).stepsPerMinute < 0.5)
    let known = try tallies(
      "ml4qs_puck", trimming: 3, hint: GaitHint(vehicleProbability: 0.9, cyclingProbability: 0.02),
      where: { $0.label == "train" || $0.label == "automotive" })
    #expect(try #require(known["train"]).stepsPerMinute < 0.2)
    #expect(try #require(known["automotive"]).stepsPerMinute < 0.2)
    let andras = try tallies("ml4qs_andras", trimming: 3)
    #expect(try #require(andras["stationary"]).stepsPerMinute < 1)
  }
}
