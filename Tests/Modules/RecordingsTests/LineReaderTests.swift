import LocomotionRecordings
import TestSupport
import Testing

@Suite struct LineReaderTests {
  private let folder = ScratchFolder()

  func lines(_ reader: LineReader) throws -> [String] {
    var reader = reader
    var result: [String] = []
    while let range = try reader.next() {
      result.append(String(decoding: reader.bytes[range], as: UTF8.self))
    }
    return result
  }

  func lines(_ text: String) throws -> [String] {
    try lines(LineReader(bytes: Array(text.utf8), name: "memory"))
  }

  @Test func linesMayEndWithLFOrCRLF() throws {
    #expect(try lines("a\nb\r\n\nc") == ["a", "b", "", "c"])
    #expect(try lines("a\n") == ["a"])
    #expect(try lines("") == [])
    #expect(try lines("\n") == [""])
    #expect(try lines("\r\n") == [""])
  }

  @Test func aByteOrderMarkIsSkippedInTheFirstLineOnly() throws {
    #expect(try lines("\u{FEFF}a\n\u{FEFF}b") == ["a", "\u{FEFF}b"])
    #expect(try lines("\u{FEFF}") == [""])
  }

  @Test func aFileLongerThanTheBufferGivesTheSameLines() throws {
    var generator = SplitMix64(seed: 2)
    // Lines of every length up to the limit: they cross the buffer's end at every position.
    let expected = (0..<60).map { index in
      let length = index == 30 ? 65_536 : Int.random(in: 0...40_000, using: &generator)
      return String(repeating: "\(index % 10)", count: length)
    }
    let text = expected.joined(separator: "\r\n")
    for name in ["plain.csv", "compressed.csv.gz"] {
      let path = try folder.compress(text, to: name)
      #expect(try lines(LineReader(path: path)) == expected, "\(name)")
    }
  }

  @Test func aLineOfTheMaximumLengthIsReadAndALongerOneIsAnError() throws {
    let longest = String(repeating: "a", count: LineReader.longestLine)
    for (ending, name) in [("", "last"), ("\n", "LF"), ("\r\n", "CR LF")] {
      let fits = try folder.write("x\n" + longest + ending, to: "fits \(name).csv")
      #expect(try lines(LineReader(path: fits)) == ["x", longest])
      #expect(try lines("x\n" + longest + ending) == ["x", longest])

      let tooLong = try folder.write("x\n" + longest + "a" + ending, to: "too long \(name).csv")
      let error = recordingError { _ = try lines(LineReader(path: tooLong)) }
      #expect(error == .lineTooLong(path: tooLong, line: 2, limit: LineReader.longestLine))
      #expect(throws: RecordingError.self) { try lines("x\n" + longest + "a" + ending) }
    }
  }

  @Test func aLineOfAHundredMegabytesIsRefusedInBoundedMemory() throws {
    let path = folder.path("bomb.csv.gz")
    let output = try CompressedOutput(path: path)
    try output.write(Array("t,ax,ay,az\n".utf8))
    let megabyte = [UInt8](repeating: UInt8(ascii: "1"), count: 1 << 20)
    for _ in 0..<100 { try output.write(megabyte) }
    try output.close()

    var reader = try LineReader(path: path)
    _ = try reader.next()
    #expect(throws: RecordingError.lineTooLong(path: path, line: 2, limit: 65_536)) {
      try reader.next()
    }
    #expect(reader.bytes.count <= 2 * 65_536 + 2)
    #expect(
      errorReading(path: path) == .lineTooLong(path: path, line: 2, limit: 65_536))
  }
}
