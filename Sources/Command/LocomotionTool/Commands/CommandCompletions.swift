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

  /// The script that a shell reads.
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
