import Foundation

/// The parsing of a long body outside the server's loop, which meanwhile serves other clients.
///
/// Unchecked, because the value is only accessed under the lock.
final class HTTPReading: @unchecked Sendable {
  private let lock = NSLock()
  private var value: (any Sendable)?

  fileprivate init(
    on queue: DispatchQueue, _ read: @escaping @Sendable () -> any Sendable,
    then finish: @escaping @Sendable () -> Void
  ) {
    queue.async { [self] in
      let value = read()
      finish()
      lock.withLock { self.value = value }
    }
  }

  /// The parsed body; nil until it is complete.
  var result: (any Sendable)? { lock.withLock { value } }
}

/// The threads that parse long bodies: at most so many parsed bodies are in memory.
///
/// Unchecked, because the counts are only accessed under the lock.
final class HTTPReadings: @unchecked Sendable {
  private let queues: [DispatchQueue]
  private let lock = NSLock()
  /// The readings that wait or run, by queue.
  private var waiting: [Int]

  /// - Parameter count: How many bodies are parsed at a time.
  init(count: Int) {
    queues = (0..<max(count, 1)).map { DispatchQueue(label: "readings \($0)") }
    waiting = queues.map { _ in 0 }
  }

  /// Parses where the fewest wait.
  func begin(_ read: @escaping @Sendable () -> any Sendable) -> HTTPReading {
    let place = lock.withLock {
      let place = waiting.indices.min { waiting[$0] < waiting[$1] } ?? 0
      waiting[place] += 1
      return place
    }
    return HTTPReading(on: queues[place], read) { [self] in
      lock.withLock { waiting[place] -= 1 }
    }
  }
}
