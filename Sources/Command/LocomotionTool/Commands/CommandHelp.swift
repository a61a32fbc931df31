import Foundation

extension LocomotionCommand {
  /// The text of `help`, in lines of `width` characters at most.
  func overview(width: Int) -> String {
    let indent = (commands.map(\.name.count).max() ?? 0) + 4
    let rows = commands.map {
      HelpText.row("  " + $0.name, $0.summary, indent: indent, width: width)
    }
    let margin = String(repeating: " ", count: "usage: ".count)
    return """
      usage: \(name) COMMAND [options]
      \(margin)\(name) help [COMMAND [NAME]] | --version | completions SHELL | manual

      \(rows.joined())
      \(notes.map { HelpText.wrapped($0, indent: 0, width: width) }.joined(separator: "\n"))
      \(HelpText.wrapped("Exit status: \(Command.exitStatus).", indent: 0, width: width))
      example: \(example)

      """
  }
}

extension Command {
  /// What the exit status tells.
  static let exitStatus =
    "0 done, 1 failed, 2 the command line, 3 the input is refused, 74 reading or writing"

  /// The text of `--help` of a program's command, in lines of `width` characters at most.
  func help(of program: String, width: Int) -> String {
    let rows = options.map { option in
      HelpText.row(
        "  --\(option.name)" + (option.value.map { " " + $0 } ?? ""), option.help, indent: 30,
        width: width)
    }
    let verbs = subcommands.map {
      HelpText.row("  " + $0.word, $0.summary, indent: 14, width: width)
    }
    var text = HelpText.row("usage:", "\(program) \(name) \(synopsis)", indent: 7, width: width)
    text += "\n" + HelpText.wrapped(summary, indent: 0, width: width)
    if !rows.isEmpty { text += "\n" + rows.joined() }
    if !verbs.isEmpty {
      text += "\n" + verbs.joined() + "\n'\(program) \(name) NAME --help' says more of each.\n"
    }
    return text + "\n"
      + HelpText.wrapped("Exit status: \(Self.exitStatus).", indent: 0, width: width)
  }
}

/// Text in lines as wide as a terminal.
enum HelpText {
  /// The width of the terminal at standard output, 40 to 100 characters; 80 where there is none.
  static var width: Int {
    var size = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return 80
    }
    return min(max(Int(size.ws_col), 40), 100)
  }

  /// A name and its text in a column of its own, which begins in the next line beside a long name.
  static func row(_ name: String, _ text: String, indent: Int, width: Int) -> String {
    let lines = wrapped(text, indent: indent, width: width)
    guard name.count < indent else { return name + "\n" + lines }
    return name + String(repeating: " ", count: indent - name.count) + lines.dropFirst(indent)
  }

  /// A text in lines that begin with `indent` spaces; a word that is longer than a line is whole.
  static func wrapped(_ text: String, indent: Int, width: Int) -> String {
    let margin = String(repeating: " ", count: indent)
    var result = ""
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, indent + line.count + 1 + word.count > width {
        result += margin + line + "\n"
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return result + margin + line + "\n"
  }
}
