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
    PageDocument(try Command.analysis(of: day, of: journal.existing(user), user)).html
  }

  /// The page about a day as of now, from which corrections are posted with `pageToken`, and its
  /// policy.
  public static func page(
    about day: CivilDay, of user: UserJournal, pageToken: String
  ) throws -> (html: String, policy: String) {
    try user.updateDays()
    let analysis = try Command.analysis(of: day, of: user, user.name)
    var document = PageDocument(analysis)
    document.pageToken = pageToken
    return (document.html, document.policy)
  }

  /// Stores the corrections that a page has posted, once.
  ///
  /// - Throws: ``RecordingError`` for what is no such text, or about nothing in the journal.
  public static func store(corrections: [UInt8], in user: UserJournal) throws {
    try user.updateDays()
    let bytes = ByteReader(bytes: corrections, name: "corrections")
    try Corrections(bytes, path: "corrections").store(in: user)
  }

  /// The policy for the contents of a page, which is in the page as well.
  public static var policy: String { PageDocument.policy }

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
