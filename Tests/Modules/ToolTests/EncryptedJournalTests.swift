import Foundation
import LocomotionJournal
import Testing

/// `--key-file` and `journal rekey`, in a build with the trait `Encryption`.
@Suite(.enabled(if: JournalKey.isSupported, "built without the trait Encryption"))
struct EncryptedJournalTests {
  private static let key = String(repeating: "0123456789abcdef", count: 4)

  private func record(_ store: String, _ more: [String]) throws -> Int32 {
    let process = Process()
    process.executableURL = ToolRun.program
    process.arguments = ["record", "--store", store, "--user", "ada"] + more
    let input = Pipe()
    process.standardInput = input
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    for number in 0..<4 {
      let line = RecordScript(seed: 3).line(number) + "\n"
      try? input.fileHandleForWriting.write(contentsOf: Data(line.utf8))
    }
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    return process.terminationStatus
  }

  @Test func everyCommandOpensAnEncryptedJournalWithItsKeyOnly() throws {
    try withTemporaryFolder { folder in
      let store = folder.path + "/journal"
      let keys = ["text": Data((Self.key + "\r\n").utf8), "other": Data(repeating: 7, count: 32)]
      for (name, bytes) in keys {
        try bytes.write(to: folder.appendingPathComponent(name))
        try FileManager.default.setAttributes(
          [.posixPermissions: 0o600], ofItemAtPath: folder.path + "/" + name)
      }
      let key = ["--key-file", folder.path + "/text"]
      let other = ["--key-file", folder.path + "/other"]
      #expect(try record(store, key) == 0)
      let commands = [
        ["journal", "export", "--user", "ada"], ["journal", "list", "--user", "ada"],
        ["journal", "check"], ["journal", "day", "--user", "ada"], ["journal", "vacuum"],
        ["places", "list", "--user", "ada"],
        ["places", "add", "--user", "ada", "--lat", "48", "--lon", "11"],
      ]
      for command in commands {
        let arguments = command + ["--store", store]
        let run = try ToolRun(arguments + key)
        #expect(run.status == 0 && run.errors.isEmpty, "\(command): \(run.errors)")
        #expect(try ToolRun(arguments + other).errors.contains("with another key"))
        let none = try ToolRun(arguments)
        #expect(none.status == 3 && none.errors.contains("its key is needed"), "\(none.errors)")
      }
      #expect(try record(store, other) == 3)
      #expect(try record(store, []) == 3)
      #expect(try record(store, key) == 0)
    }
  }

  @Test func rekeyEncryptsAndDecrypts() throws {
    try withTemporaryFolder { folder in
      let (store, key) = (folder.path + "/journal", folder.path + "/key")
      try Data(Self.key.utf8).write(to: URL(fileURLWithPath: key))
      #expect(try record(store, []) == 0)
      let export = ["journal", "export", "--store", store, "--user", "ada"]
      let plain = try ToolRun(export)
      let rekey = ["journal", "rekey", "--store", store]
      #expect(try ToolRun(rekey).status == 2)
      #expect(try ToolRun(rekey + ["--new-key-file", key]).status == 0)
      #expect(try ToolRun(export + ["--key-file", key]).output == plain.output)
      #expect(try ToolRun(rekey + ["--decrypt"]).status == 3)
      #expect(try ToolRun(rekey + ["--decrypt", "--key-file", key]).status == 0)
      #expect(try ToolRun(export).output == plain.output)
    }
  }

  @Test func anInvalidKeyFileIsAnError() throws {
    try withTemporaryFolder { folder in
      let store = folder.path + "/journal"
      for text in [
        "", "secret", String(Self.key.dropLast()), Self.key + "0", "g" + Self.key.dropFirst(),
      ] {
        let path = folder.path + "/key"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let run = try ToolRun(["journal", "check", "--store", store, "--key-file", path])
        #expect(run.status == 3 && run.errors.contains("64 hexadecimal digits"), "\(run.errors)")
        #expect(text.isEmpty || !run.errors.contains(text))
      }
      let none = try ToolRun(
        ["record", "--store", store, "--user", "a", "--key-file", folder.path + "/none"])
      #expect(none.status == 74 && !FileManager.default.fileExists(atPath: store))
    }
  }
}
