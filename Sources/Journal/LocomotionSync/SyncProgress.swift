internal import Foundation
public import LocomotionJournal
public import LocomotionSensing

/// What an app gives for a bearer token.
public enum TokenRequest: Hashable, Sendable {
  /// The token as it is known; called for every request.
  case current
  /// A new one: the archive has refused the last one.
  case refreshed
}

/// Returns the bearer token for the archive; may ask a server, and may fail.
///
/// The token is held in memory for one request and never stored. It must not contain control
/// characters or spaces.
public typealias Authenticator = @Sendable (TokenRequest) async throws -> String

/// Why a synchronisation does not go on by itself, or a request or a policy fails.
public enum SyncError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The archive refuses the token, also a refreshed one, or there is none.
  case unauthorized
  /// The token is of another user than the units.
  case forbidden
  /// The last sending failed, and is repeated, or no answer came to a request; in one line why,
  /// without the token and without any data.
  case unreachable(reason: String)
  /// The journal cannot be read or written.
  case journal(JournalError)
  /// The archive has not deleted what it was asked to delete, because something of it was erased
  /// here.
  case notDeleted(reason: String)
  /// A text is not a policy: the number of the line, from 1 on, what was expected, and what was
  /// found.
  case notAPolicy(line: Int, reason: String)

  /// The error in one line.
  public var description: String {
    switch self {
    case .unauthorized: "the archive refuses the token"
    case .forbidden: "the token is of another user"
    case .unreachable(let reason): "no confirmation: \(reason)"
    case .journal(let error): "\(error)"
    case .notDeleted(let reason): "not deleted in the archive: \(reason)"
    case .notAPolicy(let line, let reason): "line \(line): \(reason)"
    }
  }
}

/// How far a synchronisation is.
public struct SyncProgress: Hashable, Sendable {
  /// What a session does.
  public enum Phase: Hashable, Sendable {
    /// It makes units of what is new.
    case preparing
    /// It sends.
    case sending
    /// It does not send now; why.
    case waiting(SyncHold)
    /// There is nothing to send.
    case idle
    /// It has ended: all data were removed.
    case cleared
  }

  /// What the session does.
  public internal(set) var phase = Phase.idle
  /// The units that wait to be confirmed.
  public internal(set) var unitsLeft = 0
  /// The bytes of these units.
  public internal(set) var bytesLeft = 0
  /// The units that this session has had confirmed.
  public internal(set) var unitsSent = 0
  /// The units that the archive refuses for good.
  public internal(set) var unitsParked = 0
  /// The units that the archive has not deleted yet, of which something was erased here.
  public internal(set) var unitsWithdrawn = 0
  /// From the first to the last event time of what this session has had confirmed.
  public internal(set) var sent: ClosedRange<Timestamp>?
  /// When a unit was confirmed last, also by an earlier session.
  public internal(set) var lastSuccess: Timestamp?
  /// Why it does not go on, or did not at the last attempt.
  public package(set) var problem: SyncError?

  /// Whether the archive has everything, and nothing is refused or still to be deleted.
  public var isComplete: Bool { unitsLeft == 0 && unitsParked == 0 && unitsWithdrawn == 0 }

  /// Nothing to send.
  public init() {}
}

/// The time of a session, which tests replace.
public struct SyncClock: Sendable {
  /// The present time, on the clock of the samples: since 1970 by default.
  public let now: @Sendable () -> Timestamp
  /// Waits so many seconds; throws when the task is cancelled.
  public let sleep: @Sendable (Double) async throws -> Void

  /// A clock from its parts.
  public init(
    now: @escaping @Sendable () -> Timestamp,
    sleep: @escaping @Sendable (Double) async throws -> Void
  ) {
    self.now = now
    self.sleep = sleep
  }

  /// The clock of the system.
  public static let system = SyncClock(
    now: { Timestamp(nanoseconds: Int64(Date().timeIntervalSince1970 * 1e9)) },
    sleep: { try await Task.sleep(for: .seconds(min(max($0, 0), 86_400))) })
}
