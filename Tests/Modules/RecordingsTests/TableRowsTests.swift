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
}
