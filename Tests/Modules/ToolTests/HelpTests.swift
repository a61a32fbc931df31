import Foundation
import TestSupport
import Testing

/// The command is found, explained and completed as people expect of one.
@Suite struct HelpTests {
  private let folder = ScratchFolder()

  @Test func helpIsDataAndNamesTheCommands() throws {
    let whole = try ToolRun(["help"])
    #expect(whole.status == 0 && whole.errors.isEmpty)
    for command in ["locate", "cadence", "classify", "timeline", "analyze", "train", "evaluate"] {
      #expect(whole.output.contains(command))
      let help = try ToolRun([command, "--help"])
      #expect(help.status == 0 && help.output.contains("usage: locomotion \(command)"))
    }
    #expect(whole.output.hasPrefix("usage: locomotion COMMAND"))
    #expect(whole.output == (try ToolRun(["--help"]).output))
    // Where a command was expected it is a diagnostic.
    let nothing = try ToolRun([])
    #expect(nothing.status == 2 && nothing.output.isEmpty && nothing.errors == whole.output)
  }

  @Test func aVerbHasHelpOfItsOwn() throws {
    let report = try ToolRun.done(["help", "journal", "report"])
    #expect(report.output.contains("--tiles URL") && !report.output.contains("--activity"))
    #expect(report.output == (try ToolRun(["journal", "report", "--help"]).output))
    let journal = try ToolRun(["help", "journal"])
    #expect(journal.output.contains("vacuum") && !journal.output.contains("--tiles"))
  }

  @Test func linesFitTheTerminal() throws {
    for words in [["help"], ["help", "train"], ["help", "journal", "export"], ["help", "sync"]] {
      let lines = try ToolRun(words).lines
      // A word alone may be longer.
      let long = lines.filter { $0.count > 80 && $0.drop { $0 == " " }.contains(" ") }
      #expect(long.isEmpty, "\(words): \(long)")
    }
  }

  @Test(arguments: [
    (["analyz"], "there is no command 'analyz': did you mean 'analyze'?"),
    (["tokyo"], "there is no command 'tokyo'; 'locomotion help' lists the commands"),
    (["serve"], "'serve' is now 'locomotion-server serve', of the package in Sources/Server"),
    (
      ["archive", "days"],
      "'archive' is now 'locomotion-server archive', of the package in Sources/Server"
    ),
    (["analyze", "x", "--outt", "y"], "'analyze' has no option '--outt': did you mean '--out'?"),
    (["journal", "reprot"], "there is no 'journal reprot': did you mean 'report'?"),
    (["help", "journal", "reprot"], "there is no 'journal reprot': did you mean 'report'?"),
    (["places", "nera"], "there is no 'places nera': did you mean 'near'?"),
    (["journal", "report"], "'journal report' needs '--store' and '--user' and '--out'"),
    (["journal", "report", "--out", "x"], "'journal report' needs '--store' and '--user'"),
    (
      ["evaluate", "days", "--rule", "gpx"],
      "'evaluate days' is now 'benchmark score days', of the package's repository"
    ),
    (
      ["evaluate", "--location", "x.csv"],
      "'evaluate --location' is now 'benchmark score location', of the package's repository"
    ),
    (
      ["journal", "salvage", "--store", "x"],
      "'journal salvage' is now 'sqlite3 FILE .recover | sqlite3 NEW', of SQLite's own program"
    ),
    (["completions", "tcsh"], "'completions tcsh': expected one of bash, zsh, fish"),
  ])
  func aMistakeIsNamedWithWhatWasMeant(words: [String], message: String) throws {
    let run = try ToolRun(words)
    #expect(run.status == 2 && run.output.isEmpty)
    #expect(run.errors == "locomotion: \(message)\n")
  }

  @Test func theVersionIsSemantic() throws {
    let run = try ToolRun(["--version"])
    #expect(run.output.wholeMatch(of: #/locomotion \d+\.\d+\.\d+\n/#) != nil)
  }

  @Test func theEnvironmentStandsForRepeatedOptions() throws {
    let environment = ["LOCOMOTION_STORE": folder.store, "LOCOMOTION_USER": "ada", "TZ": "UTC"]
    try ToolRun.done(
      ["places", "add", "--lat", "48", "--lon", "11", "--name", "home"], environment: environment)
    #expect(try ToolRun(["places", "list"], environment: environment).output.contains("home"))
    // What is said counts for more.
    #expect(
      try ToolRun(["places", "list", "--user", "bob"], environment: environment).status != 0)
  }

  /// Bash completes what is begun: the words of the commands, and their options.
  @Test(arguments: [
    (["jou"], ["journal"]), (["journal", "vac"], ["vacuum"]),
    (["journal", "report", "--ti"], ["--time-zone", "--tiles", "--tiles-attribution"]),
    (["analyze", "--jo"], ["--jobs"]), (["places", "re"], ["rename", "remove"]),
  ])
  func bashCompletes(words: [String], expected: [String]) throws {
    let script = try ToolRun(["completions", "bash"]).output
    let line = (["locomotion"] + words).map { "'\($0)'" }.joined(separator: " ")
    let completion =
      script + "\nCOMP_WORDS=(\(line)); COMP_CWORD=\(words.count); _locomotion; "
      + "printf '%s\\n' \"${COMPREPLY[@]}\""
    let run = try ToolRun(
      ["--norc", "-c", completion], program: URL(fileURLWithPath: "/bin/bash"))
    #expect(run.status == 0 && run.lines.map(String.init) == expected)
  }

  /// Each verb refuses the others' options, and takes the line that its help has as an example.
  @Test(arguments: ["journal", "places"]) func theVerbsHaveHelpOfTheirOwn(group: String) throws {
    let rows = try ToolRun(["help", group]).lines.filter { $0.prefix { $0 == " " }.count == 2 }
    #expect(rows.count >= 8)
    for verb in rows.compactMap({ $0.split(separator: " ").first.map(String.init) }) {
      let parts = try ToolRun(["help", group, verb]).output.split(separator: "example: ")
      let line = try #require(parts.last?.split(separator: "\n\n").first)
      let run = try ToolRun(
        shell: "cd \"$1\"; locomotion() { \"$0\" \"$@\"; }; \(line)", folder.path(""))
      #expect(parts.count == 2 && ![2, 127].contains(run.status), "\(line): \(run.errors)")
    }
    let foreign = try ToolRun([group, "list", "--into", "3", "--store", "x", "--user", "u"])
    foreign.expectRefusal(2, ["--into"])
    #expect(try ToolRun([group]).status == 2)
  }

  @Test func zshFishAndTheManualKnowEveryCommand() throws {
    for words in [["completions", "zsh"], ["completions", "fish"], ["manual"]] {
      let text = try ToolRun(words).output
      for command in ["analyze", "journal", "places", "convert"] {
        #expect(text.contains(command), "\(words) \(command)")
      }
    }
  }

  @Test func aReportIsInTheTimeZoneThatOneAsksFor() throws {
    var text = "t,lat,lon,alt,hacc,speed,course\n"
    for second in 0..<1_800 {
      text += "\(1_750_000_000 + second),\(48 + Double(second) * 1e-5),11,,5,1.1,0\n"
    }
    let analyze = ["analyze", try folder.write(text, to: "walk.gps.csv"), "--out"]
    func summary(_ more: [String], _ zone: String) throws -> String {
      try ToolRun(analyze + [folder.path("out")] + more, environment: ["TZ": zone]).output
    }
    // 15:06:40 in UTC on 15 June 2025.
    #expect(try summary([], "UTC").contains("15:06"))
    #expect(try summary([], "Europe/Berlin").contains("17:06"))
    #expect(try summary(["--time-zone", "Asia/Tokyo"], "UTC").contains("00:06"))
    #expect(try ToolRun(analyze + ["x", "--time-zone", "Mars"]).status == 2)
  }
}
