internal import Foundation

/// Publishes what analysts see of all people, once a day of UTC; see <doc:Database>.
///
/// Several programs may do so for one archive.
struct DailyPublication {
  private let connections: ArchiveConnections
  /// The day, since 1970, on which nothing more is due.
  private var completed: Int?
  /// Not before this, because the last attempt failed.
  private var earliest = ContinuousClock.now
  private static let retryInterval = Duration.seconds(600)

  /// A publication that has not looked yet what is due today.
  init(_ connections: ArchiveConnections) { self.connections = connections }

  /// Publishes one week or month, if the day's are not complete.
  ///
  /// - Throws: ``DatabaseError``; then nothing happens for ten minutes.
  mutating func publishNext() throws(DatabaseError) {
    let today = Int((Date().timeIntervalSince1970 / 86_400).rounded(.down))
    guard completed != today, ContinuousClock.now >= earliest else { return }
    do throws(DatabaseError) {
      let isMore = try connections.use { database throws(DatabaseError) in
        try database.publishNext()
      }
      completed = isMore ? nil : today
    } catch {
      earliest = ContinuousClock.now + Self.retryInterval
      throw error
    }
  }
}
