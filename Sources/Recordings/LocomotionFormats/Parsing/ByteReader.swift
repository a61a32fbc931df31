package import LocomotionRecordings

/// Reads a file byte by byte, gzip or plain, in constant memory, behind its byte order mark.
///
/// Copies use the same file position: keep only one.
package struct ByteReader {
  /// The file's name in error messages.
  let path: String
  private let input: CompressedInput?
  private var bytes: [UInt8]
  private var position = 0
  private var filled: Int
  private var before = 0
  private static let size = 1 << 16

  package init(path: String) throws(RecordingError) {
    input = try CompressedInput(path: path)
    self.path = path
    bytes = [UInt8](repeating: 0, count: Self.size)
    filled = 0
  }

  /// Reads bytes in memory; error messages call them `name`.
  package init(bytes: [UInt8], name: String) {
    input = nil
    path = name
    self.bytes = bytes
    filled = bytes.count
    passMark()
  }

  private mutating func passMark() {
    if before == 0, bytes[..<filled].starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  /// Whether the bytes are in UTF-8 and those of the file in UTF-16; known once something has been
  /// read.
  var isTranscoded: Bool { input?.isTranscoded ?? false }

  /// The number of bytes before the read position.
  var offset: Int { before + position }

  /// The next byte without consuming it, or nil at the end.
  mutating func peek() throws(RecordingError) -> UInt8? {
    if position == filled { guard try fill() else { return nil } }
    return bytes[position]
  }

  /// Consumes the byte that ``peek()`` gave.
  mutating func advance() { position += 1 }

  /// The first bytes of the file, fewer when it is shorter; they are not consumed.
  mutating func prefix(_ count: Int) throws(RecordingError) -> [UInt8] {
    if position == filled { _ = try fill() }
    return Array(bytes[position..<min(filled, position + count)])
  }

  private mutating func fill() throws(RecordingError) -> Bool {
    guard let input else { return false }
    before += filled
    position = 0
    let (count, failure) = input.read(into: &bytes, from: 0)
    filled = count
    passMark()
    if count == 0, let failure { throw failure }
    return count > 0
  }
}
