import LocomotionRecordings
import Testing

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
