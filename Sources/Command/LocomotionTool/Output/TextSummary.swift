import Foundation
import Locomotion
import LocomotionRecordings
package import LocomotionReport

/// A page as text for a terminal or a log: its words, with the strips and curves of days in
/// letters.
package struct TextSummary {
  /// The summary; every line ends with a line feed.
  package private(set) var text = ""
  /// The styles of the pieces since the last legend.
  private var seen: Set<String> = []

  /// How wide lines are, and whether headings are bold.
  package typealias Style = (width: Int, isBold: Bool)

  /// The style of a file.
  package static let plain: Style = (80, false)

  /// That of standard output: as wide as a terminal, which shows bold unless `NO_COLOR` is set.
  package static var ofStandardOutput: Style {
    let environment = ProcessInfo.processInfo.environment
    let isPlain = !(environment["NO_COLOR"] ?? "").isEmpty || environment["TERM"] == "dumb"
    return (HelpText.width, isatty(1) == 1 && !isPlain)
  }

  private var style = TextSummary.plain
  /// The letters of the strip and of the curves of a day, beside which are names and ranges.
  private var columns: Int { max(style.width - 32, 16) }
  /// The items of as many days are listed.
  private static let mostListed = 31.0

  /// A summary that fits its lines as far as names allow; `page` is that of the analysis.
  ///
  /// Control characters in external strings are replaced.
  package init(_ analysis: AnalysisResult, _ page: PageDocument? = nil, style: Style = plain) {
    self.init(page ?? PageDocument(analysis), of: analysis, style: style)
  }

  /// The words of a page; with a recording its items, too.
  init(_ page: PageDocument, of analysis: AnalysisResult? = nil, style: Style = plain) {
    self.style = style
    write(page)
    line()
    if let analysis, analysis.isOfDays {
      writeItems(of: analysis)
      line()
    }
    write(.note(page.footer))
  }

  private mutating func write(_ page: PageDocument) {
    line(page.title, isBold: style.isBold)
    write(.note(page.lede))
    write(.rows(page.figures.map { [.text($0.name), .text($0.value), .text($0.note)] }))
    for part in page.words { write(part) }
  }

  /// The stays and trips of a day alone.
  init(itemsOf day: AnalysisResult) {
    write(.rows(PageDocument.rows(of: DayDocument(day, tiles: nil).items)))
  }

  private mutating func line(_ line: String = "", isBold: Bool = false) {
    text += (isBold ? "\u{1B}[1m" : "") + Self.printed(line)
    while text.last == " " { text.removeLast() }
    text += isBold ? "\u{1B}[0m\n" : "\n"
  }

  /// A text that controls nothing, whose spaces may all end a line.
  private static func printed(_ text: String) -> String {
    printable(text.replacing("\u{A0}", with: " "))
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

  // MARK: - Words

  private mutating func write(_ part: PageDocument.Words) {
    switch part {
    case .heading(let heading):
      line()
      line(heading, isBold: style.isBold)
    case .note(let note):
      guard !note.isEmpty else { return }
      text += Self.wrapped(Self.printed(note), indent: 0, width: style.width)
    case .day(let day): draw(day)
    case .rows(let rows):
      write(
        rows.map { row in
          row.map { cell in
            // A letter is an hour of a day.
            cell["pieces"].map { strip($0.values, span: cell["span"]?.asNumber, columns: 24) }
              ?? cell.firstText
          }
        })
      writeLegend()
    }
  }

  /// Rows in columns, each as wide as its widest cell that another one follows.
  private mutating func write(_ rows: [[String]]) {
    var widths: [Int] = []
    for row in rows {
      for (column, cell) in row.dropLast().enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], cell.count)
      }
    }
    for row in rows {
      let padded = zip(row.dropLast(), widths).map { cell, width in
        cell + String(repeating: " ", count: width + 2 - cell.count)
      }
      line(padded.joined() + (row.last ?? ""))
    }
  }

  /// The items under their dates.
  private mutating func writeItems(of analysis: AnalysisResult) {
    guard analysis.end.seconds(since: analysis.start) <= Self.mostListed * 86_400 else {
      return line(
        "The list of stays and trips is left out: it is that of more than 31 days.")
    }
    let day = DayDocument(analysis, tiles: nil)
    var rows: [[PageValue]] = []
    var date: String?
    for (item, value) in zip(analysis.items, day.items) {
      let own = day.clock.shortDay(item.start)
      if let own, own != date { rows.append([.text(own)]) }
      date = own
      rows += PageDocument.rows(of: [value])
    }
    write(.rows(rows))
  }

  // MARK: - Drawings

  /// The letter of each style of a piece, and what it means.
  private static let letters: [(style: String, letter: Character, meaning: String)] =
    [("stay", "·", "stay")]
    + Activity.allCases.map { ($0.name, $0 == .stationary ? "·" : $0.name.first ?? "?", $0.name) }
    + [("unnamed", "?", "mode unknown"), ("gap", "-", "no data")]

  /// The strip of a day and its curves.
  private mutating func draw(_ day: PageValue) {
    let pieces = (day["items"]?.values ?? []).flatMap { $0["pieces"]?.values ?? [] }
    let strip = strip(pieces, span: day["span"]?.asNumber, columns: columns)
    line()
    write([["Time", strip]] + (day["curves"]?.values ?? []).compactMap(row))
    writeLegend()
    line()
  }

  /// A letter for each column of the time of a strip.
  private mutating func strip(_ pieces: [PageValue], span: Double?, columns: Int) -> String {
    var letters = [Character](repeating: " ", count: columns)
    let scale = Double(columns) / max(span ?? 0, 1)
    // Trips come last, so that one is seen also where a column is longer than it.
    for isTravel in [false, true] {
      for piece in pieces.map({ $0.values }) {
        let (style, ends) = (piece[2].firstText, piece.prefix(2).map { ($0.asNumber ?? 0) * scale })
        guard !["stay", "gap"].contains(style) == isTravel else { continue }
        seen.insert(style)
        let first = min(Int(ends[0]), columns - 1)
        let last = min(max(Int(ends[1].rounded()), first + 1), columns)
        let letter = Self.letters.first { $0.style == style }?.letter ?? "?"
        for column in first..<last { letters[column] = letter }
      }
    }
    return String(letters)
  }

  /// What the letters of the strips mean.
  private mutating func writeLegend() {
    guard !seen.isEmpty else { return }
    let known = Self.letters.filter { seen.contains($0.style) }
    line(known.map { "\($0.letter) \($0.meaning)" }.joined(separator: "  "))
    seen = []
  }

  /// The name of a curve of numbers, a block for the mean of each column, and the curve's range.
  private func row(of curve: PageValue) -> [String]? {
    guard let name = curve["name"]?.firstText, let range = curve["range"]?.firstText,
      let values = curve["values"]?.firstText
        .split(separator: ",", omittingEmptySubsequences: false).map({ Double($0) })
    else { return nil }
    let means = (0..<columns).map { column -> Double? in
      let first = values.count * column / columns
      let end = max(values.count * (column + 1) / columns, first + 1)
      let own = values[first..<end].compactMap { $0 }
      return own.isEmpty ? nil : own.reduce(0, +) / Double(own.count)
    }
    let known = means.compactMap { $0 }
    guard let lowest = known.min(), let highest = known.max() else { return nil }
    let blocks = Array("▁▂▃▄▅▆▇█")
    let line = means.map { mean in
      mean.map { blocks[min(Int(($0 - lowest) / max(highest - lowest, 1e-9) * 8), 7)] } ?? " "
    }
    return [String(name.prefix { $0 != "(" }), String(line), range]
  }
}
