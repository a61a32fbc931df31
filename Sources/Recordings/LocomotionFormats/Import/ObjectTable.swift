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
  /// The quantity whose values are read, and those of several by their times, as Nike has them.
  private var series: String?
  private var joint: [String: Row] = [:]

  /// The limit for rows: in a table of a hundred bytes a row some gigabyte.
  private static let mostRows = 1 << 23
  private static let enough = 64
  private static let mostMembers = 256
  private static let longestName = 64
  private static let deepest = 8

  /// The rows in a file of JSON, or of lines that each say something by names, up to so many; nil
  /// when the file is neither, or has no row.
  static func rows(
    of name: String, in source: ImportSource, atMost most: Int? = nil
  ) throws(RecordingError) -> TableRows? {
    var bytes = try source.bytes(of: name)
    var table = ObjectTable(most: most ?? mostRows)
    if var records = try LineRecords(bytes.prefix(1 << 14)) {
      var lines = try source.lines(of: name)
      while !table.isFull, let range = try lines.next() {
        let line = String(decoding: lines.bytes[range], as: UTF8.self)
        if let row = records.take(line[...]) { table.take(row) }
      }
      if let row = records.finish() { table.take(row) }
      return table.rows(named: source.displayPath(of: name))
    }
    var stream = JSONStream(bytes)
    guard let start = try stream.peek(), "{[".utf8.contains(start) else { return nil }
    do {
      while try stream.peek() != nil, !table.isFull {
        if let row = try table.read(&stream, depth: 0) { table.take(row) }
      }
    } catch  where table.isFull {}
    guard most != nil || !table.isFull else {
      throw .refused(path: source.path, reason: "more than \(mostRows) objects")
    }
    return table.rows(named: source.displayPath(of: name))
  }

  private mutating func rows(named name: String) -> TableRows? {
    for (_, row) in joint.sorted(by: { $0.key < $1.key }) { take(row) }
    writeFirst()
    return columns.isEmpty ? nil : TableRows(columns: columns, text: text, ends: ends, name: name)
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
      var parts: [Row] = []
      try stream.array { (stream: inout JSONStream) throws(RecordingError) in
        guard let row = try read(&stream, depth: depth + 1) else { return }
        if row.count <= 2, parts.count < Self.mostMembers, series == nil {
          parts.append(row)
        } else {
          take(row)
        }
      }
      return Self.joined(parts)
    case UInt8(ascii: "{"):
      var row: Row = [:]
      try stream.object { (stream: inout JSONStream, member) throws(RecordingError) in
        switch try stream.peek() {
        case UInt8(ascii: "{") where depth < Self.deepest:
          guard let part = try read(&stream, depth: depth + 1) else { return }
          row.merge(part) { old, _ in old }
        case UInt8(ascii: "[") where depth < Self.deepest:
          if member == "values" { series = row["type"] }
          defer { series = nil }
          guard let part = try read(&stream, depth: depth + 1) else { return }
          row.merge(part) { old, _ in old }
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

  /// The members of objects of one each, as Endomondo divides a point, as those of one; the values
  /// of a point of Google Fit have their names by their order.
  private static func joined(_ parts: [Row]) -> Row? {
    if parts.count > 1, parts.allSatisfy({ $0.keys.first == "fpval" }) {
      let names = ["latitude", "longitude", "accuracy", "altitude"]
      return Row(zip(names, parts.compactMap { $0["fpval"] })) { first, _ in first }
    }
    let members = parts.joined()
    return Set(members.map(\.key)).count == members.count
      ? Row(members.map { ($0.key, $0.value) }) { first, _ in first } : nil
  }

  private mutating func isRow(_ row: Row) -> Bool {
    let names = row.keys.sorted()
    let key = names.joined(separator: "\t")
    let isRow = known[key] ?? (NamedColumns(names, TableColumns()) != nil)
    if known.count < 1_000 { known[key] = isRow }
    return isRow
  }

  private mutating func take(_ row: Row) {
    if let series, let value = row["value"], let time = row["start_epoch_ms"] {
      if joint.count < Self.mostRows {
        joint[time, default: ["start_epoch_ms": time]][series] = value
      }
      return
    }
    guard isRow(row), !isFull else { return }
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
