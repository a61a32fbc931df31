import Foundation

/// The reading of a long body beside the server's loop, so that others are answered meanwhile.
///
/// Unchecked, because the value is only touched under the lock.
final class HTTPReading: @unchecked Sendable {
  private let lock = NSLock()
  private var value: (any Sendable)?

  /// Has a queue read; a serial one, so that at most one body is in memory in another form.
  init(on queue: DispatchQueue, _ read: @escaping @Sendable () -> any Sendable) {
    queue.async { [self] in
      let value = read()
      lock.withLock { self.value = value }
    }
  }

  /// What was read; nil until it's there.
  var result: (any Sendable)? { lock.withLock { value } }
}
