import Foundation
import LocomotionActivityRecognition
import LocomotionJournal
import LocomotionSensing
import TestSupport
import Testing

/// Reading of days and places after a bit of the file has flipped.
@Suite struct DayDamageTests {
  /// Everything that is read of days and places, and the result of a search in the R*Tree.
  private struct Content: Equatable {
    var values: [String]
    var near: [String]

    init(_ user: UserJournal) throws(JournalError) {
      let span = try user.daySpan()
      let items = try user.dayItems(from: DayScript.time(-1e6), to: DayScript.time(1e6))
      values = [
        "\(String(describing: span))", "\(items)", "\(try user.places())",
        "\(try user.corrections())",
      ]
      near = try user.places(within: 3_000, ofLatitude: 48.1, longitude: 11.5)
        .map { "\($0)" }
    }
  }

  private enum Outcome: String {
    case right, refused, wrong
  }

  private func read(_ bytes: Data, at path: String, _ expected: Content) throws -> Outcome {
    for ending in ["-shm", "-wal"] { try? FileManager.default.removeItem(atPath: path + ending) }
    try bytes.write(to: URL(fileURLWithPath: path))
    do throws(JournalError) {
      let journal = try Journal(path: path, access: .reading)
      let content = try Content(journal.user("ada"))
      if content == expected { return .right }
      return .wrong
    } catch {
      return .refused
    }
  }

  /// The bits are in the pages that hold days and places: 3,000 in the tests, or
  /// `LOCOMOTION_BIT_FLIPS`.
  @Test func noFlippedBitOfDaysAndPlacesIsReadAsSomethingElse() throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("journal").path
      let file = URL(fileURLWithPath: path)
      do {
        let journal = try Journal(path: path)
        let user = try journal.user("ada")
        for day in 0..<10 {
          var batch = DayScript.batch(from: 0, to: 18_000)
          batch.fixes = batch.fixes.map { fix in
            var fix = fix
            fix.timestamp = fix.timestamp.advanced(byNanoseconds: Int64(day) * 86_400_000_000_000)
            return fix
          }
          try user.append(batch)
        }
      }
      let before = try Data(contentsOf: file)
      do {
        let journal = try Journal(path: path)
        let user = try journal.user("ada")
        try user.addPlaces(
          (0..<200).map { number in
            PlaceDescription(
              name: "place \(number)", latitude: 48.1 + Double(number) * 1e-3,
              longitude: 11.5 + Double(number % 10) * 1e-3)
          })
        try user.updateDays()
        for day in 0..<10 {
          let times = [0.0, 900, 13_000, 17_000].map {
            DayScript.time(Double(day) * 86_400 + $0)
          }
          try user.correctActivity(to: .cycling, from: times[0], to: times[1])
          try user.setPurpose("purpose \(day)", from: times[2], to: times[3])
        }
      }
      let after = try Data(contentsOf: file)
      let pages = (0..<after.count / 4_096).filter { page in
        let range = page * 4_096..<(page + 1) * 4_096
        return range.upperBound > before.count || before[range] != after[range]
      }
      let journal = try Journal(path: path, access: .reading)
      let expected = try Content(journal.user("ada"))
      #expect(expected.near.count > 10 && expected.values[1].contains("purpose 0"))

      let copy = folder.appendingPathComponent("flipped").path
      try #require(try read(after, at: copy, expected) == .right)
      var random = SplitMix64(seed: 23)
      var outcomes: [Outcome: Int] = [:]
      let trials = ProcessInfo.processInfo.environment["LOCOMOTION_BIT_FLIPS"].flatMap { Int($0) }
      for trial in 0..<(trials ?? 3_000) {
        var bytes = after
        let page = pages[Int(random.next() % UInt64(pages.count))]
        bytes[page * 4_096 + Int(random.next() % 4_096)] ^= 1 << UInt8(random.next() % 8)
        let outcome = try read(bytes, at: copy, expected)
        #expect(outcome != .wrong, "trial \(trial)")
        outcomes[outcome, default: 0] += 1
      }
      print(
        "flipped bits in \(pages.count) pages of days and places: "
          + "\(outcomes.map { "\($0.key.rawValue) \($0.value)" }.sorted())")
      #expect(outcomes[.refused] ?? 0 > 0)
      #expect(outcomes[.right] ?? 0 > 0)
    }
  }
}
