import Foundation
import LocomotionRecordings

/// Writing to standard output failed.
struct OutputError: CommandError, CustomStringConvertible {
  let code: Int32
  let exitStatus = ExitStatus.inputOutput

  /// The system's error number underlying an error of Foundation; EIO when there is none.
  init(_ error: any Error) {
    var error = error as NSError
    while error.domain != NSPOSIXErrorDomain,
      let cause = error.userInfo[NSUnderlyingErrorKey] as? any Error
    {
      error = cause as NSError
    }
    code = error.domain == NSPOSIXErrorDomain ? Int32(error.code) : EIO
  }

  var description: String {
    let reason = NSError(domain: NSPOSIXErrorDomain, code: Int(code)).localizedDescription
    return "standard output: cannot be written: \(reason)"
  }
  /// Whether the reader has closed the pipe, which is not an error of the command.
  var isClosedPipe: Bool { code == EPIPE }
}

/// Buffered text output to standard output or a file.
///
/// Call ``finish()`` at the end to write the rest of the buffer. A file is renamed into place when
/// its ``OutputFiles`` are committed.
@_spi(Server) public struct TextOutput {
  /// The file; nil for standard output.
  private let file: OutputFile?
  private var buffer: [UInt8] = []
  private static let pieceSize = 1 << 16

  /// Standard output, for data.
  public static var standard: TextOutput { TextOutput(nil) }

  /// A file, for text; standard output without one.
  init(_ file: OutputFile?) {
    self.file = file
  }

  /// Writes a text to standard output, all at once.
  package static func print(_ text: String) throws {
    var output = standard
    try output.write(text)
    try output.finish()
  }

  /// Writes a line.
  public mutating func write(_ line: CSVLine) throws {
    buffer += line.bytes
    buffer.append(UInt8(ascii: "\n"))
    if buffer.count >= Self.pieceSize { try finish() }
  }

  /// Writes a text as it is.
  public mutating func write(_ text: String) throws {
    buffer += text.utf8
    if buffer.count >= Self.pieceSize { try finish() }
  }

  /// Writes what is in the buffer.
  public mutating func finish() throws {
    if let file {
      try file.write(buffer)
    } else {
      do {
        try FileHandle.standardOutput.write(contentsOf: Data(buffer))
      } catch {
        throw OutputError(error)
      }
    }
    buffer.removeAll(keepingCapacity: true)
  }
}

/// Diagnostics for a person.
@_spi(Server) public enum StandardError {
  /// Writes a text as it is; a failure is of no consequence.
  public static func write(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }

  static var isTerminal: Bool { isatty(2) == 1 }
}
