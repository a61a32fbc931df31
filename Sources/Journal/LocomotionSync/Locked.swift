internal import Foundation

/// A value that threads use one at a time.
///
/// Like `Mutex`, which iOS 17 and the other systems of its year lack. Unchecked, because the value
/// is only accessed under the lock; what enters and what leaves it is `sending`, so that the
/// compiler checks that no other thread keeps a part of the value.
package final class Locked<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  /// Protects `value`.
  package init(_ value: sending Value) { self.value = value }

  /// Calls `body` with the value while no other thread has it.
  package func withLock<Result, Failure>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
