import Foundation
import LocomotionRecordings
import TestSupport
import Testing

/// Output files appear as a whole, and nothing else changes.
@Suite struct OutputFilesTests {
  private let folder = ScratchFolder()

  private func permissions(of path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(attributes[.posixPermissions] as? Int)
  }

  private func isRefused(_ path: String, by outputs: OutputFiles) -> Bool {
    if case .refused? = recordingError({ _ = try outputs.open(path) }) { true } else { false }
  }

  @Test func filesAppearTogetherWhenTheyAreCommitted() throws {
    try folder.write("old", to: "a")
    let outputs = OutputFiles()
    for name in ["a", "b"] { try outputs.open(folder.path("\(name)")).write("new") }
    #expect(try folder.text("a") == "old")
    #expect(!FileManager.default.fileExists(atPath: folder.path("b")))
    try outputs.commit()
    #expect(try folder.names() == ["a", "b"])
    #expect(try folder.text("a") == "new" && folder.text("b") == "new")
  }

  @Test func filesThatAreNotCommittedAreRemoved() throws {
    do {
      let outputs = OutputFiles()
      try outputs.openFolder(folder.path("x/y"))
      try outputs.open(folder.path("x/y/a")).write("new")
      try outputs.open(folder.path("b")).write("new")
    }
    #expect(try folder.names() == [])
  }

  @Test func aCreatedFolderStaysWhenItHasOtherContent() throws {
    do {
      let outputs = OutputFiles()
      try outputs.openFolder(folder.path("x"))
      _ = try outputs.open(folder.path("x/a"))
      try folder.write("mine", to: "x/mine")
    }
    #expect(try folder.names(in: "x") == ["mine"])
  }

  @Test func aFolderAtTheOutputPathIsAnErrorAndStays() throws {
    try folder.makeFolder("d/e")
    #expect(throws: RecordingError.self) { try OutputFiles().open(folder.path("d")) }
    // One that is created while the file is written.
    do {
      let outputs = OutputFiles()
      try outputs.open(folder.path("late")).write("new")
      try folder.makeFolder("late/f")
      #expect(throws: RecordingError.self) { try outputs.commit() }
    }
    #expect(try folder.names() == ["d", "late"])
    #expect(FileManager.default.fileExists(atPath: folder.path("d/e")))
    #expect(FileManager.default.fileExists(atPath: folder.path("late/f")))
  }

  @Test(arguments: [0o600, 0o640, 0o444 | 0o200, 0o755])
  func permissionsOfAReplacedFileStay(mode: Int) throws {
    let path = try folder.write("old", to: "a")
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    let outputs = OutputFiles()
    try outputs.open(path).write("new")
    try outputs.commit()
    #expect(try permissions(of: path) == mode)
    #expect(try folder.text("a") == "new")
  }

  @Test func aSymbolicLinkIsFollowedAndStays() throws {
    try folder.write("old", to: "target")
    for (link, target) in [("link", "target"), ("chain", "link"), ("dangling", "none")] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.path("\(link)"), withDestinationPath: target)
    }
    for link in ["link", "chain", "dangling"] {
      let outputs = OutputFiles()
      try outputs.open(folder.path("\(link)")).write("by \(link)")
      try outputs.commit()
    }
    #expect(try folder.text("target") == "by chain")
    #expect(try folder.text("none") == "by dangling")
    for link in ["link", "chain", "dangling"] {
      _ = try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("\(link)"))
    }
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("loop"), withDestinationPath: "loop")
    #expect(throws: RecordingError.self) { try OutputFiles().open(folder.path("loop")) }
  }

  @Test func aDeviceBehindALinkIsWrittenToAndStays() throws {
    let link = folder.path("null")
    // A link, so that a failure of this test replaces the link and not the device.
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/dev/null")
    let outputs = OutputFiles()
    try outputs.open(link).write("gone")
    try outputs.commit()
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "/dev/null")
    #expect(try folder.names() == ["null"])
  }

  @Test func anInputIsNeverOverwrittenUnderAnyName() throws {
    let input = try folder.write("precious", to: "input")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("soft"), withDestinationPath: "input")
    try FileManager.default.linkItem(atPath: input, toPath: folder.path("hard"))
    let outputs = OutputFiles(inputs: [input, folder.path])
    for path in [input, folder.path("./input"), folder.path("soft"), folder.path("hard")] {
      #expect(isRefused(path, by: outputs), "\(path)")
    }
    #expect(throws: RecordingError.self) { try outputs.openFolder(folder.path) }
    #expect(try folder.text("input") == "precious")
    let byLink = OutputFiles(inputs: [folder.path("soft")])
    #expect(isRefused(input, by: byLink))
  }

  /// Foundation's function for a path's folder traps on the first of these.
  @Test(arguments: ["o", "./o", "oo", "a/o", "a//o", "a/../o"])
  func pathsOfAnyLengthCanBeWritten(path: String) throws {
    try folder.makeFolder("a")
    // Relative paths, without changing the working directory, which all tests use.
    let up = String(repeating: "../", count: 40)
    for place in [folder.path("\(path)"), up + "\(folder.path.dropFirst())/\(path)"] {
      let outputs = OutputFiles()
      try outputs.open(place).write("new")
      try outputs.commit()
      #expect(try folder.text("\(path)") == "new")
    }
  }

  @Test func twoOutputsWithTheSamePathAreRefused() throws {
    let outputs = OutputFiles()
    _ = try outputs.open(folder.path("a"))
    #expect(isRefused(folder.path("a"), by: outputs))
  }

  @Test func anUnwritablePathIsAnErrorAtOnce() throws {
    try folder.write("x", to: "file")
    for path in ["", folder.path("none/a"), folder.path("file/a"), folder.path("new/")] {
      #expect(throws: RecordingError.self) { try OutputFiles().open(path) }
    }
    #expect(throws: RecordingError.self) { try OutputFiles().openFolder(folder.path("file")) }
    #expect(throws: RecordingError.self) { try OutputFiles().openFolder(folder.path("file/a")) }
    #expect(try folder.names() == ["file"])
  }
}
