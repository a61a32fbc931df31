import Foundation
import LocomotionActivityRecognition
import LocomotionJournal
import LocomotionSensing
import TestSupport
import Testing

/// What a user's corrections teach, and what becomes of the windows that are kept for it.
@Suite struct LearningTests {
  private let folder = ScratchFolder()

  private func time(_ second: Double) -> Timestamp {
    Timestamp(nanoseconds: 1_700_006_400_000_000_000 + Int64(second * 1e9))
  }

  /// Two minutes of each of five rhythms, one after the other, or the first of them.
  private func batch(rhythms: Int = 5, from start: Timestamp? = nil) -> JournalBatch {
    let start = start ?? time(0)
    var random = SplitMix64(seed: 11)
    var batch = JournalBatch()
    for index in 0..<12_000 * rhythms {
      let rhythm = [37, 47, 61, 71, 83][index / 12_000]
      let swing = index % rhythm < rhythm / 2 ? 1.5 : -1.5
      batch.accelerations.append(
        x: (random.nextNormal() * 300).rounded() / 1_000, y: 0.5,
        z: ((9.8 + swing + random.nextNormal() * 0.3) * 1_000).rounded() / 1_000,
        at: start.advanced(byNanoseconds: Int64(index) * 10_000_000))
    }
    return batch
  }

  private func withRecording(_ body: (Journal, UserJournal) throws -> Void) throws {
    try withJournal { journal, user in
      try user.append(batch())
      try user.updateDays()
      try body(journal, user)
    }
  }

  @Test func aCorrectionTeachesAndUndoingItTakesThatBack() throws {
    try withRecording { _, user in
      #expect(try user.learnedModel().outcome == .nothingStated)
      try user.correctActivity(to: .cycling, from: time(10), to: time(100))
      let one = try user.learnedModel()
      #expect(one.outcome == .learned && one.stretches == 1)
      try user.correctActivity(to: .train, from: time(130), to: time(220))
      let two = try user.learnedModel()
      #expect(two.stretches == 2 && two.model != one.model)
      try user.removeEdit(#require(user.edits().last))
      #expect(try user.learnedModel() == one)
      try user.removeEdit(#require(user.edits().last))
      #expect(try user.learnedModel().model == .default)
    }
  }

  /// The later correction holds where two overlap, so that no window has two labels.
  @Test func anOverlappedCorrectionTeachesWhatIsLeftOfIt() throws {
    try withRecording { _, user in
      try user.correctActivity(to: .cycling, from: time(0), to: time(100))
      try user.correctActivity(to: .running, from: time(0), to: time(100))
      #expect(try user.learnedModel().stretches == 1)
      try user.removeEdit(#require(user.edits().first))
      let alone = try user.learnedModel()
      #expect(alone.stretches == 1)
    }
  }

  @Test func aCopyGivesTheSameModelAlsoForReading() throws {
    let path = folder.path("journal")
    func model() throws -> [UInt8] {
      let user = try folder.user()
      try user.append(batch())
      try user.correctActivity(to: .cycling, from: time(10), to: time(100))
      try user.correctActivity(to: .train, from: time(250), to: time(300))
      return try user.learnedModel().model.file
    }
    let learned = try model()
    let copy = folder.path("copy")
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    let reader = try Journal(path: copy, access: .reading).user("ada")
    #expect(try reader.learnedModel().model.file == learned)
  }

  @Test func aUserLearnsNothingFromAnother() throws {
    try withRecording { journal, ada in
      let bob = try journal.user("bob")
      try bob.append(batch())
      try ada.correctActivity(to: .cycling, from: time(10), to: time(100))
      let learned = try ada.learnedModel()
      #expect(try bob.learnedModel().outcome == .nothingStated)
      try bob.correctActivity(to: .train, from: time(10), to: time(100))
      #expect(try bob.learnedModel().model != learned.model)
      try bob.erase()
      #expect(try ada.learnedModel() == learned)
    }
  }

  @Test func whatIsErasedTeachesNothingNorDoesAWindowThatReachesIntoIt() throws {
    try withRecording { _, user in
      try user.correctActivity(to: .cycling, from: time(10), to: time(110))
      #expect(try user.learnedModel().outcome == .learned)
      try user.erase(from: time(50), to: time(600))
      let learned = try user.learnedModel()
      // The windows of the first forty seconds are left.
      #expect(learned.stretches == 1)
      try user.erase(from: time(0), to: time(600))
      #expect(try user.learnedModel().outcome == .nothingStated)
    }
  }

  /// Units hold the edits, and neither the windows nor anything that depends on them.
  @Test func windowsAreNotUploaded() throws {
    try withRecording { _, user in
      try user.correctActivity(to: .cycling, from: time(10), to: time(100))
      try UnitScript.makeUnits(user)
      let before = try user.units().map(\.digest)
      _ = try user.learnedModel()
      try UnitScript.makeUnits(user)
      #expect(try user.units().map(\.digest) == before)
      #expect(try user.edits().count == 1)
    }
  }

  @Test func learningNeedsNoSamplesOnceItHasTheWindows() throws {
    try withJournal { _, user in
      try UnitScript.record(user, until: 3_000, seed: 1)
      // Outside the minutes in which the script has accelerations.
      try user.append(batch(rhythms: 1, from: DayScript.time(3_200)))
      try UnitScript.record(user, until: 18_000, seed: 1)
      try user.updateDays()
      try user.correctActivity(
        to: .train, from: DayScript.time(3_200), to: DayScript.time(3_320))
      let learned = try user.learnedModel()
      #expect(learned.outcome == .learned)
      try UnitScript.makeUnits(user)
      for unit in try user.units() {
        try user.confirmUnit(unit.digest, keeping: .none, at: DayScript.time(1e6))
      }
      #expect(try user.droppedSamples().samples > 0)
      #expect(try user.learnedModel() == learned)
    }
  }

  /// Values of IEEE 754-2019, table 3.5, and that every finite half is its own nearest one.
  @Test func halvesAreThoseOfTheStandard() {
    let known: [(Float, UInt16)] = [
      (0, 0), (1, 0x3C00), (-2, 0xC000), (65_504, 0x7BFF), (0x1p-14, 0x0400), (0x1p-24, 1),
      (0x1.FF8p-15, 0x03FF), (1.0 / 3, 0x3555), (2_047.9, 0x6800), (1e9, 0x7BFF), (-1e9, 0xFBFF),
      (0x1.FFFp-15, 0x0400),
    ]
    for (value, bits) in known { #expect(HalfFloat.bits(of: value) == bits, "\(value)") }
    #expect(HalfFloat.bits(of: .nan) == 0)
    for bits in UInt16.min...UInt16.max where bits & 0x7C00 != 0x7C00 {
      guard HalfFloat.bits(of: HalfFloat.value(of: bits)) != bits else { continue }
      Issue.record("\(bits)")
    }
    #expect(!HalfFloat.value(of: 0x7C00).isFinite && HalfFloat.value(of: 0x7E00).isNaN)
  }
}
