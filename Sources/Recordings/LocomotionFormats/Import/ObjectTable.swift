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
  private var text: [UInt8] = []
  private var rows = 0
  /// Whether objects with these names are rows.
  private var known: [String: Bool] = [:]
  private let most: Int

  /// The limit for rows: in a table of a hundred bytes a row some gigabyte.
  private static let mostRows = 1 << 23
  private static let enough = 64
  private static let mostMembers = 256
  private static let longestName = 64
  private static let deepest = 8

  /// The table in a file as the only file of an input, up to so many rows; nil when the file is no
  /// JSON, or has no row.
  static func source(
    _ name: String, of source: ImportSource, rows: Int? = nil
  ) throws(RecordingError) -> ImportSource? {
    var stream = JSONStream(try source.bytes(of: name))
    guard let start = try stream.peek(), "{[".utf8.contains(start) else { return nil }
    var table = ObjectTable(most: rows ?? mostRows)
    do throws(RecordingError) {
      while try stream.peek() != nil, !table.isFull {
        if let row = try table.read(&stream, depth: 0) { table.take(row) }
      }
    } catch {
      guard table.isFull else { throw error }
    }
    guard rows != nil || !table.isFull else {
      throw .refused(path: source.path, reason: "more than \(mostRows) objects")
    }
    table.writeFirst()
    guard table.rows > 0 else { return nil }
    let file = ImportSource.stem(name) + ".tsv"
    return ImportSource(name: source.displayPath(of: name), files: [file: table.text])
  }

  private init(most: Int) { self.most = most }

  private var isFull: Bool { rows + first.count >= most }

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

  /// Writes the header, of all names in the first rows, and these.
  private mutating func writeFirst() {
    guard !first.isEmpty else { return }
    columns = Set(first.flatMap(\.keys)).sorted()
    text += (columns.joined(separator: "\t") + "\n").utf8
    for row in first { write(row) }
    first = []
  }

  private mutating func write(_ row: Row) {
    rows += 1
    text += (columns.map { row[$0] ?? "" }.joined(separator: "\t") + "\n").utf8
  }
}
