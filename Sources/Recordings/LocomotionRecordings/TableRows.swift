package import LocomotionSensing

/// The rows of a table below a header that names the columns.
///
/// A tidy table is CSV (RFC 4180): the delimiter is a comma, and each row has a field for each
/// column. Tables of other programs have a comma, a semicolon, a tab, a bar or blanks between their
/// fields, and rows of any length; lines that begin with `#`, `//` or `%` are comments. A field may
/// be quoted and then contain delimiters and doubled quotation marks. Blank lines are skipped.
/// Copies use the same file position: keep only one.
package struct TableRows {
  /// What divides fields.
  package enum Delimiter: Equatable, Sendable {
    /// One byte; fields may be quoted.
    case byte(UInt8)
    /// Any run of blanks and tabs.
    case blanks
  }

  /// The names of the columns in the file's order, trimmed and in lower case; empty without a
  /// header.
  package let columns: [String]
  /// The line of the header, 1-based.
  private let headerLine: Int
  /// The beginning of the header's line, for a message.
  package let header: String
  /// What divides its fields.
  package let delimiter: Delimiter
  private let isTidy: Bool
  private let hasDecimalComma: Bool
  private var lines: LineReader
  /// The ranges of the current row's fields in the bytes of `lines`.
  private var fields: [Range<Int>] = []
  /// The rows in memory; nil for those of a file.
  private var memory: Memory?

  /// Rows in memory: where the fields of those that are left end, and what was read of them.
  private struct Memory {
    var ends: ArraySlice<Int>
    var position = 0
    var line = 1
  }

  /// Reads the header of `lines`; a text of blank lines counts as empty.
  ///
  /// - Parameters:
  ///   - lines: The lines of the table.
  ///   - isTidy: Whether the delimiter is a comma; if not, it is that of the header, in which marks
  ///     of a comment are passed over, and with another one than a comma a comma in a number is the
  ///     decimal point, as in quotation marks.
  ///   - skipped: The number of lines before the header that belong to something else.
  /// - Throws: ``RecordingError/empty(path:)`` without a header, and what reading throws.
  package init(
    _ lines: consuming LineReader, isTidy: Bool = true, behind skipped: Int = 0
  ) throws(RecordingError) {
    var lines = lines
    for _ in 0..<skipped { _ = try lines.next() }
    var found: Range<Int>?
    while found == nil {
      guard let range = try lines.next() else { throw .empty(path: lines.path) }
      // "sep=;" before the header tells a spreadsheet the delimiter, which the header shows.
      let isHeader = isTidy || !lines.bytes[range].starts(with: "sep=".utf8)
      if isHeader, !isBlank(lines.bytes, range) { found = range }
    }
    let range = found ?? 0..<0
    let line = lines.bytes[range].drop { !isTidy && isMarkOfComment($0) }
    delimiter = isTidy ? .byte(comma) : Self.delimiter(of: line)
    hasDecimalComma = !isTidy
    var fields: [Range<Int>] = []
    split(lines.bytes, line.indices, delimiter, into: &fields)
    columns = fields.map { headerText(lines.bytes, $0).lowercased() }
    // More than enough for a message, which shortens it again.
    header = String(decoding: line.prefix(256), as: UTF8.self)
    headerLine = lines.line
    self.isTidy = isTidy
    self.lines = lines
  }

  /// What divides the fields of a line of another program's table: the first that it has of a tab,
  /// a semicolon, a comma and a bar, or else blanks.
  package static func delimiter(of line: ArraySlice<UInt8>) -> Delimiter {
    let mark = "\t;,|".utf8.first { line.contains($0) }
    return mark.map { .byte($0) } ?? (line.contains(UInt8(ascii: " ")) ? .blanks : .byte(comma))
  }

  /// The rows of a table of another program that has no header.
  package init(
    withoutHeader lines: consuming LineReader, _ delimiter: Delimiter, columns: [String] = []
  ) {
    (self.columns, header, headerLine) = (columns, "", 0)
    (isTidy, hasDecimalComma) = (false, !columns.isEmpty)
    self.delimiter = delimiter
    self.lines = lines
  }

  /// Rows in memory, as those of another program's table: the texts of all fields, one behind the
  /// other, and where each ends.
  package init(columns: [String], text: [UInt8], ends: [Int], name: String) {
    self.columns = columns
    (header, headerLine) = (columns.joined(separator: "\t"), 1)
    (isTidy, hasDecimalComma) = (false, true)
    delimiter = .blanks
    lines = LineReader(bytes: text, name: name)
    memory = Memory(ends: ends[...])
  }

  /// The file's name in error messages.
  package var path: String { lines.path }

  /// The number of lines read so far, which is the 1-based number of the current row's line.
  package var line: Int { memory?.line ?? lines.line }

  /// Whether the rows are in memory.
  package var isInMemory: Bool { memory != nil }

  /// The number of fields of the current row.
  package var count: Int { fields.count }

  /// The index of the column named `name`, or nil unless the header names it exactly once.
  package func position(of name: String) -> Int? {
    guard let first = columns.firstIndex(of: name), columns.lastIndex(of: name) == first else {
      return nil
    }
    return first
  }

  /// The indices of the columns named `names`.
  ///
  /// - Throws: ``RecordingError/badHeader(path:line:expected:found:)`` when one is missing.
  package func positions(
    of names: [String], expected: String
  ) throws(RecordingError) -> [Int] {
    let found = names.compactMap { position(of: $0) }
    guard found.count == names.count else {
      throw .badHeader(path: path, line: headerLine, expected: expected, found: header)
    }
    return found
  }

  /// The index of the first column with one of these names; a trailing `*` matches any rest.
  package func column(_ names: String...) -> Int? { column(names) }

  /// The index of the first column with one of these names; a trailing `*` matches any rest.
  package func column(_ names: [String]) -> Int? {
    names.lazy.compactMap { name in
      columns.firstIndex { name.hasSuffix("*") ? $0.hasPrefix(name.dropLast()) : $0 == name }
    }.first
  }

  /// Advances to the next row that is not blank; false at the end of the file.
  ///
  /// - Throws: ``RecordingError``; also when a row of a tidy table has too many or too few fields.
  package mutating func next() throws(RecordingError) -> Bool {
    guard memory == nil else { return nextInMemory() }
    while let range = try lines.next() {
      if isBlank(lines.bytes, range) || !isTidy && isComment(lines.bytes, range) { continue }
      split(lines.bytes, range, delimiter, into: &fields)
      guard !isTidy || fields.count == columns.count else {
        throw .wrongFieldCount(
          path: path, line: line, expected: columns.count, found: fields.count)
      }
      return true
    }
    return false
  }

  private mutating func nextInMemory() -> Bool {
    while var rows = memory, !rows.ends.isEmpty {
      fields = rows.ends.prefix(columns.count).map { end in
        defer { rows.position = end }
        return rows.position..<end
      }
      rows.ends.removeFirst(columns.count)
      rows.line += 1
      memory = rows
      if fields.contains(where: { !isBlank(lines.bytes, $0) }) { return true }
    }
    return false
  }

  /// Calls `body` with the buffered bytes after the current row.
  ///
  /// It returns the number of complete lines that it consumes, from the first on, and of their
  /// bytes. They must be rows: a line that is not is left to ``next()``.
  @inline(__always)
  mutating func take(_ body: (Span<UInt8>) -> (lines: Int, bytes: Int)) { lines.take(body) }

  /// The field in a column; missing when there is no such column.
  package func field(at position: Int?) -> DecimalField {
    guard let position, position < fields.count else { return .missing }
    let range = fields[position]
    let bytes = lines.bytes
    if hasDecimalComma, let place = bytes[range].firstIndex(of: comma) {
      // In quotation marks between commas, three digits behind one may be those of thousands.
      guard delimiter != .byte(comma) || range.upperBound - place != 4 else { return .text }
      var text = Array(bytes[range])
      text[place - range.lowerBound] = UInt8(ascii: ".")
      return DecimalField(text, in: text.indices)
    }
    let field = DecimalField(bytes, in: range)
    return field == .text && !isTidy && bytes[range].elementsEqual("null".utf8) ? .missing : field
  }

  /// The number in a column; nil when it is missing or text.
  package func value(at position: Int?) -> Double? {
    field(at: position).value.flatMap { $0.isNaN ? nil : $0 }
  }

  /// The number in a field of the current row; NaN when it is empty or not finite.
  package func number(at position: Int) throws(RecordingError) -> Double {
    guard let value = field(at: position).value else { throw notANumber(position) }
    return value
  }

  /// The time in a field of the current row, in seconds; nil when it is empty or out of range.
  package func timestamp(at position: Int) throws(RecordingError) -> Timestamp? {
    let field = field(at: position)
    guard field != .text else { throw notANumber(position) }
    return field.timestamp
  }

  /// The text of a field of the current row, trimmed; empty when there is no such column.
  ///
  /// Bytes that are not UTF-8 become replacement characters.
  package func text(at position: Int?) -> String {
    guard let position, position < fields.count else { return "" }
    return fieldText(lines.bytes, fields[position])
  }

  /// The number in an optional column; nil without the column.
  package func number(ifAt position: Int?) throws(RecordingError) -> Double? {
    guard let position else { return nil }
    return try number(at: position)
  }

  /// The text in an optional column; nil without the column or when empty.
  package func text(ifAt position: Int?) -> String? {
    guard let position else { return nil }
    let text = text(at: position)
    return text.isEmpty ? nil : text
  }

  /// The times in two columns.
  ///
  /// - Throws: ``RecordingError/badInterval(path:line:start:end:)`` when the second is the earlier
  ///   one or one is missing.
  package func interval(from: Int, to: Int) throws(RecordingError) -> (Timestamp, Timestamp) {
    guard let start = try timestamp(at: from), let end = try timestamp(at: to), start <= end else {
      throw .badInterval(
        path: path, line: line, start: try number(at: from), end: try number(at: to))
    }
    return (start, end)
  }

  /// The error of a table of another program whose row has another field at `position` than is
  /// expected, or other fields.
  package func defect(_ expected: String, at position: Int? = nil) -> RecordingError {
    let found = position.map { String(text(at: $0).prefix(64)) } ?? "\(fields.count) fields"
    return .malformed(path: path, place: "line \(line)", expected: expected, found: found)
  }

  private func notANumber(_ position: Int) -> RecordingError {
    .badNumber(
      path: path, line: line, column: columns[position],
      text: String(decoding: lines.bytes[fields[position]].prefix(256), as: UTF8.self))
  }
}

private let comma = UInt8(ascii: ",")

private func isMarkOfComment(_ byte: UInt8) -> Bool { "#%/! ".utf8.contains(byte) }

private func isComment(_ bytes: [UInt8], _ line: Range<Int>) -> Bool {
  switch bytes[line.lowerBound] {
  case UInt8(ascii: "#"), UInt8(ascii: "%"): true
  case UInt8(ascii: "/"): line.count > 1 && bytes[line.lowerBound + 1] == UInt8(ascii: "/")
  default: false
  }
}

private let quotationMark = UInt8(ascii: "\"")

/// Puts the ranges of the fields of `line` into `fields`.
///
/// The range of a quoted field is what is between the quotation marks. A mark that is never closed
/// is an ordinary character.
private func split(
  _ bytes: [UInt8], _ line: Range<Int>, _ delimiter: TableRows.Delimiter,
  into fields: inout [Range<Int>]
) {
  fields.removeAll(keepingCapacity: true)
  guard case .byte(let delimiter) = delimiter else {
    fields += bytes[line].split { $0 <= 0x20 }.map { $0.indices }
    return
  }
  var start = line.lowerBound
  while true {
    var mark = start
    while mark < line.upperBound, bytes[mark] == UInt8(ascii: " "), delimiter != bytes[mark] {
      mark += 1
    }
    if mark < line.upperBound, bytes[mark] == quotationMark,
      let close = closingMark(bytes, mark + 1..<line.upperBound, delimiter)
    {
      fields.append(mark + 1..<close)
      guard close + 1 < line.upperBound else { return }
      start = close + 2
    } else {
      var end = start
      while end < line.upperBound, bytes[end] != delimiter { end += 1 }
      fields.append(start..<end)
      guard end < line.upperBound else { return }
      start = end + 1
    }
  }
}

/// The quotation mark in `range` that ends a field: the first one before a delimiter or the line's
/// end.
private func closingMark(_ bytes: [UInt8], _ range: Range<Int>, _ delimiter: UInt8) -> Int? {
  var index = range.lowerBound
  while index < range.upperBound {
    if bytes[index] == quotationMark {
      if index + 1 == range.upperBound || bytes[index + 1] == delimiter { return index }
      // A doubled quotation mark is one mark of the text.
      guard bytes[index + 1] == quotationMark else { return nil }
      index += 1
    }
    index += 1
  }
  return nil
}

/// The text of a field, trimmed, with doubled quotation marks replaced by single ones.
private func fieldText(_ bytes: [UInt8], _ field: Range<Int>) -> String {
  let isQuoted = field.lowerBound > 0 && bytes[field.lowerBound - 1] == quotationMark
  var isSecond = false
  let text = bytes[field].filter { byte in
    isSecond = isQuoted && byte == quotationMark && !isSecond
    return byte != quotationMark || isSecond || !isQuoted
  }
  return String(decoding: text, as: UTF8.self).trimmed
}

/// The text of a field of a header; what is no UTF-8 is read as ISO 8859-1, as in older
/// spreadsheets.
private func headerText(_ bytes: [UInt8], _ field: Range<Int>) -> String {
  let text = fieldText(bytes, field)
  guard text.unicodeScalars.contains("\u{FFFD}") else { return text }
  return String(String.UnicodeScalarView(bytes[field].map { Unicode.Scalar($0) })).trimmed
}

extension StringProtocol {
  /// The text without blanks at its ends.
  package var trimmed: String {
    let start = drop { $0.isWhitespace }
    return String(start.dropLast(start.reversed().prefix { $0.isWhitespace }.count))
  }
}

private func isBlank(_ bytes: [UInt8], _ range: Range<Int>) -> Bool {
  bytes[range].allSatisfy { $0 <= 0x20 }
}
