import CLocomotionStopRequest
import Foundation
import LocomotionFormats
package import LocomotionRecordings
import LocomotionSensing

extension CommandFailure {
  /// The end by an error of Foundation on standard output; a success when the reader has closed the
  /// pipe, which is not an error of the command.
  fileprivate init(ofStandardOutput error: any Error) {
    var error = error as NSError
    while error.domain != NSPOSIXErrorDomain,
      let cause = error.userInfo[NSUnderlyingErrorKey] as? any Error
    {
      error = cause as NSError
    }
    let code = error.domain == NSPOSIXErrorDomain ? Int32(error.code) : EIO
    let reason = NSError(domain: NSPOSIXErrorDomain, code: Int(code)).localizedDescription
    self.init(
      "standard output: cannot be written: \(reason)", code == EPIPE ? .success : .inputOutput)
  }
}

/// Buffered text output to standard output or a file.
///
/// Call ``finish()`` at the end to write the rest of the buffer. A file is renamed into place when
/// its ``OutputFiles`` are committed.
@_spi(Server) public struct TextOutput {
  /// The file; nil for standard output.
  private let file: OutputFile?
  private var buffer: [UInt8] = []
  /// Whether a terminal may have it as it is.
  private var isPrintable = false
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

  /// Writes a summary to standard output; what it has of others' text controls nothing already.
  package static func print(_ summary: TextSummary) throws {
    var output = standard
    output.isPrintable = true
    try output.write(summary.text)
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
        let isShown = isatty(1) == 1 && !isPrintable
        try FileHandle.standardOutput.write(
          contentsOf: Data(isShown ? StandardError.onTerminal(buffer) : buffer))
      } catch {
        throw CommandFailure(ofStandardOutput: error)
      }
    }
    buffer.removeAll(keepingCapacity: true)
  }
}

/// Diagnostics for a person.
@_spi(Server) public enum StandardError {
  /// Writes a text, on a terminal without what could control it; a failure is of no consequence.
  public static func write(_ text: String) {
    let text = Array(text.utf8)
    try? FileHandle.standardError.write(
      contentsOf: Data(isTerminal ? onTerminal(text) : text))
  }

  /// Writes what moves the cursor of a terminal.
  static func control(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }

  /// A text in UTF-8 as a terminal may show it: whoever named a place or a file controls nothing.
  package static func onTerminal(_ text: [UInt8]) -> [UInt8] {
    Array(printable(String(decoding: text, as: UTF8.self), keeping: ["\n", "\t"]).utf8)
  }

  static var isTerminal: Bool { isatty(2) == 1 }
}

/// One line of CSV under construction; nil becomes an empty field.
@_spi(Server) public struct CSVLine {
  private(set) var bytes: [UInt8] = []
  private var fieldCount = 0

  /// An empty line.
  public init() {
    bytes.reserveCapacity(128)
  }

  /// A text as a field of CSV that no spreadsheet evaluates as a formula.
  public static func quoted(_ text: String) -> String {
    ForeignText.csv(withLines: text.unicodeScalars)
  }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    fieldCount = 0
  }

  /// Adds a text as it is.
  public mutating func add(_ text: String?) {
    separate()
    if let text { bytes += text.utf8 }
  }

  /// Adds seconds, exactly, without trailing zeros: rows are joined with the input's by their
  /// times.
  mutating func add(nanoseconds: Int64?) {
    separate()
    if let nanoseconds { bytes.append(Timestamp(nanoseconds: nanoseconds)) }
  }

  /// Adds a number with a fixed number of decimals, at most nine.
  public mutating func add(_ value: Double?, decimals: Int) {
    separate()
    guard let value, value.isFinite else { return }
    let scaled = (value * powersOfTen[decimals]).rounded()
    if abs(scaled) < 9e18 {
      bytes.append(Int64(scaled), overPowerOfTen: decimals)
    } else {
      bytes += "\(value)".utf8
    }
  }

  mutating func add(_ value: Float?, decimals: Int) {
    add(value.map { Double($0) }, decimals: decimals)
  }

  private mutating func separate() {
    if fieldCount > 0 { bytes.append(UInt8(ascii: ",")) }
    fieldCount += 1
  }
}

extension OutputFiles {
  /// The output files of a command, whose temporary files are deleted when a signal ends it.
  ///
  /// - Parameter inputs: The files that the command reads, none of which may be replaced.
  /// - Returns: A list without files.
  package static func forCommand(inputs: [String]) -> OutputFiles {
    TemporaryPaths.deleteWhenStopped()
    return OutputFiles(inputs: inputs)
  }
}

extension TemporaryPaths {
  /// From here on SIGINT, SIGTERM and SIGHUP end the process after its temporary files are deleted.
  static func deleteWhenStopped() {
    locomotion_before_stop { TemporaryPaths.shared.deleteAllForExit() }
  }
}

extension Arguments {
  /// The data sets given by `--dataset`, and the files in them.
  package var datasetFiles: [String] {
    (all("dataset") + all("fixes")).flatMap { folder in
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return [folder] + names.map { "\(folder)/\($0)" }
    }
  }
}

/// A progress bar on a terminal; nothing elsewhere.
package struct ProgressBar {
  private let total: Int
  private var done: Int

  /// A bar of so many parts, some of which may be done.
  package init(total: Int, done: Int = 0) {
    self.total = total
    self.done = done
  }

  /// Shows that the part `name` begins.
  package mutating func advance(to name: String) {
    guard StandardError.isTerminal else { return }
    let width = 24
    let filled = width * done / max(1, total)
    let bar =
      String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    StandardError.control("\(Self.empty)\(bar) \(done)/\(total) \(printable(name))")
    done += 1
  }

  /// Shows what is being done, without a bar.
  package func show(_ text: String) {
    guard StandardError.isTerminal else { return }
    StandardError.control("\(Self.empty)\(printable(text)) …")
  }

  /// Clears a line of a terminal.
  private static let empty = "\r\u{1B}[K"

  /// Clears the line for other text.
  package func clear() {
    guard StandardError.isTerminal else { return }
    StandardError.control(Self.empty)
  }
}
