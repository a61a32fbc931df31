internal import Foundation

/// A queue between threads that holds a few elements at most, so that memory stays constant.
///
/// A class, because threads share it; `condition` guards all its variables, which is what its being
/// `Sendable` rests on.
final class BoundedQueue<Element: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private let depth: Int
  private var elements: [Element] = []
  private var ending: Result<Void, any Error>?
  private var isAbandoned = false

  /// An empty queue for `depth` elements.
  init(depth: Int) {
    self.depth = depth
  }

  /// Appends an element as soon as there is room; false when nobody wants it any more.
  func put(_ element: consuming Element) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    while elements.count >= depth && !isAbandoned { condition.wait() }
    guard !isAbandoned else { return false }
    elements.append(element)
    condition.broadcast()
    return true
  }

  /// Takes the oldest element as soon as there is one; nil at the end.
  ///
  /// - Throws: The error that ended the queue, behind its last element.
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

  /// Takes an element if there is one.
  func poll() -> Element? {
    condition.lock()
    defer { condition.unlock() }
    return elements.popLast()
  }

  /// Appends an element if there is room, else drops it.
  func offer(_ element: consuming Element) {
    condition.lock()
    defer { condition.unlock() }
    guard elements.count < depth else { return }
    elements.append(element)
    condition.broadcast()
  }

  /// Says that no element follows, and why.
  func end(_ result: Result<Void, any Error> = .success(())) {
    condition.lock()
    defer { condition.unlock() }
    ending = result
    condition.broadcast()
  }

  /// Lets those who wait go on without an element.
  func abandon() {
    condition.lock()
    defer { condition.unlock() }
    isAbandoned = true
    condition.broadcast()
  }
}
