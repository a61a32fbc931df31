import Foundation
import LocomotionRecordings

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
    "towns": "LOCOMOTION_TOWNS",
  ]

  /// All values of an option.
  package func all(_ name: String) -> [String] { values[name] ?? [] }

  /// The value of a required option.
  public func required(_ name: String) throws -> String {
    guard let value = value(name) else {
      let missing = [name] + command.requiredOptions.filter { $0 != name && value($0) == nil }
      let names = missing.map { "'--\($0)'" }
      throw UsageError("'\(command.name)' needs \(names.joined(separator: " and "))")
    }
    return value
  }

  /// The value of an option as a case of `Choice`.
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
