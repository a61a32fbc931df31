import Foundation
import LocomotionJournal
@_spi(Server) import LocomotionTool

/// The journal in which `collect` of version 0.1 kept the messages that phones pushed, until they
/// were in the archive.
enum EarlierSpool {
  /// Looks for one in the cache's folder.
  ///
  /// - Throws: `ServerError` when it holds something that is not in the archive; ``JournalError``
  ///   when it cannot be read.
  static func check(in folder: String) throws {
    let path = folder + "/spool.locomotion"
    guard FileManager.default.fileExists(atPath: path) else { return }
    let journal = try Journal(path: path, access: .reading)
    let users = try journal.userNames()
    for user in users where try journal.existingUser(user).map(isWaiting) ?? false {
      throw ServerError.failed(
        "\(folder): spool.locomotion holds messages of phones which are not in the archive: have "
          + "'collect' of version 0.1.0 take them, and delete the file")
    }
    guard !users.isEmpty else { return }
    StandardError.write(
      "locomotion-server: \(path): all of it is in the archive, and 'archive erase' does not look into "
        + "it: delete it\n")
  }

  /// Whether something of a user is in no unit, or in one that the archive does not have.
  private static func isWaiting(_ user: UserJournal) throws(JournalError) -> Bool {
    let (counts, units) = (try user.counts(), try user.units())
    return counts.samples > units.reduce(0) { $0 + $1.samples }
      || counts.fixes > units.reduce(0) { $0 + $1.fixes }
      || units.contains { $0.state == .pending }
  }
}
