internal import Foundation
internal import LocomotionRecordings

/// Objects of JSON with a time and a position, or accelerations, under names that are common: the
/// rows of a table.
///
/// An object is a row with all that is in objects within it; an array within it has rows of its
/// own. Objects that have no such names are passed over. The table is held in memory.
struct ObjectTable {
  private typealias Row = [String: String]

  /// The first rows, until there are enough to know the columns.
  private var first: [Row] = []
  private var columns: [String] = []
  /// The fields of the rows, one behind the other, and where each ends.
  private var text: [UInt8] = []
  private var ends: [Int] = []
  /// Whether objects with these names are rows.
  private var known: [String: Bool] = [:]
  private let most: Int

  /// The limit for rows: in a table of a hundred bytes a row some gigabyte.
  private static let mostRows = 1 << 23
  private static let enough = 64
  private static let mostMembers = 256
  private static let longestName = 64
  private static let deepest = 8

  /// The rows in a file, up to so many; nil when the file is no JSON, or has no row.
  static func rows(
    of name: String, in source: ImportSource, atMost most: Int? = nil
  ) throws(RecordingError) -> TableRows? {
    var stream = JSONStream(try source.bytes(of: name))
    guard let start = try stream.peek(), "{[".utf8.contains(start) else { return nil }
    var table = ObjectTable(most: most ?? mostRows)
    do {
      while try stream.peek() != nil, !table.isFull {
        if let row = try table.read(&stream, depth: 0) { table.take(row) }
      }
    } catch {
      guard table.isFull else { throw error }
    }
    guard most != nil || !table.isFull else {
      throw .refused(path: source.path, reason: "more than \(mostRows) objects")
    }
    table.writeFirst()
    guard !table.columns.isEmpty else { return nil }
    return TableRows(
      columns: table.columns, text: table.text, ends: table.ends,
      name: source.displayPath(of: name))
  }

  private init(most: Int) { self.most = most }

  private var isFull: Bool { first.count + ends.count / max(1, columns.count) >= most }

  /// Reads a value; the scalars of an object with those of objects within it, nil for others.
  private mutating func read(
    _ stream: inout JSONStream, depth: Int
  ) throws(RecordingError) -> Row? {
    // Nothing else ends the reading of an array.
    guard !isFull else { throw try stream.unexpected("the end of the first rows") }
    switch try stream.peek() {
    case UInt8(ascii: "["):
      try stream.array { (stream: inout JSONStream) throws(RecordingError) in
        if let row = try read(&stream, depth: depth + 1) { take(row) }
      }
      return nil
    case UInt8(ascii: "{"):
      var row: Row = [:]
      try stream.object { (stream: inout JSONStream, member) throws(RecordingError) in
        switch try stream.peek() {
        case UInt8(ascii: "{") where depth < Self.deepest:
          guard let part = try read(&stream, depth: depth + 1) else { return }
          row.merge(part) { old, _ in old }
        case UInt8(ascii: "[") where depth < Self.deepest:
          _ = try read(&stream, depth: depth + 1)
        case UInt8(ascii: "{"), UInt8(ascii: "["): try stream.skip()
        default:
          let value = try stream.value()
          guard row.count < Self.mostMembers, member.utf8.count <= Self.longestName,
            let text = Self.text(value)
          else { return }
          row[member.lowercased()] = text
        }
      }
      return row
    default:
      try stream.skip()
      return nil
    }
  }

  /// A scalar as the field of a table; nil for null.
  private static func text(_ value: JSONValue) -> String? {
    switch value {
    case .number: value.number.map { "\($0)" }
    case .string(let text):
      String(text.unicodeScalars.filter { $0.value >= 0x20 && $0 != "\"" }.prefix(128))
    default: nil
    }
  }

  private mutating func take(_ row: Row) {
    let names = row.keys.sorted()
    let key = names.joined(separator: "\t")
    let isRow = known[key] ?? (NamedColumns(names, TableColumns()) != nil)
    if known.count < 1_000 { known[key] = isRow }
    guard isRow, !isFull else { return }
    guard columns.isEmpty else { return write(row) }
    first.append(row)
    if first.count >= Self.enough { writeFirst() }
  }

  /// Takes all names in the first rows for the columns, and writes these rows.
  private mutating func writeFirst() {
    columns = columns.isEmpty ? Set(first.flatMap(\.keys)).sorted() : columns
    for row in first { write(row) }
    first = []
  }

  private mutating func write(_ row: Row) {
    for column in columns {
      text += (row[column] ?? "").utf8
      ends.append(text.count)
    }
  }
}
