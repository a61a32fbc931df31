/// Reads the lines of a text file, one at a time and in constant memory.
///
/// A line ends with LF or CR LF; the last one may lack its end. A byte order mark before the first
/// line is skipped. Copies use the same file position: keep only one.
package struct LineReader {
  /// The limit for the length of a line, 64 KiB without its end.
  ///
  /// A real row has some hundred bytes. The limit keeps a hostile file from filling the memory.
  static let longestLine = 1 << 16

  /// The file's name in error messages.
  let path: String
  /// The buffered bytes, of which a line is a range.
  package private(set) var bytes: [UInt8]
  /// The number of lines read so far, which is the 1-based number of the latest line.
  package private(set) var line = 0

  /// Whether a line goes on behind its end while a quotation mark is open, as in a field of CSV.
  package var joinsQuotedLines = false

  private var input: CompressedInput?
  private var failure: RecordingError?
  /// `bytes[position ..< filled]` has not been consumed yet.
  private var position = 0
  private var filled: Int

  /// Opens the file at `path`, gzip or plain.
  package init(path: String) throws(RecordingError) {
    input = try CompressedInput(path: path)
    self.path = path
    // Room for the start of the longest line and for one read.
    bytes = [UInt8](repeating: 0, count: 2 * Self.longestLine + 2)
    filled = 0
  }

  /// Reads a text in memory, which error messages call `name`.
  package init(bytes: [UInt8], name: String) {
    input = nil
    path = name
    self.bytes = bytes
    filled = bytes.count
  }

  /// The next line as a range of ``bytes`` without its end, or nil after the last one.
  ///
  /// The range holds until the next call.
  package mutating func next() throws(RecordingError) -> Range<Int>? {
    var searched = position
    let first = line + 1
    var isQuoted = false
    while true {
      while searched < filled, bytes[searched] != UInt8(ascii: "\n") || isQuoted {
        if bytes[searched] == UInt8(ascii: "\n") { line += 1 }
        if bytes[searched] == UInt8(ascii: "\""), joinsQuotedLines { isQuoted.toggle() }
        searched += 1
      }
      if searched < filled {
        return try take(upTo: searched, next: searched + 1)
      }
      guard searched - position <= Self.longestLine + 1 else { throw tooLong }
      searched -= position
      guard try fill() else {
        guard !isQuoted else {
          throw .malformed(
            path: path, place: "line \(first)", expected: "a closing quotation mark",
            found: "the end of the file")
        }
        return position < filled ? try take(upTo: filled, next: filled) : nil
      }
      searched += position
    }
  }

  /// Calls `body` with the buffered bytes that have not been consumed yet.
  ///
  /// It returns the number of complete lines that it consumes, from the first on, and of their
  /// bytes.
  @inline(__always)
  mutating func take(_ body: (Span<UInt8>) -> (lines: Int, bytes: Int)) {
    let (lines, count) = body(bytes[position..<filled].span)
    line += lines
    position += count
  }

  /// Consumes the line `position ..< end` and continues at `next`.
  private mutating func take(upTo end: Int, next: Int) throws(RecordingError) -> Range<Int> {
    var start = position
    var end = end
    if end > start, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    if line == 0, bytes[start..<end].starts(with: [0xEF, 0xBB, 0xBF]) { start += 3 }
    guard end - start <= Self.longestLine else { throw tooLong }
    position = next
    line += 1
    return start..<end
  }

  /// Moves the bytes that are left to the front of the buffer and reads more after them.
  ///
  /// Returns false at the end of the file. A failure is thrown only after every complete line
  /// before it has been consumed.
  private mutating func fill() throws(RecordingError) -> Bool {
    if let failure { throw failure.behind(line: line) }
    guard input != nil else { return false }
    if position > 0 {
      filled -= position
      for index in 0..<filled { bytes[index] = bytes[index + position] }
      position = 0
    }
    let (count, problem) = input?.read(into: &bytes, from: filled) ?? (0, nil)
    filled += count
    failure = problem
    if count == 0, let problem { throw problem.behind(line: line) }
    return count > 0
  }

  private var tooLong: RecordingError {
    .lineTooLong(path: path, line: line + 1, limit: Self.longestLine)
  }
}

extension RecordingError {
  /// The failure of a compressed file after `line` complete lines of it.
  fileprivate func behind(line: Int) -> RecordingError {
    switch self {
    case .truncatedCompression(let path, _): .truncatedCompression(path: path, line: line)
    case .corruptCompression(let path, _, let reason):
      .corruptCompression(path: path, line: line, reason: reason)
    default: self
    }
  }
}
