import BenchmarkScores
import Foundation
import Locomotion
import LocomotionRecordings
import TestSupport
import Testing

struct CadenceEvaluationTests {
  private let folder = ScratchFolder()

  /// A data set of one recording of `seconds` with contacts at `contacts`.
  private func dataset(
    contacts: [Double], seconds: Int, label: String = "walking"
  ) throws -> LabelledDataset {
    let labels =
      "recording,subject,start,end,label,note\nwalk,p1,0,\(seconds),\(label),pocket/hard\n"
    // Neither of another recording nor of another instrument than the note names.
    let steps =
      "recording,system,t\nride,pocket,0.1\nwalk,foot,0.1\n"
      + contacts.map { "walk,pocket,\($0)\n" }.joined()
    let files = [("labels.csv", labels), ("steps.csv", steps), ("walk.csv", "t,ax,ay,az\n")]
    for (name, text) in files { try folder.write(text, to: name) }
    return try LabelledDataset(folder: folder.path)
  }

  private func samples(
    _ seconds: Range<Int>, cadence: (Int) -> Float?, steps: (Int) -> Float = { _ in 0 }
  ) -> [LocomotionSample] {
    seconds.map { second in
      let start = Int64(second) * 1_000_000_000
      var sample = LocomotionSample(
        start: Timestamp(nanoseconds: start), end: Timestamp(nanoseconds: start + 1_000_000_000))
      sample.activity = ActivityDecision(
        activity: .walking,
        probabilities: ActivityProbabilities(weights: { $0 == .walking ? 1 : 0 }))
      sample.cadence = cadence(second).map { Cadence(stepsPerMinute: $0, confidence: 1) }
      sample.steps = steps(second)
      return sample
    }
  }

  private func text(
    _ samples: [LocomotionSample], in dataset: LabelledDataset
  ) throws -> [String: [String]] {
    var evaluation = CadenceEvaluation()
    try evaluation.add(
      .init(live: samples, smoothed: samples, unhinted: samples), of: "walk", in: dataset)
    var rows: [String: [String]] = [:]
    var table = ""
    for line in evaluation.text.split(separator: "\n") {
      if line.hasSuffix(":") { table = String(line) }
      let parts = line.components(separatedBy: "  ").map { $0.trimmingCharacters(in: .whitespaces) }
        .filter { !$0.isEmpty }
      if let name = parts.first { rows[table + name] = Array(parts.dropFirst()) }
    }
    return rows
  }

  /// 100 steps per minute from contact to contact, 0.6 s apart.
  private let even = (0..<150).map { 0.3 + 0.6 * Double($0) }

  @Test func anOffsetOfTheRateGivesThatError() throws {
    let dataset = try dataset(contacts: even, seconds: 90)
    let rows = try text(samples(0..<90) { _ in 102 }, in: dataset)
    let row = try #require(
      rows["Step rate in 10 s, steps/min, against foot contacts:\(dataset.name), live"])
    // Windows begin at 0 to 80 s.
    #expect(Array(row.prefix(5)) == ["81", "2.00", "2.00", "0.00", "2.00"])
    #expect(row.suffix(2) == ["0.00 %", "0.00 %"])
  }

  @Test func windowsWithoutARateAreCountedAsMissing() throws {
    let dataset = try dataset(contacts: even, seconds: 90)
    let rows = try text(samples(0..<90) { $0 < 45 ? 100 : nil }, in: dataset)
    let row = try #require(
      rows["Step rate in 10 s, steps/min, against foot contacts:\(dataset.name), live"])
    // Windows that begin at 45 to 80 s have no rate: 36 of 81.
    #expect(row[5] == "44.44 %")
    #expect(row[1] == "0.00")
  }

  @Test func bouncesAreDroppedMissesAreFilledAndBothAreIrregular() throws {
    var contacts = even
    contacts.remove(at: 40)
    contacts.append(60.5)
    let dataset = try dataset(contacts: contacts, seconds: 90)
    let rows = try text(
      samples(0..<90, cadence: { _ in 100 }, steps: { _ in 100.0 / 60 }), in: dataset)
    let row = try #require(
      rows["Step rate in 10 s, steps/min, against foot contacts:\(dataset.name), live"])
    #expect(Array(row.prefix(3)) == ["81", "0.00", "0.00"])
    let total = try #require(rows["Steps per recording:\(dataset.name), live"])
    // 150 contacts in 90 s at 100 per minute.
    // Sums of thirds may be below zero by rounding.
    let unsigned = total.map { $0.replacing("-", with: "") }
    #expect(unsigned == ["1", "0.00 %", "0.00 %", "0.00 %"])
  }

  @Test func unevenContactsGiveAReferenceUncertainty() throws {
    // Contacts 50 ms early and late in turn: between the outer ones of an odd number of intervals
    // the rate has an error, interpolated at fixed ends it has none.
    let uneven = even.enumerated().map { $1 + ($0 % 2 == 0 ? -0.05 : 0.05) }
    let dataset = try dataset(contacts: uneven, seconds: 90)
    let row = try #require(
      try text(samples(0..<90) { _ in 100 }, in: dataset)[
        "Step rate in 10 s, steps/min, against foot contacts:\(dataset.name), live"])
    let ownError = try #require(Double(row[3]))
    #expect(ownError > 0.2 && ownError < 1.1)
    #expect(row[1] == row[2])
  }

  @Test func stepsOnARideAreReportedPerMinute() throws {
    let dataset = try dataset(contacts: [], seconds: 90, label: "automotive")
    let rows = try text(
      samples(0..<90, cadence: { $0 == 50 ? 150 : nil }, steps: { $0 == 50 ? 7 : 0 }), in: dataset)
    let row = try #require(rows["Seconds by label:\(dataset.name) automotive, live"])
    // Three seconds at either end aren't evaluated.
    #expect(row == ["84", "1.19 %", "100.00 %", "5.00"])
  }
}
