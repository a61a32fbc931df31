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
      \(notes.map { TextSummary.wrapped($0, indent: 0, width: width) }.joined(separator: "\n"))
      \(TextSummary.wrapped("Exit status: \(Command.exitStatus).", indent: 0, width: width))
      example: \(example)

      """
  }
}

extension Command {
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
    text += "\n" + TextSummary.wrapped(summary, indent: 0, width: width)
    if !rows.isEmpty { text += "\n" + rows.joined() }
    if !verbs.isEmpty {
      text += "\n" + verbs.joined() + "\n'\(program) \(name) NAME --help' says more of each.\n"
    }
    if !example.isEmpty {
      // As a shell takes it, in several lines too.
      let line = HelpText.row(
        "example:", "\(program) \(name) \(example)", indent: 9, width: width - 2)
      text += "\n" + line.split(separator: "\n").joined(separator: " \\\n") + "\n"
    }
    return text + "\n"
      + TextSummary.wrapped("Exit status: \(Self.exitStatus).", indent: 0, width: width)
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
    let lines = TextSummary.wrapped(text, indent: indent, width: width)
    guard name.count < indent else { return name + "\n" + lines }
    return name + String(repeating: " ", count: indent - name.count) + lines.dropFirst(indent)
  }
}

/// What a shell and a manual know of a program, from the table that the help is from.
struct CommandCompletions {
  /// A shell that completes words.
  enum Shell: String, CaseIterable {
    case bash, zsh, fish
  }

  let program: LocomotionCommand

  private var name: String { program.name }
  private var commands: [Command] { program.commands }

  /// Every command that takes options, subcommands by both of their words.
  private var all: [Command] { commands.flatMap { [$0] + $0.subcommands } }

  func script(for shell: Shell) -> String {
    switch shell {
    case .bash: bash
    case .zsh: "#compdef \(name)\nautoload -U +X bashcompinit && bashcompinit\n" + bash
    case .fish: fish
    }
  }

  private var bash: String {
    let verbs = commands.flatMap(\.subcommands).map { "    '\($0.name)') line='\($0.name)' ;;\n" }
    let cases = all.map { command in
      let names = command.subcommands.map(\.word) + command.options.map { "--" + $0.name }
      return "    '\(command.name)') words='\(names.joined(separator: " "))' ;;\n"
    }
    return """
      _\(name)() {
        local current=${COMP_WORDS[COMP_CWORD]} line=${COMP_WORDS[1]} words=
        case "${COMP_WORDS[1]} ${COMP_WORDS[2]}" in
      \(verbs.joined())  esac
        case "$line" in
      \(cases.joined())  esac
        if [ "$COMP_CWORD" -eq 1 ]; then
          words='help --version completions manual \(commands.map(\.name).joined(separator: " "))'
        fi
        COMPREPLY=($(compgen -W "$words" -- "$current"))
        # What is no word of the command is a file.
        [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
      }
      complete -o filenames -F _\(name) \(name)

      """
  }

  private var fish: String {
    func quoted(_ text: String) -> String {
      "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
    let begin = "complete -c \(name) -n"
    var text = ""
    for command in commands {
      text += "\(begin) __fish_use_subcommand -a \(command.name) -d \(quoted(command.summary))\n"
      for verb in command.subcommands {
        text +=
          "\(begin) '__fish_seen_subcommand_from \(command.name)' -a \(verb.word) "
          + "-d \(quoted(verb.summary))\n"
      }
    }
    for command in all {
      let seen = command.name.split(separator: " ").map { "__fish_seen_subcommand_from \($0)" }
        .joined(separator: "; and ")
      for option in command.options {
        text +=
          "\(begin) '\(seen)' -l \(option.name) " + (option.value == nil ? "" : "-r ")
          + "-d \(quoted(option.help))\n"
      }
    }
    return text
  }

  /// The manual in the language of `man` (man(7)).
  var manual: String {
    func escaped(_ text: String) -> String {
      let text = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
      return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
    }
    var text = """
      .TH \(name.uppercased()) 1 "" "\(LocomotionVersion.number)" "User Commands"
      .SH NAME
      \(name) \\- \(program.summary)
      .SH SYNOPSIS
      .B \(name)
      .I COMMAND
      [\\fIRECORDING\\fR] [\\fIoptions\\fR]
      .SH COMMANDS

      """
    for command in all {
      text += ".SS \(escaped(command.name)) \(escaped(command.synopsis))\n"
      text += escaped(command.summary) + "\n"
      for option in command.options {
        let value = option.value.map { " \\fI\(escaped($0))\\fR" } ?? ""
        text += ".TP\n\\fB\\-\\-\(escaped(option.name))\\fR\(value)\n"
        text += escaped(option.help) + "\n"
      }
    }
    return text + ".SH EXIT STATUS\n\(escaped(Command.exitStatus))\n"
  }
}
