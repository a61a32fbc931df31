package import LocomotionRecordings

/// The bytes of a file, gzip or plain, one at a time and in constant memory.
///
/// Copies share the file's position: keep only one.
package struct ByteReader {
  /// The file's name in error messages.
  let path: String
  private let input: CompressedInput?
  private var bytes: [UInt8]
  private var position = 0
  private var filled: Int
  private var before = 0
  private static let size = 1 << 16

  /// The bytes of the file at `path`.
  package init(path: String) throws(RecordingError) {
    input = try CompressedInput(path: path)
    self.path = path
    bytes = [UInt8](repeating: 0, count: Self.size)
    filled = 0
  }

  /// Bytes in memory, which error messages call `name`.
  package init(bytes: [UInt8], name: String) {
    input = nil
    path = name
    self.bytes = bytes
    filled = bytes.count
  }

  /// Whether the file is compressed; known once something has been read.
  var isCompressed: Bool { input?.isCompressed ?? false }

  /// How many bytes are behind the place of reading.
  var offset: Int { before + position }

  /// The next byte without going on, or nil at the end.
  mutating func peek() throws(RecordingError) -> UInt8? {
    if position == filled { guard try fill() else { return nil } }
    return bytes[position]
  }

  /// Goes on behind the byte that ``peek()`` gave.
  mutating func advance() {
    position += 1
  }

  /// The first bytes of the file, fewer when it is shorter; reading starts before them.
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
    if count == 0, let failure { throw failure.error(path: path, line: 0) }
    return count > 0
  }
}
