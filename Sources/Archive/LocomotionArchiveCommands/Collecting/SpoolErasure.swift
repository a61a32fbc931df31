import Foundation
import LocomotionCollector
import LocomotionJournal
import LocomotionRecordings
import LocomotionServing

/// The erasure of a user from the spool, also while a collector has it open.
///
/// Only one program at a time writes to a journal. So another one leaves the name in a folder
/// beside it, and the collector erases it and removes the name.
struct SpoolErasure {
  private let spool: String
  private var folder: String { spool + ".erase" }
  /// How long a collector may take, seconds.
  private static let longestWait = 120.0

  init(ofSpoolAt path: String) { spool = path }

  /// Whether the spool has anything of a user.
  func holds(_ user: String) throws(JournalError) -> Bool {
    guard FileStatus(path: spool) != nil else { return false }
    return try Journal(path: spool, access: .reading).existingUser(user) != nil
  }

  /// Erases a user, or has the collector do it, and waits for that.
  ///
  /// - Throws: `CommandFailure` when the collector does not do it; ``JournalError``.
  func erase(_ user: String) throws {
    guard FileStatus(path: spool) != nil else { return }
    do throws(JournalError) {
      let journal = try Journal(path: spool)
      guard let known = try journal.existingUser(user) else { return }
      try known.erase()
      try journal.vacuum()
      return
    } catch {
      guard case .busy = error else { throw error }
    }
    let request = folder + "/" + ObjectKey.Owner(user: user).text
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    try Data(user.utf8).write(to: URL(fileURLWithPath: request), options: .atomic)
    let end = ContinuousClock.now + .seconds(Self.longestWait)
    while FileStatus(path: request) != nil {
      guard ContinuousClock.now < end else {
        throw CommandFailure(
          "\(spool): in use, and its collector does not erase: stop it, and repeat")
      }
      Thread.sleep(forTimeInterval: 0.1)
    }
  }

  /// Does what others have asked for, in the collector.
  func answerRequests(_ intake: LiveIntake) throws {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in names {
      let request = folder + "/" + name
      guard let content = FileManager.default.contents(atPath: request) else { continue }
      let user = String(decoding: content, as: UTF8.self)
      // Half a name, which is being written.
      guard ObjectKey.Owner(user: user).text == name else { continue }
      try intake.erase(user)
      try FileManager.default.removeItem(atPath: request)
    }
  }
}
