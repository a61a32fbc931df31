import Foundation
import Synchronization

@testable import LocomotionServer

/// A thread that uses the database beside the test's own.
final class DatabaseThread: Sendable {
  private let done = DispatchSemaphore(value: 0)
  private let error = Mutex<DatabaseError?>(nil)

  /// Starts it.
  init(_ body: @escaping @Sendable () throws(DatabaseError) -> Void) {
    Thread.detachNewThread { [self] in
      do throws(DatabaseError) {
        try body()
      } catch {
        let failure = error
        self.error.withLock { $0 = failure }
      }
      done.signal()
    }
  }

  /// Waits for its end, and returns the error with which it ended; nil for none.
  func outcome() -> DatabaseError? {
    done.wait()
    return error.withLock { $0 }
  }
}
