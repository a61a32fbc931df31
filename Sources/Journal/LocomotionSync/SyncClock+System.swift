internal import Foundation
internal import LocomotionSensing

extension SyncClock {
  /// The clock of the system.
  public static let system = SyncClock(
    now: { Timestamp(nanoseconds: Int64(Date().timeIntervalSince1970 * 1e9)) },
    sleep: { seconds in
      try await Task.sleep(for: .seconds(min(max(seconds, 0), 86_400)))
    })
}
