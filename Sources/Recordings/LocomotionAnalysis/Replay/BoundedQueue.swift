internal import Foundation

/// A bounded queue between threads: a full one blocks the producer, so that memory stays constant.
///
/// A class, because several threads use it. It is `Sendable` because `condition` guards all its
/// variables.
final class BoundedQueue<Element: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private let depth: Int
  private var elements: [Element] = []
  private var ending: Result<Void, any Error>?
  private var isAbandoned = false

  /// An empty queue with a capacity of `depth` elements.
  init(depth: Int) {
    self.depth = depth
  }

  /// Appends an element, waiting for room; false when the queue was abandoned.
  func put(_ element: consuming Element) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    while elements.count >= depth && !isAbandoned { condition.wait() }
    guard !isAbandoned else { return false }
    elements.append(element)
    condition.broadcast()
    return true
  }

  /// Removes the oldest element, waiting for one; nil at the end.
  ///
  /// - Throws: The error that ended the queue, after its last element.
  func next() throws -> Element? {
    condition.lock()
    defer { condition.unlock() }
    while elements.isEmpty && ending == nil && !isAbandoned { condition.wait() }
    guard !isAbandoned, elements.isEmpty else {
      condition.broadcast()
      return isAbandoned ? nil : elements.removeFirst()
    }
    try ending?.get()
    return nil
  }

  /// Removes an element if there is one.
  func poll() -> Element? {
    condition.lock()
    defer { condition.unlock() }
    return elements.popLast()
  }

  /// Appends an element if there is room, and drops it otherwise.
  func offer(_ element: consuming Element) {
    condition.lock()
    defer { condition.unlock() }
    guard elements.count < depth else { return }
    elements.append(element)
    condition.broadcast()
  }

  /// Marks the end of the queue, with the error that caused it if any.
  func end(_ result: Result<Void, any Error> = .success(())) {
    condition.lock()
    defer { condition.unlock() }
    ending = result
    condition.broadcast()
  }

  /// Releases all waiting threads without an element.
  func abandon() {
    condition.lock()
    defer { condition.unlock() }
    isAbandoned = true
    condition.broadcast()
  }
}
