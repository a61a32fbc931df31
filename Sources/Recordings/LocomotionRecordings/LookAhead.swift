internal import LocomotionSensing

/// The next two elements of a file in the order of its rows.
///
/// An error comes when the elements before it have been taken.
struct LookAhead<Element> {
  /// The next element; nil at the end.
  var head: Element?
  var following: Element?
  /// What is wrong behind ``head``.
  private(set) var failure: RecordingError?

  /// Goes to the next element; `read` gives the one behind the next, nil at the end.
  mutating func advance(
    _ read: () throws(RecordingError) -> Element?
  ) throws(RecordingError) {
    head = following
    following = nil
    if let failure { throw failure }
    do throws(RecordingError) { following = try read() } catch { failure = error }
  }

  /// The earlier of the times of the next two elements; nil at the end.
  func dueTime(_ time: (Element) -> Timestamp) -> Timestamp? {
    head.map { min(time($0), following.map(time) ?? time($0)) }
  }
}
