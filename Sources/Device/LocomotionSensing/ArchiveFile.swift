/// The form of a file that holds one archived value: a header, the fields, and a checksum.
///
/// All numbers are little-endian, integers unsigned.
///
///      0  magic                   4  version                8  digest of the layout
///     12  digest of what the value depends on              16  bytes in the file
///     24  the fields, in the order of ``StateArchivable/pass(through:)``
///      …  last 4: CRC-32 of all bytes before
///
/// The digest of the layout changes by itself when a field is added, removed or has another type.
/// The version is raised when the fields stay and their meaning changes.
package struct ArchiveFile: Sendable {
  private static let headerSize = 24
  private static let checksumSize = 4

  private let magic, version, context: UInt32

  /// The form of files with this magic number and version, whose values depend on what has the
  /// digest `context`.
  package init(magic: UInt32, version: UInt32, context: UInt32) {
    (self.magic, self.version, self.context) = (magic, version, context)
  }

  /// The file of `value`, which is the same afterwards; it isn't copied.
  package func bytes(of value: inout some StateArchivable) -> [UInt8] {
    var header: [UInt8] = []
    for number in [magic, version, Self.layout(of: &value), context, 0, 0] {
      header.append(littleEndian: number)
    }
    var archive = StateArchive.writing(after: header)
    archive.pass(&value)
    var bytes = archive.bytes
    let size = UInt64(bytes.count + Self.checksumSize)
    for place in 0..<8 { bytes[16 + place] = UInt8(truncatingIfNeeded: size >> UInt64(8 * place)) }
    bytes.append(littleEndian: CyclicRedundancyCheck(of: bytes[0..<bytes.count].span).value)
    return bytes
  }

  /// Replaces `value` by the one in a file; of no use when that fails.
  ///
  /// No field is read before the checksum is verified. Damaged bytes never trap.
  package func restore(
    _ value: inout some StateArchivable, from bytes: [UInt8]
  ) throws(SavedStateError) {
    guard bytes.count >= Self.headerSize + Self.checksumSize, bytes.littleEndian(at: 0) == magic
    else { throw .notASavedState }
    try require(version, at: 4, of: bytes) { .otherVersion(found: $0, expected: $1) }
    let size = UInt64(bytes.littleEndian(at: 16)) | UInt64(bytes.littleEndian(at: 20)) << 32
    let end = bytes.count - Self.checksumSize
    guard size == UInt64(bytes.count),
      CyclicRedundancyCheck(of: bytes[0..<end].span).value == bytes.littleEndian(at: end)
    else { throw .damaged }
    let layout = Self.layout(of: &value)
    try require(layout, at: 8, of: bytes) { .otherVersion(found: $0, expected: $1) }
    try require(context, at: 12, of: bytes) { .otherModel(found: $0, expected: $1) }
    var archive = StateArchive.reading(bytes, from: Self.headerSize)
    archive.pass(&value)
    guard !archive.isDamaged, archive.offset == end else { throw .damaged }
  }

  private func require(
    _ expected: UInt32, at offset: Int, of bytes: [UInt8],
    _ failure: (UInt32, UInt32) -> SavedStateError
  ) throws(SavedStateError) {
    let found = bytes.littleEndian(at: offset)
    if found != expected { throw failure(found, expected) }
  }

  /// The digest of the layout of `value`.
  package static func layout(of value: inout some StateArchivable) -> UInt32 {
    var archive = StateArchive.describing()
    archive.pass(&value)
    return archive.layout
  }
}

/// Why bytes aren't a saved state that can be restored, or no file of the kind that is read.
public enum SavedStateError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The bytes don't begin as a saved state does, or are fewer than any has.
  case notASavedState
  /// It was saved by another version of the package, with another layout.
  case otherVersion(found: UInt32, expected: UInt32)
  /// It was saved with another model, or with what else it depends on.
  case otherModel(found: UInt32, expected: UInt32)
  /// The bytes don't have the stated length or checksum, or hold an impossible value.
  case damaged

  /// A one-line description.
  public var description: String {
    switch self {
    case .notASavedState: "not a saved state"
    case .otherVersion(let found, let expected):
      "saved by another version: layout \(hexadecimal(found)), expected \(hexadecimal(expected))"
    case .otherModel(let found, let expected):
      "saved with another model: \(hexadecimal(found)), expected \(hexadecimal(expected))"
    case .damaged: "damaged"
    }
  }

  private func hexadecimal(_ value: UInt32) -> String { "0x" + String(value, radix: 16) }
}
