import LocomotionRecordings
import LocomotionSensing
import TestSupport
import Testing

@Suite struct DecimalFieldTests {
  func field(_ text: String) -> DecimalField {
    let bytes = Array("x\(text)y".utf8)
    return DecimalField(bytes, in: 1..<bytes.count - 1)
  }

  /// Up to `digits` random digits, at least `minimum`.
  func digits(_ generator: inout SplitMix64, _ minimum: Int, _ maximum: Int) -> String {
    (0..<Int.random(in: minimum...maximum, using: &generator))
      .map { _ in String(Int.random(in: 0...9, using: &generator)) }.joined()
  }

  @Test func agreesWithTheStandardLibraryOnRandomNumbers() {
    var generator = SplitMix64(seed: 1)
    for _ in 0..<100_000 {
      // Up to 24 digits: the fast path for up to 19, the slow one above.
      var text = ["", "-", "+"].randomElement(using: &generator) ?? ""
      text += digits(&generator, 1, 12)
      if Bool.random(using: &generator) { text += "." + digits(&generator, 0, 12) }
      if Int.random(in: 0..<4, using: &generator) == 0 {
        text += "e\(Int.random(in: -30...30, using: &generator))"
      }
      #expect(field(text).value?.bitPattern == Double(text)?.bitPattern, "\(text)")
    }
  }

  @Test(arguments: [
    "0", "-0", "0.0", ".5", "5.", "1e22", "1e23", "9007199254740993", "0.1", "123456789012345678",
    "1.7976931348623157e308", "5e-324", "2.2250738585072011e-308", "00000000000000000000000001.5",
    "0.000000000000000000000000000000000001", "1E+5", "1e-5", "12345678901234567890.123456789",
  ])
  func agreesWithTheStandardLibraryOnHardNumbers(text: String) {
    #expect(field(text).value?.bitPattern == Double(text)?.bitPattern)
  }

  @Test(arguments: ["", "  ", "nan", "NaN", "-nan", "inf", "-Inf", "+INFINITY", "1e999", "\t"])
  func emptyAndNotFiniteFieldsAreMissing(text: String) {
    #expect(field(text) == .missing)
    #expect(field(text).value?.isNaN == true)
    #expect(field(text).timestamp == nil)
  }

  @Test(arguments: [
    "a", "1a", "1,5", "1 5", "0x10", "1e", "1e+", "e5", ".", "-", "+-1", "1.2.3", "1e5.0", "٣",
    "nano", "in", "1_000", "\u{0}", "1\u{0}", "--1", "1d5", "infinit", "²",
  ])
  func everythingElseIsText(text: String) {
    #expect(field(text) == .text)
    #expect(field(text).value == nil)
  }

  @Test func blanksAroundANumberAreIgnored() {
    #expect(field(" \t-1.25 ").value == -1.25)
  }

  @Test(
    arguments: [
      ("0.02", 20_000_000), ("-0.000000001", -1), ("1", 1_000_000_000), ("1e-9", 1),
      ("2e3", 2_000_000_000_000),
      ("0.0000000005", 1), ("0.0000000004999", 0), ("-0.0000000005", -1),
      // Seconds since 1970 with nine decimals: a Double would be off by up to 119 ns.
      ("1560742841.409123457", 1_560_742_841_409_123_457),
      ("4611686018.427387904", 1 << 62), ("-4611686018.427387904", -1 << 62),
      ("0.00000000000000000000000000000001", 0),
    ] as [(String, Int64)])
  func timesAreExactToTheNanosecond(text: String, nanoseconds: Int64) {
    #expect(field(text).timestamp?.nanoseconds == nanoseconds)
  }

  @Test(arguments: ["4611686018.427387905", "1e10", "-1e300", "9999999999999999999"])
  func timesBeyondTheLimitGiveNil(text: String) {
    #expect(field(text).timestamp == nil)
  }
}

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
    let limit = 65_536
    let longest = String(repeating: "a", count: limit)
    for (ending, name) in [("", "last"), ("\n", "LF"), ("\r\n", "CR LF")] {
      let fits = try folder.write("x\n" + longest + ending, to: "fits \(name).csv")
      #expect(try lines(LineReader(path: fits)) == ["x", longest])
      #expect(try lines("x\n" + longest + ending) == ["x", longest])

      let tooLong = try folder.write("x\n" + longest + "a" + ending, to: "too long \(name).csv")
      let error = recordingError { _ = try lines(LineReader(path: tooLong)) }
      #expect(error == .lineTooLong(path: tooLong, line: 2, limit: limit))
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

@Suite struct TableRowsTests {
  func rows(_ text: String) throws -> TableRows {
    try TableRows(LineReader(bytes: Array(text.utf8), name: "memory"))
  }

  /// Every field of every row as text.
  func table(_ text: String) throws -> [[String]] {
    var rows = try rows(text)
    var table: [[String]] = []
    while try rows.next() {
      table.append(rows.columns.indices.map { rows.text(at: $0) })
    }
    return table
  }

  @Test func columnNamesAreTrimmedUnquotedAndInLowerCase() throws {
    #expect(try rows("\u{FEFF}\"T\", Ax ,\"a\"\"y\"\r\n").columns == ["t", "ax", "a\"y"])
  }

  @Test func quotedFieldsMayContainCommas() throws {
    #expect(
      try table("a,b,c\n1,\"x, y\",2\n\"\",\"he said \"\"no\"\"\",\n,,\"z\"\n")
        == [["1", "x, y", "2"], ["", "he said \"no\"", ""], ["", "", "z"]])
  }

  @Test func anUnclosedQuotationMarkIsAnOrdinaryCharacter() throws {
    #expect(try table("a,b\n\"x,1\nx\"y,2\n\"x\"y,3\n").map { $0[1] } == ["1", "2", "3"])
  }

  @Test func blankLinesAreSkippedEverywhere() throws {
    #expect(try table("\n \t\na,b\n\n1,2\n   \n3,4\n\n") == [["1", "2"], ["3", "4"]])
    #expect(try table("a\n\n1\n") == [["1"]])
  }

  @Test func aRowWithAWrongFieldCountIsAnErrorWithItsLine() {
    for (text, found) in [("a,b\n1,2\n3\n", 1), ("a,b\n\n3,4,\n", 3)] {
      #expect(
        recordingError { _ = try table(text) }
          == .wrongFieldCount(path: "memory", line: 3, expected: 2, found: found))
    }
  }

  @Test func aDuplicateColumnNameIsNotFound() throws {
    let rows = try rows("a,b,a\n")
    #expect(rows.position(of: "a") == nil)
    #expect(rows.position(of: "b") == 1)
    #expect(
      recordingError { _ = try rows.positions(of: ["a"], expected: "a,b") }
        == .badHeader(path: "memory", line: 1, expected: "a,b", found: "a,b,a"))
  }

  @Test func aTextOfBlankLinesCountsAsEmpty() {
    for text in ["", "\n\n", "  \n", "\u{FEFF}"] {
      #expect(recordingError { _ = try rows(text) } == .empty(path: "memory"))
    }
  }

  @Test func aTableOfAnotherProgramHasItsOwnDelimiterAndDecimalPoint() throws {
    let text = "sep=;\nt;\"a;b\"\n1,5;x\n\nnull\n"
    var rows = try TableRows(LineReader(bytes: Array(text.utf8), name: "memory"), isTidy: false)
    #expect(rows.columns == ["t", "a;b"])
    _ = try rows.next()
    #expect(rows.value(at: 0) == 1.5 && rows.text(at: 1) == "x")
    _ = try rows.next()
    #expect(rows.count == 1 && rows.field(at: 0) == .missing && rows.text(at: 1).isEmpty)
  }

  @Test func aQuotedFieldMayHaveLineBreaksWhereLinesAreJoined() throws {
    let text = "a,b\n\"x\n\"\"y\"\"\",2\n3,\"open\n"
    var lines = LineReader(bytes: Array(text.utf8), name: "memory")
    lines.joinsQuotedLines = true
    var rows = try TableRows(lines)
    _ = try rows.next()
    #expect(rows.text(at: 0) == "x\n\"y\"" && rows.line == 3)
    #expect(
      recordingError { _ = try rows.next() }
        == .malformed(
          path: "memory", place: "line 4", expected: "a closing quotation mark",
          found: "the end of the file"))
  }

  @Test func rowsInMemoryAreThoseOfATable() throws {
    var rows = TableRows(
      columns: ["a", "b"], text: Array("1,5x2".utf8), ends: [3, 4, 4, 4, 5, 5], name: "memory")
    _ = try rows.next()
    #expect(rows.value(at: 0) == 1.5 && rows.text(at: 1) == "x" && rows.line == 2)
    // The second row is blank.
    _ = try rows.next()
    #expect(rows.value(at: 0) == 2 && rows.text(at: 1).isEmpty && rows.line == 4)
    let more = try rows.next()
    #expect(!more)
  }
}
