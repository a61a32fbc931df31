import Foundation
import LocomotionJournal
import LocomotionSalvage
import LocomotionSensing
import TestSupport
import Testing

/// A build with the trait `Encryption`: nothing of a journal can be read without its key.
@Suite(.enabled(if: JournalKey.isSupported, "built without the trait Encryption"))
struct EncryptionTests {
  private let key = JournalKey.random()

  private func settings(_ key: JournalKey?) -> Journal.Settings {
    var settings = Journal.Settings()
    settings.key = key
    settings.longestWait = 0.1
    return settings
  }

  /// A journal with some data of every kind.
  private func fill(_ path: String, _ key: JournalKey?, batches: Int = 12) throws {
    let journal = try Journal(path: path, settings: settings(key))
    let user = try journal.user("ada-lovelace")
    try user.start("BICYCLE", at: Timestamp(nanoseconds: 0))
    for number in 0..<batches {
      try user.append(JournalScript.batch(number, samples: 700))
    }
    try user.note("a note on the way", at: Timestamp(nanoseconds: 1))
    _ = try user.addPlace(
      PlaceDescription(name: "home of ada", latitude: 48.137_154, longitude: 11.576_124))
  }

  private func content(_ path: String, _ key: JournalKey?) throws -> JournalContent {
    let journal = try Journal(path: path, access: .reading, settings: settings(key))
    #expect(journal.check().problems == [])
    return try JournalContent(#require(try journal.existingUser("ada-lovelace")))
  }

  private func error(_ path: String, _ key: JournalKey?, _ access: Journal.Access) -> JournalError?
  {
    do throws(JournalError) {
      _ = try Journal(path: path, access: access, settings: settings(key))
      return nil
    } catch {
      return error
    }
  }

  /// What must not appear in any file: names, notes, magic bytes, coordinates as bytes.
  ///
  /// None is so short that a megabyte of random bytes has it once in a thousand times.
  private static let plainTexts: [Data] =
    ["ada-lovelace", "BICYCLE", "a note", "home of ada", "LJB1", "SQLite", "CREATE TABLE"]
    .map { Data($0.utf8) }
    + [48.137_154, 11.576_124].map { value in
      withUnsafeBytesOfBigEndian(value)
    }

  private static func withUnsafeBytesOfBigEndian(_ value: Double) -> Data {
    Data((0..<8).map { UInt8(truncatingIfNeeded: value.bitPattern >> (56 - 8 * $0)) })
  }

  private func expectNoPlainText(in folder: URL) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let bytes = try Data(contentsOf: folder.appendingPathComponent(name))
      for text in Self.plainTexts {
        #expect(bytes.range(of: text) == nil, "\(name) holds \(text.base64EncodedString())")
      }
    }
  }

  @Test func anEncryptedJournalIsReadWithItsKeyAndItsFilesHoldNoPlainText() throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("journal").path
      try fill(path, key, batches: 3)
      do {
        // With the log in use.
        let journal = try Journal(path: path, settings: settings(key))
        let user = try journal.user("ada-lovelace")
        for number in 3..<12 {
          try user.append(JournalScript.batch(number, samples: 700))
          if number == 6 { try journal.vacuum() }
        }
        try expectNoPlainText(in: folder)
      }
      try expectNoPlainText(in: folder)
      #expect(try content(path, key) == JournalScript.content(12, samples: 700))
    }
  }

  @Test func thePlainTextSearchFindsTextInAnUnencryptedJournal() throws {
    try withTemporaryFolder { folder in
      try fill(folder.appendingPathComponent("journal").path, nil)
      let bytes = try Data(contentsOf: folder.appendingPathComponent("journal"))
      for text in Self.plainTexts { #expect(bytes.range(of: text) != nil) }
    }
  }

  @Test(arguments: [Journal.Access.reading, .writing])
  func aWrongKeyAndAMissingKeyThrowDifferentErrors(access: Journal.Access) throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("journal").path
      try fill(path, key, batches: 1)
      let before = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      #expect(error(path, .random(), access) == .wrongKey(path: path))
      #expect(error(path, nil, access) == .encrypted(path: path))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == before)
      let plain = folder.appendingPathComponent("plain").path
      try fill(plain, nil, batches: 1)
      #expect(error(plain, key, access) == .notEncrypted(path: plain))
      #expect(try content(path, key) == JournalScript.content(1, samples: 700))
    }
  }

  @Test func keysOfAnotherLengthAreRefused() {
    for count in [0, 16, 31, 33, 64] {
      #expect(throws: JournalError.invalidKey) {
        _ = try JournalKey([UInt8](repeating: 1, count: count))
      }
    }
    #expect("\(key)" == "JournalKey")
    var text = ""
    dump(key, to: &text)
    #expect(!text.contains("bytes"))
  }

  @Test func rekeyingEncryptsChangesTheKeyAndDecrypts() throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("journal").path
      try fill(path, nil)
      let expected = JournalScript.content(12, samples: 700)
      var old: JournalKey?
      for new in [key, .random(), nil] as [JournalKey?] {
        try Journal.rekey(path: path, to: new, settings: settings(old))
        #expect(try content(path, new) == expected)
        if new != nil { try expectNoPlainText(in: folder) }
        old = new
      }
      #expect(throws: JournalError.notEncrypted(path: path)) {
        try Journal.rekey(path: path, to: key, settings: settings(key))
      }
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      // A reader leaves an empty log.
      #expect(Set(names).isSubset(of: ["journal", "journal-shm", "journal-wal", "journal-writer"]))
      let permissions =
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(permissions == 0o600)
    }
  }

  @Test func rekeyingAJournalInUseThrowsAndChangesNothing() throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("journal").path
      try fill(path, nil, batches: 1)
      do {
        let journal = try Journal(path: path)
        _ = try journal.user("bob")
        #expect(throws: JournalError.busy(path: path)) {
          try Journal.rekey(path: path, to: key, settings: settings(nil))
        }
      }
      #expect(try content(path, nil) == JournalScript.content(1, samples: 700))
    }
  }

  @Test func aFlippedBitInAnEncryptedJournalIsAnErrorAndNeverAnotherNumber() throws {
    var random = SplitMix64(seed: 5)
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("journal").path
      // With a log, as a killed program leaves it.
      let whole = folder.appendingPathComponent("whole").path
      let journal = try Journal(path: whole, settings: settings(key))
      let user = try journal.user("ada-lovelace")
      for number in 0..<12 {
        try user.append(JournalScript.batch(number, samples: 700))
      }
      let files = try ["", "-wal"].map {
        ($0, try Data(contentsOf: URL(fileURLWithPath: whole + $0)))
      }
      let expected = JournalScript.content(12, samples: 700)
      let shorter = (0..<12).map { JournalScript.content($0, samples: 700) }
      var (errors, undone) = (0, 0)
      for _ in 0..<400 {
        let chosen = Int(random.next() % 2)
        var place = 0
        for ending in ["-shm", "-writer"] {
          try? FileManager.default.removeItem(atPath: path + ending)
        }
        for (index, (ending, bytes)) in files.enumerated() {
          var copy = bytes
          if index == chosen {
            place = Int(random.next() % UInt64(copy.count))
            copy[place] ^= 1 << UInt8(random.next() % 8)
          }
          try copy.write(to: URL(fileURLWithPath: path + ending))
        }
        do {
          let journal = try Journal(path: path, settings: settings(key))
          guard let user = try journal.existingUser("ada-lovelace") else {
            #expect(chosen == 1, "the user is gone without an error")
            continue
          }
          let found = try JournalContent(user)
          // SQLite takes a log up to the first frame that is damaged.
          if chosen == 1, shorter.contains(found) {
            undone += 1
          } else {
            #expect(
              found == expected,
              "\(found.samples.count) of \(expected.samples.count) in file \(chosen) at \(place)")
          }
        } catch is JournalError {
          errors += 1
        }
      }
      #expect(errors > 0)
      print("400 flipped bits in an encrypted journal: \(errors) errors, \(undone) shorter")
    }
  }

  @Test func aDamagedEncryptedJournalIsSalvagedWithItsKey() throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("journal").path
      try fill(path, key, batches: 40)
      var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      for place in stride(from: bytes.count / 2, to: bytes.count, by: 12 * 4_136) {
        bytes[place] ^= 1
      }
      try bytes.write(to: URL(fileURLWithPath: path))
      let new = folder.appendingPathComponent("new").path
      #expect(throws: JournalError.encrypted(path: path)) {
        _ = try Journal.salvage(from: path, to: new, settings: settings(nil))
      }
      let report = try Journal.salvage(from: path, to: new, settings: settings(key))
      #expect(!report.problems.isEmpty)
      #expect(report.samples > 0 && report.samples < 40 * 700)
      let journal = try Journal(path: new, access: .reading, settings: settings(key))
      #expect(journal.check().problems == [])
      try expectNoPlainText(in: folder)
    }
  }

  @Test func twoJournalsWithTheSameKeyHaveDifferentCipherText() throws {
    try withTemporaryFolder { folder in
      let paths = ["a", "b"].map { folder.appendingPathComponent($0).path }
      for path in paths { try fill(path, key, batches: 1) }
      let files = try paths.map { [UInt8](try Data(contentsOf: URL(fileURLWithPath: $0))) }
      let equal = zip(files[0], files[1]).dropFirst(4_096).count { $0 == $1 }
      // By chance one byte of 256 is equal.
      #expect(Double(equal) < Double(files[0].count) / 256 * 1.5)
      // A page of one journal in the position of the same page of the other is damage.
      var mixed = files[0]
      mixed.replaceSubrange(
        4_096 + 4_136..<4_096 + 2 * 4_136, with: files[1][4_096 + 4_136..<4_096 + 2 * 4_136])
      try Data(mixed).write(to: URL(fileURLWithPath: paths[0]))
      let journal = try? Journal(path: paths[0], access: .reading, settings: settings(key))
      if let journal { #expect(!journal.check().isSound) }
    }
  }
}
