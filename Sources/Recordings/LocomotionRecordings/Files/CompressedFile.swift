// The only file of this module that imports zlib.
internal import CLocomotionZlib
internal import Foundation

/// A file open for reading, gzip or plain, depending on its first bytes and not on its name.
///
/// Text in UTF-16 that begins with a byte order mark, as spreadsheets write it, is given in UTF-8.
///
/// A class, because it owns an open file and closes it with its last reference.
@safe package final class CompressedInput {
  private let file: gzFile
  private let path: String
  /// Whether the byte order mark has been looked for.
  private var hasBegun = false
  /// Turns the text into UTF-8; nil where it is in UTF-8 or no text.
  private var transcoder: UTF16Transcoder?

  /// Opens the file at `path`.
  package init(path: String) throws(RecordingError) {
    guard let status = FileStatus(path: path) else { throw .notFound(path: path) }
    guard status.kind != .folder else { throw .unreadable(path: path, reason: "is a directory") }
    guard let file = unsafe gzopen(path, "rb") else {
      throw .unreadable(path: path, reason: systemErrorText())
    }
    // A larger buffer than zlib's 8 KiB: fewer system calls.
    unsafe gzbuffer(file, 1 << 17)
    unsafe self.file = unsafe file
    self.path = path
  }

  deinit {
    unsafe gzclose_r(file)
  }

  /// Whether the bytes given are not those of the file, because its text is in UTF-16; known once
  /// something has been read.
  package var isTranscoded: Bool { transcoder != nil }

  /// Reads into `buffer` from `start` until the buffer is full or the file ends; of a text in
  /// UTF-16 as much as surely fits.
  ///
  /// - Returns: The number of bytes read, and the failure that ended the reading early, if any; a
  ///   reader of lines says behind which line.
  package func read(into buffer: inout [UInt8], from start: Int) -> (Int, RecordingError?) {
    if !hasBegun {
      hasBegun = true
      var first: [UInt8] = [0, 0]
      let (count, _) = readBytes(into: &first, from: 0)
      transcoder = count == 2 ? UTF16Transcoder(byteOrderMark: first) : nil
      // What is no mark is read again, and so is a failure.
      for byte in first.prefix(count).reversed() where transcoder == nil {
        unsafe gzungetc(Int32(byte), file)
      }
    }
    return transcoder == nil
      ? readBytes(into: &buffer, from: start) : transcode(into: &buffer, from: start)
  }

  /// Reads as much text in UTF-16 as fits in UTF-8: a unit of two bytes has at most three.
  private func transcode(into buffer: inout [UInt8], from start: Int) -> (Int, RecordingError?) {
    var units = [UInt8](repeating: 0, count: max(2, (buffer.count - start) / 3 * 2 - 4))
    let (count, failure) = readBytes(into: &units, from: 0)
    let text = transcoder?.utf8(units.prefix(count), isLast: count < units.count) ?? []
    buffer.replaceSubrange(start..<start + text.count, with: text)
    return (text.count, failure)
  }

  private func readBytes(into buffer: inout [UInt8], from start: Int) -> (Int, RecordingError?) {
    let wanted = buffer.count - start
    let count = unsafe buffer.withUnsafeMutableBytes { bytes in
      // `wanted` is a few hundred kilobytes, never near the 2 GiB that gzread refuses.
      Int(unsafe gzread(file, bytes.baseAddress.map { unsafe $0 + start }, UInt32(wanted)))
    }
    guard count < wanted else { return (count, nil) }
    return (max(count, 0), failure)
  }

  /// The error of zlib after a short read; nil at the regular end of the file.
  private var failure: RecordingError? {
    var code: Int32 = Z_OK
    let message = unsafe gzerror(file, &code)
    switch code {
    case Z_OK, Z_STREAM_END: return nil
    case Z_BUF_ERROR: return .truncatedCompression(path: path, line: 0)
    case Z_ERRNO: return .unreadable(path: path, reason: systemErrorText())
    default:
      let reason = unsafe message.map { unsafe String(cString: $0) } ?? "zlib \(code)"
      return .corruptCompression(path: path, line: 0, reason: reason)
    }
  }
}

/// A file open for writing, gzip or plain.
///
/// A class, because it owns an open file and closes it with its last reference.
@safe package final class CompressedOutput {
  private var file: gzFile?
  private let path: String

  /// Writes to an open file, which is closed together with this object; -1 is one that could not be
  /// opened, with the reason in `errno`.
  ///
  /// - Throws: ``RecordingError/unwritable(path:reason:)``.
  init(descriptor: Int32, path: String, isCompressed: Bool) throws(RecordingError) {
    // "T" writes the bytes uncompressed; 6 is gzip's default level.
    guard descriptor >= 0, let file = unsafe gzdopen(descriptor, isCompressed ? "wb6" : "wbT")
    else { throw .unwritable(path: path, reason: systemErrorText()) }
    unsafe gzbuffer(file, 1 << 17)
    unsafe self.file = unsafe file
    self.path = path
  }

  /// Creates or truncates a file at `path`, by default compressed when its name ends in `.gz`.
  ///
  /// For temporary files only; a file that a user asked for is an ``OutputFile``.
  package convenience init(path: String, isCompressed: Bool? = nil) throws(RecordingError) {
    try self.init(
      descriptor: unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600), path: path,
      isCompressed: isCompressed ?? path.hasSuffix(".gz"))
  }

  /// Writes all of `bytes`.
  package func write(_ bytes: [UInt8]) throws(RecordingError) {
    precondition(unsafe file != nil, "write after close")
    guard !bytes.isEmpty else { return }
    let count = unsafe bytes.withUnsafeBytes { buffer in
      unsafe gzwrite(file, buffer.baseAddress, UInt32(buffer.count))
    }
    guard count == bytes.count else {
      throw .unwritable(path: path, reason: systemErrorText())
    }
  }

  /// Flushes and closes the file; does nothing when it is closed.
  package func close() throws(RecordingError) {
    guard let open = unsafe file else { return }
    unsafe file = nil
    guard unsafe gzclose_w(open) == Z_OK else {
      throw .unwritable(path: path, reason: systemErrorText())
    }
  }

  deinit {
    // The caller is already failing: a second error would hide the first.
    try? close()
  }
}

/// The operating system's message for an error, by default the latest one.
func systemErrorText(_ code: Int32 = errno) -> String {
  unsafe String(cString: strerror(code))
}

/// Turns text in UTF-16 into UTF-8, piece by piece.
struct UTF16Transcoder {
  private let isBigEndian: Bool
  /// The bytes of a character that the last piece did not end.
  private var rest: [UInt8] = []

  /// A transcoder for the text after a byte order mark; nil for any other two bytes.
  init?(byteOrderMark mark: [UInt8]) {
    guard mark == [0xFF, 0xFE] || mark == [0xFE, 0xFF] else { return nil }
    isBigEndian = mark[0] == 0xFE
  }

  /// The next piece in UTF-8; what is no character becomes U+FFFD, and where nothing follows, half
  /// a character too.
  mutating func utf8(_ bytes: some Sequence<UInt8>, isLast: Bool) -> [UInt8] {
    let all = rest + bytes
    var units: [UInt16] = []
    units.reserveCapacity(all.count / 2)
    for index in stride(from: 0, to: all.count - 1, by: 2) {
      let (first, second) = (UInt16(all[index]), UInt16(all[index + 1]))
      units.append(isBigEndian ? first << 8 | second : second << 8 | first)
    }
    rest = all.count.isMultiple(of: 2) ? [] : [all[all.count - 1]]
    // Half of a pair waits for the other half.
    if !isLast, let last = units.last, 0xD800..<0xDC00 ~= last {
      units.removeLast()
      rest = Array(all[(2 * units.count)...])
    }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }
}
