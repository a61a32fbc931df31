/// The fixes that are ahead of the accelerations and wait for them, in order of arrival.
struct FixQueue: Sendable, StateArchivable {
  /// Fixes that may wait.
  static let capacity = 64

  private(set) var fixes: [LocationFix] = []
  /// The newest of ``fixes``, of which no acceleration knows yet.
  private var newerCount = 0
  /// The newest fix since the newest acceleration.
  private var newest: Timestamp?
  /// The time that fixes have gone on for without an acceleration, nanoseconds.
  private var silence: Int64 = 0

  init() {}

  var isEmpty: Bool { fixes.isEmpty }
  var isFull: Bool { fixes.count == Self.capacity }

  /// Whether fixes have gone on for `delay` nanoseconds without an acceleration.
  func showsSilence(of delay: Int64) -> Bool { silence >= delay }

  /// Whether no acceleration came after the fix at `position`.
  func isNewerThanAccelerations(_ position: Int) -> Bool { position >= fixes.count - newerCount }

  /// Takes notice that a fix came.
  ///
  /// One step counts as half of `delay` at most, so that one wrong time isn't taken for a silence.
  mutating func noteArrival(of fix: LocationFix, delay: Int64) {
    guard fix.timestamp.isPlausible else { return }
    if let newest {
      silence += min(max(0, fix.timestamp.nanoseconds(since: newest)), (delay + 1) / 2)
      silence = min(silence, delay)
    }
    newest = fix.timestamp
  }

  /// Takes notice that an acceleration came.
  mutating func noteAcceleration() {
    newerCount = 0
    newest = nil
    silence = 0
  }

  mutating func append(_ fix: LocationFix) {
    fixes.append(fix)
    newerCount += 1
  }

  mutating func remove(at position: Int) -> LocationFix {
    if isNewerThanAccelerations(position) { newerCount -= 1 }
    return fixes.remove(at: position)
  }

  mutating func pass(through archive: inout StateArchive) {
    archive.pass(&fixes, &newerCount)
    archive.require(fixes.count <= Self.capacity && newerCount <= fixes.count)
    archive.pass(&newest)
    archive.pass(&silence, in: 0...Timestamp.limit)
  }
}
