/// A page as data: what stands above, its blocks, and what stands below.
///
/// The page holds it as JSON, from which its script, `page.js`, draws everything. Where no script
/// runs, as in a mail, the texts, tables and lists are shown as they are. Its content security
/// policy forbids everything but its own style sheet and that script, and tiles from one server
/// when they are asked for.
package struct PageDocument: Sendable {
  /// A number for the first glance, and what stands below it.
  package typealias Figure = (name: String, value: String, note: String)

  /// The name of the page where it stands alone.
  package var title: String
  /// What stands above the heading.
  package var eyebrow = ""
  var heading: String
  /// The sentence below the heading.
  package var lede = ""
  package internal(set) var figures: [Figure] = []
  /// The sections, each a heading with blocks, and folds.
  var blocks: [PageValue] = []
  package var footer: String
  /// Which recording it is about, by which corrections of it are known; empty for none.
  var recording = ""
  /// Whose journal it is about; nil for a recording.
  var user: String?
  /// The corrections that it has already, to which the reader's are added; nil for none.
  var corrections: PageValue?
  /// The tiles below the maps; nil for none.
  var tiles: ReportTiles?
  /// What the server of the page must find in the header field `X-Page-Token` of corrections, which
  /// are posted to the page's own address; nil for a page whose corrections are saved as a file.
  package var pageToken: String?

  /// The content security policy of the page.
  package var policy: String {
    let parts = [
      "default-src 'none'", "style-src '\(ReportStyle.hash)'", "script-src '\(PageScript.hash)'",
      tiles.map { "img-src \($0.origin)" }, pageToken.map { _ in "connect-src 'self'" },
      "base-uri 'none'", "form-action 'none'",
    ]
    return parts.compactMap { $0 }.joined(separator: "; ")
  }

  /// A section with a heading.
  package static func section(_ heading: String, _ blocks: [PageValue]) -> PageValue {
    ["heading": .text(heading), "blocks": .list(blocks)]
  }

  /// What is shown when it is unfolded.
  static func fold(_ summary: String, _ blocks: [PageValue], isOpen: Bool = false) -> PageValue {
    ["fold": .text(summary), "open": isOpen ? .number(1) : nil, "blocks": .list(blocks)]
  }

  /// A paragraph.
  package static func note(_ text: String) -> PageValue { ["note": .text(text)] }

  /// A table; an empty heading is that of a column of bars.
  package static func table(_ head: [String], _ rows: [[PageValue]]) -> PageValue {
    ["table": ["head": .texts(head), "rows": .list(rows.map { .list($0) })]]
  }

  /// A cell that is a bar of a fraction of the largest, in the style of an activity or a kind.
  static func bar(_ style: String, _ fraction: Double) -> PageValue {
    ["bar": .text(style), "of": .number(min(max(fraction, 0.005), 1), 3)]
  }

  /// The document without its tiles, as the page holds it.
  package var value: PageValue {
    [
      "eyebrow": .text(eyebrow), "heading": .text(heading), "lede": .text(lede),
      "figures": .list(figures.map { .texts([$0.name, $0.value, $0.note]) }),
      "blocks": .list(blocks), "footer": .text(footer),
      "tiles": tiles.map { .text($0.template) }, "recording": .text(recording),
      "user": user.map { .text($0) }, "corrections": corrections,
      "pageToken": pageToken.map { .text($0) },
    ]
  }

  /// The page, UTF-8.
  package var html: String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="\(policy)">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="referrer" content="no-referrer">
    <title>\(title.escapedForHTML)</title>
    <style>\(ReportStyle.sheet)</style>
    </head>
    <body>
    <main></main>
    <noscript><main>\(plain)</main></noscript>
    <script type="application/json" id="document">\(value.json)</script>
    <script>\(PageScript.text)</script>
    </body>
    </html>

    """
  }

  // MARK: - Where no script runs

  private var plain: String {
    let figures = figures.map { figure in
      "<p>\(figure.name.escapedForHTML): <b>\(figure.value.escapedForHTML)</b> "
        + "\(figure.note.escapedForHTML)</p>\n"
    }
    return """
      <h1>\(heading.escapedForHTML)</h1>
      <p class="note">\(eyebrow.escapedForHTML) \(lede.escapedForHTML)</p>
      <p class="note">The map and the curves are drawn by the page's script, which doesn't run \
      here. The tables say in words what they show.</p>
      \(figures.joined())\(words.map { $0.html }.joined())<p>\(footer.escapedForHTML)</p>
      """
  }

  /// A part of the document in words.
  package enum Words {
    case heading(String)
    case note(String)
    /// Rows of cells; one that has `pieces` and their `span` is a strip, which HTML leaves out.
    case rows([[PageValue]])
    /// A day with its strip and curves, which HTML leaves out.
    case day(PageValue)

    fileprivate var html: String {
      switch self {
      case .heading(let text): return "<h2>\(text.escapedForHTML)</h2>\n"
      case .note(let text): return "<p>\(text.escapedForHTML)</p>\n"
      case .day: return ""
      case .rows(let rows):
        let lines = rows.map { cells in
          let texts = cells.filter { $0["pieces"] == nil }.map {
            "<td>\($0.firstText.escapedForHTML)</td>"
          }
          return "<tr>\(texts.joined())</tr>\n"
        }
        return "<table>\(lines.joined())</table>\n"
      }
    }
  }

  /// The blocks in words.
  package var words: [Words] { blocks.flatMap(Self.words) }

  private static func words(_ block: PageValue) -> [Words] {
    let inner = (block["blocks"]?.values ?? []).flatMap(words)
    if let title = block["heading"] ?? block["fold"] {
      return inner.isEmpty ? [] : [.heading(title.firstText)] + inner
    }
    if let note = block["note"] { return [.note(note.firstText)] }
    if let texts = block["list"]?.values { return [.rows(texts.map { [$0] })] }
    if let rows = block["activities"]?.values {
      return [.rows(rows.map { row in ["when", "name", "figures"].compactMap { row[$0] } })]
    }
    if let calendar = block["calendar"] {
      return [.rows((calendar["rows"]?.values ?? []).map { row(of: $0, calendar["minutes"]) })]
    }
    if let table = block["table"] {
      let rows = table["rows"]?.values ?? []
      let bars = rows.first?.values.map { $0["bar"] != nil } ?? []
      return [
        .rows(
          ([table["head"] ?? []] + rows).map { row in
            zip(row.values, bars).compactMap { cell, isBar in isBar ? nil : cell["text"] ?? cell }
          })
      ]
    }
    if let day = block["day"] {
      // Of splits those that nobody has to unfold.
      let splits = (day["splits"]?.values ?? []).filter { $0["open"] != nil }
      return [.day(day), .rows(rows(of: day["items"]?.values ?? []))] + splits.flatMap(words)
    }
    return inner
  }

  /// The cells of a month, a day or some days without data of a calendar.
  private static func row(of row: PageValue, _ span: PageValue?) -> [PageValue] {
    if let empty = row["empty"] { return [row["name"] ?? "", empty] }
    let strip: PageValue? = row["pieces"].map { ["pieces": $0, "span": span] }
    return [row["name"] ?? row["month"] ?? "", strip ?? ""]
      + ["distance", "steps", "counts"].compactMap { row[$0] }
  }

  /// The rows of the items of a day: each item, what is known of it only roughly, and its legs.
  package static func rows(of items: [PageValue]) -> [[PageValue]] {
    items.flatMap { item -> [[PageValue]] in
      let times = item["when"]?.values.map { $0.firstText } ?? []
      let remarks = [item["purpose"].map { "for \($0.firstText)" }, item["remarks"]]
      let legs = (item["legs"]?.values ?? []).map { leg in
        let details = ["extent", "more"].compactMap { leg[$0]?.firstText }
        return ["", "", leg["name"] ?? "", .text(details.joined(separator: " · "))]
      }
      return [
        [.text(times.joined(separator: "–"))]
          + ["badge", "title", "detail"].compactMap { item[$0] }
      ] + remarks.compactMap { $0 }.map { ["", "", $0] } + legs
    }
  }
}

extension PageDocument {
  /// A page of blocks, whose title is its heading.
  package init(_ title: String, _ figures: [Figure], _ blocks: [PageValue], footer: String) {
    self.init(title: title, heading: title, figures: figures, blocks: blocks, footer: footer)
  }
}
