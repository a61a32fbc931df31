internal import Foundation
internal import LocomotionRecordings
internal import LocomotionSensing

/// The rows of another program's text file: fields separated by a delimiter or blanks.
///
/// Laxer than the tidy format: the caller counts bad rows, and they are no errors.
struct DelimitedRows {
  /// The separator of fields.
  enum Delimiter: Equatable {
    /// One byte; fields may be quoted.
    case byte(UInt8)
    /// Any run of blanks and tabs.
    case blanks
  }

  /// The names of the header in lower case; empty when the file has none.
  private(set) var columns: [String] = []
  private var lines: LineReader
  private let delimiter: Delimiter
  /// Whether a comma is the decimal point.
  private let hasDecimalComma: Bool
  private var fields: [Range<Int>] = []
  private var scratch: [UInt8] = []

  /// The rows of a file without a header.
  init(_ lines: consuming LineReader, delimiter: Delimiter) {
    self.lines = lines
    self.delimiter = delimiter
    hasDecimalComma = false
  }

  /// The rows below a header, which determines the delimiter: a tab, a semicolon, or a comma.
  ///
  /// With one of the first two, a comma in a number is the decimal point.
  init(withHeader lines: consuming LineReader) throws(RecordingError) {
    var lines = lines
    var header: Range<Int>?
    while let range = try lines.next() {
      let bytes = lines.bytes[range]
      // "sep=;" before the header tells a spreadsheet the delimiter, which the header shows.
      if bytes.contains(where: { $0 > 0x20 }), !bytes.starts(with: "sep=".utf8) {
        header = range
        break
      }
    }
    guard let header else { throw .empty(path: lines.path) }
    let bytes = lines.bytes[header]
    let found: UInt8 =
      bytes.contains(0x09) ? 0x09 : bytes.contains(UInt8(ascii: ";")) ? 0x3B : 0x2C
    delimiter = .byte(found)
    hasDecimalComma = found != 0x2C
    self.lines = lines
    split(header)
    columns = fields.indices.map { text(at: $0).lowercased() }
  }

  /// The file's name in messages.
  var path: String { lines.path }
  /// The number of fields in the row.
  var count: Int { fields.count }
  /// The 1-based number of the row's line.
  var line: Int { lines.line }

  /// Advances to the next row that is not blank; false at the end.
  mutating func next() throws(RecordingError) -> Bool {
    while let range = try lines.next() {
      guard lines.bytes[range].contains(where: { $0 > 0x20 }) else { continue }
      split(range)
      return true
    }
    return false
  }

  /// The index of the first column with one of these names; a trailing `*` matches any rest.
  func position(of names: String...) -> Int? { position(of: names) }

  /// The index of the first column with one of these names; a trailing `*` matches any rest.
  func position(of names: [String]) -> Int? {
    for name in names {
      let match = columns.firstIndex {
        name.hasSuffix("*") ? $0.hasPrefix(name.dropLast()) : $0 == name
      }
      if let match { return match }
    }
    return nil
  }

  /// The field in a column as a number; missing when there is no such column.
  mutating func field(at position: Int?) -> DecimalField {
    guard let position, position < fields.count else { return .missing }
    let range = fields[position]
    if hasDecimalComma, let comma = lines.bytes[range].firstIndex(of: 0x2C) {
      scratch.removeAll(keepingCapacity: true)
      scratch += lines.bytes[range]
      scratch[comma - range.lowerBound] = UInt8(ascii: ".")
      return DecimalField(scratch, in: 0..<scratch.count)
    }
    let field = DecimalField(lines.bytes, in: range)
    if field == .text, lines.bytes[range].elementsEqual("null".utf8) { return .missing }
    return field
  }

  /// The field as a number; nil when it is missing or NaN.
  mutating func number(at position: Int?) -> Double? {
    field(at: position).value.flatMap { $0.isNaN ? nil : $0 }
  }

  /// The text of a field, trimmed.
  func text(at position: Int?) -> String {
    guard let position, position < fields.count else { return "" }
    return String(decoding: lines.bytes[fields[position]], as: UTF8.self)
      .trimmingCharacters(in: .whitespaces)
  }

  /// The error for the row's field at `position`.
  func defect(_ expected: String, at position: Int? = nil) -> RecordingError {
    let found = position.map { String(text(at: $0).prefix(64)) } ?? "\(fields.count) fields"
    return .malformed(path: path, place: "line \(line)", expected: expected, found: found)
  }

  private mutating func split(_ line: Range<Int>) {
    fields.removeAll(keepingCapacity: true)
    let bytes = lines.bytes
    switch delimiter {
    case .blanks:
      var index = line.lowerBound
      while true {
        while index < line.upperBound, bytes[index] <= 0x20 { index += 1 }
        guard index < line.upperBound else { return }
        let start = index
        while index < line.upperBound, bytes[index] > 0x20 { index += 1 }
        fields.append(start..<index)
      }
    case .byte(let delimiter):
      var start = line.lowerBound
      while true {
        var end = start
        var isQuoted = false
        while end < line.upperBound, isQuoted || bytes[end] != delimiter {
          if bytes[end] == UInt8(ascii: "\"") { isQuoted.toggle() }
          end += 1
        }
        let hasMarks =
          end - start >= 2 && bytes[start] == UInt8(ascii: "\"")
          && bytes[end - 1] == UInt8(ascii: "\"")
        fields.append(hasMarks ? start + 1..<end - 1 : start..<end)
        guard end < line.upperBound else { return }
        start = end + 1
      }
    }
  }
}

extension DecimalField {
  /// The instant of a value in units of 10^−`digits` seconds; exact like `timestamp`.
  func timestamp(unitDigits digits: Int) -> Timestamp? {
    guard case .number(let significand, let exponent, let isNegative, let nearest) = self else {
      return nil
    }
    return DecimalField.number(
      significand: significand, exponent: exponent - digits, isNegative: isNegative,
      nearest: nearest * Self.scale(digits)
    ).timestamp
  }

  private static func scale(_ digits: Int) -> Double {
    switch digits {
    case 0: 1
    case 3: 1e-3
    case 6: 1e-6
    default: 1e-9
    }
  }
}

extension ImportSource {
  /// The table in a file; nil, with a note, when one of several files has none.
  func table(_ name: String, _ sink: ImportSink) throws(RecordingError) -> DelimitedRows? {
    do throws(RecordingError) {
      return try DelimitedRows(withHeader: lines(of: name))
    } catch {
      if names.count == 1 { throw error }
      sink.note("left out: \(error)")
      return nil
    }
  }
}
