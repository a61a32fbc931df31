import Foundation
import TestSupport

/// One file of the project.
struct RepositoryFile: Sendable, CustomStringConvertible {
  /// The path below the folder that holds `Package.swift`.
  let path: String
  let size: Int
  /// The content of the file; nil when it is not text.
  let text: String?
  /// The lines of Swift without comments and without the content of string literals; else nothing.
  let codeLines: [Substring]

  init(path: String, size: Int) {
    self.path = path
    self.size = size
    let url = TestFiles.packageRoot.appendingPathComponent(path)
    text = size > 1 << 22 ? nil : try? String(contentsOf: url, encoding: .utf8)
    codeLines =
      path.hasSuffix(".swift")
      ? Self.lines(of: SwiftCode(text ?? "", keepsComments: false).stripped) : []
  }

  var description: String { path }
  var name: String { String(path.split(separator: "/").last ?? "") }
  var isSwift: Bool { path.hasSuffix(".swift") }
  var lines: [Substring] { Self.lines(of: text ?? "") }

  static func lines(of text: String) -> [Substring] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// All files under version control or not ignored by it, in order of path.
  ///
  /// Outside a repository: all files except in hidden folders.
  static let all: [RepositoryFile] = {
    let listed = try? Command.run(
      ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
      in: TestFiles.packageRoot)
    let paths: [String] =
      if let listed, listed.status == 0 {
        listed.output.split(separator: "\n").map(String.init)
      } else {
        (FileManager.default.enumerator(atPath: TestFiles.packageRoot.path)?.allObjects ?? [])
          .compactMap { $0 as? String }
          .filter { !$0.split(separator: "/").contains { $0.hasPrefix(".") && $0.count > 2 } }
      }
    return paths.sorted().compactMap { path in
      // Links are left out: their targets are in the list themselves.
      let file = TestFiles.packageRoot.appendingPathComponent(path).path
      let values = try? FileManager.default.attributesOfItem(atPath: file)
      guard values?[.type] as? FileAttributeType == .typeRegular else { return nil }
      return RepositoryFile(path: path, size: (values?[.size] as? Int) ?? 0)
    }
  }()

  static let swift = all.filter(\.isSwift)

  /// Modules that run on the device, each with the modules of the package that it may import.
  static let deviceModules: [String: Set<String>] = [
    "LocomotionSensing": [],
    "LocomotionSignals": ["LocomotionSensing"],
    "LocomotionPositioning": ["LocomotionSensing"],
    "LocomotionGait": ["LocomotionSensing", "LocomotionSignals"],
    "LocomotionActivityRecognition": ["LocomotionSensing", "LocomotionSignals"],
    "Locomotion": [
      "LocomotionSensing", "LocomotionSignals", "LocomotionPositioning", "LocomotionGait",
      "LocomotionActivityRecognition",
    ],
  ]

  /// The module of a file in `Sources`.
  var module: String? {
    let parts = path.split(separator: "/")
    return parts.count > 3 && parts[0] == "Sources" ? String(parts[2]) : nil
  }

  static let onDevice = swift.filter { deviceModules.keys.contains($0.module ?? "") }

  /// The modules that this file imports.
  var imports: [String] {
    codeLines.compactMap { line in
      let words = line.split(separator: " ")
      guard let place = words.firstIndex(of: "import"), place + 1 < words.count else { return nil }
      let modifiers = words[..<place]
      let isImport = modifiers.allSatisfy {
        $0.hasPrefix("@") || ["public", "package", "internal", "private"].contains($0)
      }
      guard isImport else { return nil }
      // In `import struct Module.Name` the module comes second.
      let kinds = ["struct", "class", "enum", "protocol", "func", "let", "var", "typealias"]
      let next = place + (kinds.contains(String(words[place + 1])) ? 2 : 1)
      return next < words.count ? String(words[next].prefix { $0 != "." }) : nil
    }
  }
}

/// Swift source reduced to code.
struct SwiftCode {
  /// The source without the contents of string literals; lines stay lines.
  private(set) var stripped = ""
  private let keepsComments: Bool

  init(_ source: String, keepsComments: Bool) {
    self.keepsComments = keepsComments
    var rest = Substring(source)
    while let character = rest.first {
      if rest.hasPrefix("//") {
        let comment = rest.prefix { $0 != "\n" }
        if keepsComments { stripped += comment }
        rest = rest.dropFirst(comment.count)
      } else if rest.hasPrefix("/*") {
        skipComment(&rest)
      } else if character == "\"" || rest.hasPrefix("#\"") || rest.hasPrefix("##\"") {
        skipLiteral(&rest)
      } else {
        stripped.append(character)
        rest.removeFirst()
      }
    }
  }

  private mutating func skipComment(_ rest: inout Substring) {
    var depth = 0
    let start = rest.startIndex
    let end = stripped.endIndex
    defer {
      if keepsComments {
        stripped.replaceSubrange(end..., with: rest.base[start..<rest.startIndex])
      }
    }
    repeat {
      if rest.hasPrefix("/*") {
        depth += 1
        rest.removeFirst(2)
      } else if rest.hasPrefix("*/") {
        depth -= 1
        rest.removeFirst(2)
      } else {
        if rest.first == "\n" { stripped.append("\n") }
        rest.removeFirst()
      }
    } while depth > 0 && !rest.isEmpty
  }

  private mutating func skipLiteral(_ rest: inout Substring) {
    let hashes = String(rest.prefix { $0 == "#" })
    rest.removeFirst(hashes.count)
    let quote = rest.hasPrefix("\"\"\"") ? "\"\"\"" : "\""
    rest.removeFirst(quote.count)
    stripped += "\"\""
    while !rest.isEmpty, !rest.hasPrefix(quote + hashes) {
      if rest.first == "\\", hashes.isEmpty, rest.count > 1 { rest.removeFirst() }
      if rest.first == "\n" { stripped.append("\n") }
      rest.removeFirst()
    }
    rest.removeFirst(min(rest.count, quote.count + hashes.count))
  }
}

/// Programs that the tests run.
enum Command {
  /// Runs a program that `PATH` finds and waits for it.
  static func run(
    _ arguments: [String], in folder: URL
  ) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.currentDirectoryURL = folder
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }

  /// Whether `PATH` has a program.
  static func exists(_ name: String) -> Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
    }
  }
}
