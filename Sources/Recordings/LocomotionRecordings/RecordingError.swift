/// An error in reading or writing a recording, a label file or a data set's description.
///
/// ``description`` is one line that names the file, the line and what was expected. Text from a
/// file is shortened and its control characters are escaped, so that a hostile file cannot write to
/// the terminal or the log.
public indirect enum RecordingError: Error, Hashable, Sendable {
  /// There is no file at this path.
  case notFound(path: String)
  /// The operating system could not read the file.
  case unreadable(path: String, reason: String)
  /// The file cannot be written.
  case unwritable(path: String, reason: String)
  /// The file holds no text, not even a header.
  case empty(path: String)
  /// The header does not name the required columns.
  case badHeader(path: String, line: Int, expected: String, found: String)
  /// A field of `column` is neither a number nor empty.
  case badNumber(path: String, line: Int, column: String, text: String)
  /// An interval ends before it starts, or lacks its start or end (NaN).
  case badInterval(path: String, line: Int, start: Double, end: Double)
  /// Several lines of one file have errors; `others` is the number of those after the first ones.
  case severalLines([RecordingError], others: Int)
  /// A line has more or fewer fields than the header.
  case wrongFieldCount(path: String, line: Int, expected: Int, found: Int)
  /// A line is longer than `limit` bytes.
  case lineTooLong(path: String, line: Int, limit: Int)
  /// The compressed file is truncated after `line` complete lines.
  case truncatedCompression(path: String, line: Int)
  /// The compressed data are damaged somewhere after `line` complete lines.
  case corruptCompression(path: String, line: Int, reason: String)
  /// The file is well-formed but holds no usable data.
  case nothingUsable(path: String, reason: String)
  /// A file of another program is not in its format; `place` is the position, as in `line 3`.
  case malformed(path: String, place: String, expected: String, found: String)
  /// A file exceeds a limit of the reader: memory, depth, a path outside its folder.
  case refused(path: String, reason: String)
  /// The data set's description is not what ``DatasetDescriptor`` expects.
  case badDescriptor(path: String, reason: String)

  /// Whether the content of the input caused the error, rather than the operating system.
  ///
  /// The command line exits with code 3 (input rejected) when true, with 74 (I/O error) when false.
  /// A missing file is an I/O error.
  public var isInputRejection: Bool {
    switch self {
    case .notFound, .unreadable, .unwritable: false
    default: true
    }
  }
}

extension RecordingError: CustomStringConvertible {
  /// The error in one line: file, line, what was expected, what was found.
  public var description: String {
    switch self {
    case .notFound(let path):
      "\(printable(path)): no such file"
    case .unreadable(let path, let reason):
      "\(printable(path)): cannot be read: \(printable(reason))"
    case .unwritable(let path, let reason):
      "\(printable(path)): cannot be written: \(printable(reason))"
    case .empty(let path):
      "\(printable(path)): the file is empty"
    case .badHeader(let path, let line, let expected, let found):
      "\(place(path, line)): expected the columns \(printable(expected)), found \(quoted(found))"
    case .badNumber(let path, let line, let column, let text):
      "\(place(path, line)): expected a number in column \(printable(column)), "
        + "found \(quoted(text))"
    case .badInterval(let path, let line, let start, let end):
      "\(place(path, line)): expected an end at or after the start, found \(start) s to \(end) s"
    case .severalLines(let errors, let others):
      errors.map { $0.description }.joined(separator: "; ")
        + (others > 0 ? "; and \(others) more lines" : "")
    case .wrongFieldCount(let path, let line, let expected, let found):
      "\(place(path, line)): expected \(expected) fields as in the header, found \(found)"
    case .lineTooLong(let path, let line, let limit):
      "\(place(path, line)): expected a line of at most \(limit) bytes, found a longer one"
    case .truncatedCompression(let path, let line):
      "\(place(path, line)): the compressed file ends in the middle of its data after this line"
    case .corruptCompression(let path, let line, let reason):
      "\(place(path, line)): the compressed data are damaged after this line: \(printable(reason))"
    case .nothingUsable(let path, let reason):
      "\(printable(path)): nothing usable: \(printable(reason))"
    case .malformed(let path, let place, let expected, let found):
      "\(printable(path)): \(printable(place)): expected \(printable(expected)), "
        + "found \(quoted(found))"
    case .refused(let path, let reason):
      "\(printable(path)): refused: \(printable(reason))"
    case .badDescriptor(let path, let reason):
      "\(printable(path)): not a data set's description: \(printable(reason))"
    }
  }
}

/// `path:line`, which editors turn into a link.
private func place(_ path: String, _ line: Int) -> String {
  "\(printable(path)):\(line)"
}

/// At most 48 characters of `text` in quotation marks.
private func quoted(_ text: String) -> String {
  let limit = 48
  let start = text.unicodeScalars.prefix(limit)
  let isWhole = start.endIndex == text.unicodeScalars.endIndex
  return "\"\(printable(String(start)))\"" + (isWhole ? "" : "…")
}

/// `text` with every character escaped that could break the line, be invisible, or control a
/// terminal, such as `\u{1B}`; but for those that are kept.
package func printable(_ text: String, keeping kept: [Unicode.Scalar] = []) -> String {
  var result = ""
  for scalar in text.unicodeScalars {
    guard !(" "..."~" ~= scalar || kept.contains(scalar)) else {
      result.unicodeScalars.append(scalar)
      continue
    }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
      result += scalar.escaped(asASCII: true)
    default:
      result.unicodeScalars.append(scalar)
    }
  }
  return result
}
