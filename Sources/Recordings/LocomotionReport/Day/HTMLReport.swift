/// The analysis as one self-contained HTML page: no network, and a script of its own that draws it.
///
/// The page adapts to light and dark mode, phones and print.
package struct HTMLReport: Sendable {
  /// The page, UTF-8.
  package let html: String

  /// The content security policy of a page without tiles.
  package static var policy: String { PageDocument.policy }

  /// The page; with `tiles` the map lies on those of a server, which learns of it when the page is
  /// opened.
  ///
  /// That of more than three days is a ``PeriodReport``.
  package init(_ analysis: AnalysisResult, tiles: ReportTiles? = nil) {
    html = Self.document(of: analysis, tiles: tiles).html
  }

  /// The document of the page.
  package static func document(
    of analysis: AnalysisResult, tiles: ReportTiles? = nil
  ) -> PageDocument {
    analysis.isOfDays
      ? PeriodReport(analysis, tiles: tiles).document
      : DayDocument(analysis, tiles: tiles).page
  }
}
