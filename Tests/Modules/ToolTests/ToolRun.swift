import Foundation

/// One run of the `locomotion` program, as a user would start it.
struct ToolRun {
  let status: Int32
  let output: String
  let errors: String

  /// The program beside the test bundle.
  static var program: URL {
    URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("locomotion")
  }

  /// Runs the program in UTC, or as `environment` says; its standard input is the file at `input`,
  /// or nothing.
  init(
    _ arguments: [String], input: String? = nil, environment: [String: String] = ["TZ": "UTC"]
  ) throws {
    let process = Process()
    process.executableURL = Self.program
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    process.standardInput =
      if let input { try FileHandle(forReadingFrom: URL(fileURLWithPath: input)) } else {
        FileHandle.nullDevice
      }
    try process.run()
    // Errors are one line, far below a pipe's capacity, so that they can be read last.
    let data = output.fileHandleForReading.readDataToEndOfFile()
    let messages = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    status = process.terminationStatus
    self.output = String(decoding: data, as: UTF8.self)
    self.errors = String(decoding: messages, as: UTF8.self)
  }

  /// The lines of the output, the header first.
  var lines: [Substring] { output.split(separator: "\n") }
}
