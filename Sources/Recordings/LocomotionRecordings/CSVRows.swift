internal import Foundation
package import LocomotionSensing

/// The rows of a CSV file (RFC 4180) below a header that names the columns.
///
/// The delimiter is a comma. A field may be quoted and then contain commas and doubled quotation
/// marks, but no line break. Blank lines are skipped. Copies use the same file position: keep only
/// one.
package struct CSVRows {
  /// The names of the columns in the file's order, trimmed and in lower case.
  package let columns: [String]
  /// The line of the header, 1-based.
  private let headerLine: Int
  private let header: String
  private var lines: LineReader
  /// The ranges of the current row's fields in the bytes of `lines`.
  private var fields: [Range<Int>] = []

  /// Reads the header of `lines`; a text of blank lines counts as empty.
  package init(_ lines: consuming LineReader) throws(RecordingError) {
    var lines = lines
    var columns: [String] = []
    var header = ""
    while columns.isEmpty {
      guard let range = try lines.next() else { throw .empty(path: lines.path) }
      guard !isBlank(lines.bytes, range) else { continue }
      var ranges: [Range<Int>] = []
      split(lines.bytes, range, into: &ranges)
      columns = ranges.map { fieldText(lines.bytes, $0).lowercased() }
      // More than enough for a message, which shortens it again.
      header = String(decoding: lines.bytes[range].prefix(256), as: UTF8.self)
    }
    self.columns = columns
    self.header = header
    headerLine = lines.line
    self.lines = lines
  }

  /// The file's name in error messages.
  var path: String { lines.path }

  /// The number of lines read so far, which is the 1-based number of the current row's line.
  package var line: Int { lines.line }

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

  /// Advances to the next row that is not blank; false at the end of the file.
  package mutating func next() throws(RecordingError) -> Bool {
    while let range = try lines.next() {
      if isBlank(lines.bytes, range) { continue }
      split(lines.bytes, range, into: &fields)
      guard fields.count == columns.count else {
        throw .wrongFieldCount(
          path: path, line: line, expected: columns.count, found: fields.count)
      }
      return true
    }
    return false
  }

  /// Calls `body` with the buffered bytes after the current row.
  ///
  /// It returns the number of complete lines that it consumes, from the first on, and of their
  /// bytes. They must be rows: a line that is not is left to ``next()``.
  @inline(__always)
  mutating func take(_ body: (Span<UInt8>) -> (lines: Int, bytes: Int)) { lines.take(body) }

  /// The number in a field of the current row; NaN when it is empty or not finite.
  package func number(at position: Int) throws(RecordingError) -> Double {
    guard let value = DecimalField(lines.bytes, in: fields[position]).value else {
      throw notANumber(position)
    }
    return value
  }

  /// The time in a field of the current row, in seconds; nil when it is empty or out of range.
  package func timestamp(at position: Int) throws(RecordingError) -> Timestamp? {
    let field = DecimalField(lines.bytes, in: fields[position])
    guard field != .text else { throw notANumber(position) }
    return field.timestamp
  }

  /// The text of a field of the current row, trimmed.
  ///
  /// Bytes that are not UTF-8 become replacement characters.
  package func text(at position: Int) -> String {
    fieldText(lines.bytes, fields[position])
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

  private func notANumber(_ position: Int) -> RecordingError {
    .badNumber(
      path: path, line: line, column: columns[position],
      text: String(decoding: lines.bytes[fields[position]].prefix(256), as: UTF8.self))
  }
}

private let comma = UInt8(ascii: ",")
private let quotationMark = UInt8(ascii: "\"")

/// Puts the ranges of the comma-separated fields of `line` into `fields`.
///
/// The range of a quoted field is what is between the quotation marks. A mark that is never closed
/// is an ordinary character.
private func split(_ bytes: [UInt8], _ line: Range<Int>, into fields: inout [Range<Int>]) {
  fields.removeAll(keepingCapacity: true)
  var start = line.lowerBound
  while true {
    if start < line.upperBound, bytes[start] == quotationMark,
      let close = closingMark(bytes, start + 1..<line.upperBound)
    {
      fields.append(start + 1..<close)
      guard close + 1 < line.upperBound else { return }
      start = close + 2
    } else {
      var end = start
      while end < line.upperBound, bytes[end] != comma { end += 1 }
      fields.append(start..<end)
      guard end < line.upperBound else { return }
      start = end + 1
    }
  }
}

/// The quotation mark in `range` that ends a field: the first one before a comma or the line's end.
private func closingMark(_ bytes: [UInt8], _ range: Range<Int>) -> Int? {
  var index = range.lowerBound
  while index < range.upperBound {
    if bytes[index] == quotationMark {
      if index + 1 == range.upperBound || bytes[index + 1] == comma { return index }
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
  let text = String(decoding: bytes[field], as: UTF8.self).trimmingCharacters(in: .whitespaces)
  let isQuoted = field.lowerBound > 0 && bytes[field.lowerBound - 1] == quotationMark
  return isQuoted ? text.replacingOccurrences(of: "\"\"", with: "\"") : text
}

private func isBlank(_ bytes: [UInt8], _ range: Range<Int>) -> Bool {
  bytes[range].allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
}
