import Foundation
import LocomotionRecordings

/// One subcommand: its name, its operands and options, and its function.
@_spi(Server) public struct Command: Sendable {
  let name: String
  /// The operands and options in the help.
  let synopsis: String
  /// One line for the overview of commands.
  let summary: String
  let operandCount: ClosedRange<Int>
  let options: [Option]
  /// What comes after the name of the command, which does nothing without, with options of its own.
  let subcommands: [Command]
  /// What the help shows behind the name as an example; nothing where there is none.
  let example: String
  let run: @Sendable (Arguments) throws -> Void

  /// A command from its parts.
  public init(
    name: String, synopsis: String, summary: String, operandCount: ClosedRange<Int> = 0...0,
    options: [Option] = [], subcommands: [Command] = [], example: String = "",
    run: @escaping @Sendable (Arguments) throws -> Void = { _ in }
  ) {
    (self.name, self.synopsis, self.summary) = (name, synopsis, summary)
    (self.operandCount, self.options, self.subcommands) = (operandCount, options, subcommands)
    (self.example, self.run) = (example, run)
  }

  /// The options that the synopsis has outside of brackets, but those beside a bar.
  var requiredOptions: [String] {
    let words = synopsis.split(separator: " ").map(String.init)
    var depth = 0
    var names: [String] = []
    for (place, word) in words.enumerated() {
      let isInside = depth > 0 || word.hasPrefix("[") || word.hasPrefix("(")
      depth += word.count { "[(".contains($0) } - word.count { "])".contains($0) }
      let isAlternative = words[max(0, place - 1)..<min(words.count, place + 3)].contains("|")
      if !isInside, !isAlternative, word.hasPrefix("--") { names.append(String(word.dropFirst(2))) }
    }
    return names
  }

  /// What is said where no subcommand was named, but `word`.
  func expectedSubcommand(_ word: String?) -> String {
    let names = subcommands.map(\.word)
    if let word, let nearest = Spelling.nearest(to: word, among: names) {
      return "there is no '\(name) \(word)': did you mean '\(nearest)'?"
    }
    return "'\(name)\(word.map { " " + $0 } ?? "")': expected one of "
      + names.joined(separator: ", ")
  }

  /// The last word of the name, which is all of it but for a subcommand.
  var word: String { name.split(separator: " ").last.map(String.init) ?? name }

  /// The subcommand that some arguments name, and the others; the command itself and all where they
  /// name none.
  func resolved(_ arguments: [String]) -> (command: Command, arguments: [String]) {
    let values = Set(
      subcommands.flatMap(\.options).filter { $0.value != nil }.map { "--" + $0.name })
    var index = 0
    while index < arguments.count {
      let word = arguments[index]
      let found = subcommands.first { $0.name == "\(name) \(word)" }
      if let found {
        return (found, Array(arguments[..<index] + arguments[(index + 1)...]))
      }
      guard word.hasPrefix("-"), word != "--" else { break }
      index += values.contains(word) ? 2 : 1
    }
    return (self, arguments)
  }
}

/// One option of a command.
@_spi(Server) public struct Option: Sendable {
  let name: String
  /// The name of its value in the help, or nil for a flag; in brackets when it may be left out.
  let value: String?
  let help: String
  /// Another spelling, which the help doesn't show.
  var alias: String?

  /// An option from its parts.
  public init(name: String, value: String?, help: String, alias: String? = nil) {
    (self.name, self.value, self.help, self.alias) = (name, value, help, alias)
  }
}

/// The arguments of one command, split into operands and options and validated.
@_spi(Server) public struct Arguments: Sendable {
  /// What is no option.
  public private(set) var operands: [String] = []
  private var values: [String: [String]] = [:]
  private let command: Command
  /// The name of the command.
  public var commandName: String { command.name }

  /// Splits `arguments`; `--name value` and `--name=value` are the same, `--` ends the options.
  ///
  /// An option that takes several values, such as `--dataset`, may be followed by all of them.
  init(_ arguments: [String], for command: Command, of program: String) throws {
    self.command = command
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        operands += rest
        break
      }
      // "-" is standard input.
      guard argument.hasPrefix("-"), argument != "-" else {
        operands.append(argument)
        continue
      }
      guard argument.hasPrefix("--") else {
        throw UsageError(
          "'\(command.name)' has no option '\(argument)'; '\(program) \(command.name) --help'")
      }
      let parts = argument.dropFirst(2).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let spelling = parts.first.map(String.init) ?? ""
      let option = try Self.option(spelling, of: command, program)
      let name = option.name
      guard let placeholder = option.value else {
        guard parts.count == 1 else { throw UsageError("'--\(name)' takes no value") }
        values[name, default: []].append("")
        continue
      }
      if parts.count == 2 {
        guard !parts[1].isEmpty else {
          throw UsageError("'--\(name)' needs a value: \(placeholder)")
        }
        values[name, default: []].append(String(parts[1]))
        continue
      }
      if placeholder.hasPrefix("["), rest.first?.hasPrefix("--") ?? true {
        values[name, default: []].append("")
        continue
      }
      guard let value = rest.popFirst(), !value.hasPrefix("--") else {
        throw UsageError("'--\(name)' needs a value: \(placeholder)")
      }
      values[name, default: []].append(value)
      while placeholder.hasSuffix("…"), let next = rest.first, !next.hasPrefix("--") {
        values[name, default: []].append(next)
        rest = rest.dropFirst()
      }
    }
    guard command.operandCount.contains(operands.count) else {
      throw UsageError("expected: \(program) \(command.name) \(command.synopsis)")
    }
  }

  private static func option(
    _ spelling: String, of command: Command, _ program: String
  ) throws -> Option {
    if let found = command.options.first(where: { [$0.name, $0.alias].contains(spelling) }) {
      return found
    }
    let nearest = Spelling.nearest(to: spelling, among: command.options.map(\.name))
    throw UsageError(
      "'\(command.name)' has no option '--\(spelling)'"
        + (nearest.map { ": did you mean '--\($0)'?" } ?? "; '\(program) \(command.name) --help'"))
  }

  /// Whether a flag is given.
  public func has(_ name: String) -> Bool { values[name] != nil }

  /// The last value of an option, or what the environment says in its place.
  public func value(_ name: String) -> String? {
    if let value = values[name]?.last { return value }
    guard let variable = Self.variables[name], command.options.contains(where: { $0.name == name })
    else { return nil }
    return ProcessInfo.processInfo.environment[variable].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The variables that stand for options which a person would repeat with every command.
  private static let variables = [
    "store": "LOCOMOTION_STORE", "user": "LOCOMOTION_USER", "time-zone": "LOCOMOTION_TIME_ZONE",
    "units": "LOCOMOTION_UNITS", "clock": "LOCOMOTION_CLOCK",
    "towns": "LOCOMOTION_TOWNS", "map": "LOCOMOTION_MAP",
  ]

  /// All values of an option.
  package func all(_ name: String) -> [String] { values[name] ?? [] }

  /// The value of a required option.
  public func required(_ name: String) throws -> String {
    guard let value = value(name), !value.isEmpty else {
      let missing = [name] + command.requiredOptions.filter { $0 != name && value($0) == nil }
      let names = missing.map { "'--\($0)'" }
      throw UsageError("'\(command.name)' needs \(names.joined(separator: " and "))")
    }
    return value
  }

  func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String, default fallback: Choice
  ) throws -> Choice {
    guard let text = value(name) else { return fallback }
    guard let choice = Choice(rawValue: text) else {
      throw UsageError("'--\(name) \(text)': expected one of \(Choice.allCases.names)")
    }
    return choice
  }

  /// The value of an option as a number in a range.
  public func number(_ name: String, default fallback: Double, in range: ClosedRange<Double>)
    throws
    -> Double
  {
    guard let text = value(name) else { return fallback }
    guard let number = Double(text), range.contains(number) else {
      throw UsageError(
        "'--\(name) \(text)': expected a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}

extension Collection where Element: RawRepresentable<String> {
  /// The values as they are typed, for messages and the help.
  var names: String { map(\.rawValue).joined(separator: ", ") }
}
