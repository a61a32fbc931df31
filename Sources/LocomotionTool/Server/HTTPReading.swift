import Foundation

/// The parsing of a long body outside the server's loop, which meanwhile serves other clients.
///
/// Unchecked, because the value is only accessed under the lock.
final class HTTPReading: @unchecked Sendable {
  private let lock = NSLock()
  private var value: (any Sendable)?

  /// Parses on a queue; on a serial one at most one parsed body is in memory.
  init(on queue: DispatchQueue, _ read: @escaping @Sendable () -> any Sendable) {
    queue.async { [self] in
      let value = read()
      lock.withLock { self.value = value }
    }
  }

  /// The parsed body; nil until it is complete.
  var result: (any Sendable)? { lock.withLock { value } }
}
