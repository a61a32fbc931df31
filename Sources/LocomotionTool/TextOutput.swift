import Foundation

/// Writing failed.
struct OutputError: Error, CustomStringConvertible {
  let path: String
  let code: Int32

  init(path: String, code: Int32) {
    self.path = path
    self.code = code
  }

  /// What Foundation reports, as the system's error number behind it: EIO when there is none.
  init(path: String, _ error: any Error) {
    var error = error as NSError
    while error.domain != NSPOSIXErrorDomain,
      let cause = error.userInfo[NSUnderlyingErrorKey] as? any Error
    {
      error = cause as NSError
    }
    self.init(path: path, code: error.domain == NSPOSIXErrorDomain ? Int32(error.code) : EIO)
  }

  var description: String {
    let reason = NSError(domain: NSPOSIXErrorDomain, code: Int(code)).localizedDescription
    return "\(path): cannot write: \(reason)"
  }
  /// Whether the reader at the other end went away, which is its right.
  var isClosedPipe: Bool { code == EPIPE }
}

/// Text on its way to standard output or a file, written in large pieces.
///
/// Call ``finish()`` at the end: what is still held is written then.
struct TextOutput {
  private let path: String
  private let handle: FileHandle
  private var buffer: [UInt8] = []
  private static let pieceSize = 1 << 16

  /// Data for the caller.
  static var standard: TextOutput {
    TextOutput(path: "standard output", handle: .standardOutput)
  }

  /// A new file; an old one of that name is replaced.
  init(creating path: String) throws {
    guard FileManager.default.createFile(atPath: path, contents: nil),
      let handle = FileHandle(forWritingAtPath: path)
    else { throw OutputError(path: path, code: errno) }
    self.init(path: path, handle: handle)
  }

  private init(path: String, handle: FileHandle) {
    self.path = path
    self.handle = handle
  }

  mutating func write(_ line: CSVLine) throws {
    buffer += line.bytes
    buffer.append(UInt8(ascii: "\n"))
    if buffer.count >= Self.pieceSize { try finish() }
  }

  mutating func write(_ text: String) throws {
    buffer += text.utf8
    if buffer.count >= Self.pieceSize { try finish() }
  }

  mutating func finish() throws {
    do {
      try handle.write(contentsOf: Data(buffer))
    } catch {
      throw OutputError(path: path, error)
    }
    buffer.removeAll(keepingCapacity: true)
  }
}

/// Talk for a person.
enum StandardError {
  static func write(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }

  static var isTerminal: Bool { isatty(2) == 1 }
}
