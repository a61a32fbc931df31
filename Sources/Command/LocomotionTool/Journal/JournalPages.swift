import Foundation
import LocomotionAnalysis
import LocomotionFormats
public import LocomotionJournal
import LocomotionRecordings
import LocomotionReport

/// What the server's package shows of a journal, and takes for it.
@_spi(Server) public enum JournalPages {
  /// The page about a day, as `journal report` writes it, and its content security policy;
  /// corrections are posted from it with `pageToken`, if there is one.
  public static func page(
    about day: CivilDay, of user: UserJournal, pageToken: String? = nil
  ) throws -> (html: String, policy: String) {
    var document = PageDocument(try Command.analysis(of: day, of: user, user.name))
    document.pageToken = pageToken
    return (document.html, document.policy)
  }

  /// Stores the corrections that a page has posted, once.
  ///
  /// - Throws: ``RecordingError`` for what is no such text, or about nothing in the journal.
  public static func store(corrections: [UInt8], in user: UserJournal) throws {
    try user.updateDays()
    let bytes = ByteReader(bytes: corrections, name: "corrections")
    try Corrections(path: "corrections", bytes).store(in: user) { _ in }
  }

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
