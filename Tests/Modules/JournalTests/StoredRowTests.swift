import Foundation
import Locomotion
import LocomotionJournal
import LocomotionSensing
import TestSupport
import Testing

/// What the rows of all tables keep: they are read as they were written, and a value of any other
/// type, size or sign is read as one that can be written again, or refused.
@Suite struct StoredRowTests {
  private let folder = ScratchFolder()

  private static let strange = [
    "NULL", "'text'", "x'00FF'", "-1", "0", "9223372036854775807", "-9223372036854775808", "1e999",
  ]

  /// What of this is broken by the rows of a kind in a journal; empty for nothing.
  private func checkStoredRow<Row: StoredRow>(
    _ kind: Row.Type, in connection: SQLiteConnection
  ) throws -> [String] {
    let (table, names) = (Row.layout.table, Row.layout.names)
    func rows() throws -> [Row?] {
      var result: [Row?] = []
      try connection.forEach("SELECT \(names) FROM \(table) ORDER BY id") {
        (row: SQLiteRow) throws(JournalError) in
        result.append(try Row(row))
        return true
      }
      return result
    }
    func rewrite(_ records: [Row?]) throws {
      try connection.execute("DELETE FROM \(table)")
      for record in records { try record?.write(to: connection) }
    }
    func content() throws -> [[UInt8]?] {
      var result: [[UInt8]?] = []
      let quoted = names.split(separator: ",").map { "quote(\($0))" }.joined(separator: "||','||")
      try connection.forEach("SELECT CAST(\(quoted) AS BLOB) FROM \(table) ORDER BY id") {
        (row: SQLiteRow) throws(JournalError) in
        result.append(row.blob(0))
        return true
      }
      return result
    }

    let (records, written) = (try rows(), try content())
    var broken = written.isEmpty ? ["\(table) has no row"] : []
    try rewrite(records)
    if records.contains(where: { $0 == nil }) { broken.append("\(table): a row is refused") }
    if try content() != written { broken.append("\(table): rows are written otherwise") }
    for name in names.split(separator: ", ").dropFirst() {
      for value in Self.strange {
        try connection.execute("SAVEPOINT one")
        defer { try? connection.execute("ROLLBACK TO one; RELEASE one") }
        // What the table itself refuses never comes to be read.
        guard (try? connection.execute("UPDATE \(table) SET \(name) = \(value)")) != nil,
          let changed = try? rows()
        else { continue }
        try rewrite(changed)
        let after = try content()
        try rewrite(rows())
        if try content() != after { broken.append("\(table).\(name) = \(value)") }
      }
    }
    return broken
  }

  @Test func rowsOfAllTablesAreStoredRows() throws {
    let path = folder.path("journal")
    do {
      let ada = try Journal(path: path).user("ada")
      try ada.append(DayScript.batch(from: 0, to: 20_000))
      try ada.updateDays()
      let span = try #require(try ada.daySpan())
      let item = try #require(try ada.dayItems(from: span.start, to: span.end).first)
      try ada.setPurpose("rest", from: item.start, to: item.end)
      _ = try ada.makeUnits(closing: true) { Array(repeating: UInt8($0.count % 251), count: 32) }
    }
    let connection = try SQLiteConnection(
      path: path, isWriting: true, fileSystem: nil)
    var broken = try checkStoredRow(StoreRecord.self, in: connection)
    broken += try checkStoredRow(UserRecord.self, in: connection)
    broken += try checkStoredRow(BatchRecord.self, in: connection)
    broken += try checkStoredRow(PlaceRecord.self, in: connection)
    broken += try checkStoredRow(DaysRecord.self, in: connection)
    broken += try checkStoredRow(UnitStatus.self, in: connection)
    broken += try checkStoredRow(EditRecord.self, in: connection)
    #expect(broken == [])
  }
}
