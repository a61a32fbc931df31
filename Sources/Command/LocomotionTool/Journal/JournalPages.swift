import Foundation
import LocomotionAnalysis
import LocomotionFormats
public import LocomotionJournal
import LocomotionRecordings
import LocomotionReport

/// What the archive's package shows of a journal.
@_spi(Server) public enum JournalPages {
  /// The page about a day, as `journal report` writes it.
  public static func page(
    about day: CivilDay, of user: String, in journal: Journal
  ) throws -> String {
    HTMLReport(try Command.analysis(of: day, of: journal.existing(user), user)).html
  }

  /// The policy for the contents of a page, which is in the page as well.
  public static var policy: String { HTMLReport.policy }

  /// Writes all trips of a user as tracks in GeoJSON, with times in UTC.
  public static func writeTracks(of name: String, in journal: Journal, to path: String) throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let outputs = OutputFiles()
    var exporter = try TrackExporter(.geojson, to: outputs.open(path))
    let user = try journal.existing(name)
    if let span = try user.daySpan() {
      let items = try user.dayItems(from: span.start, to: span.end)
      try Command.write(user.tracks(of: items), calendar, to: &exporter)
    }
    try exporter.finish()
    try outputs.commit()
  }
}
