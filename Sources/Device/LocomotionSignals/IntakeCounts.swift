/// The counts of one sensor's samples: received = kept + dropped by reason, always.
public struct IntakeCounts: Equatable, Sendable, StateArchivable {
  /// Why a sample was dropped.
  public enum DropReason: String, CaseIterable, Hashable, Sendable {
    /// A component is NaN or infinite.
    case notFinite
    /// A component is beyond any phone's range, or the timestamp beyond ±146 years.
    case outOfRange
    /// The timestamp equals that of the sample before.
    case duplicate
    /// The timestamp is earlier than that of the sample before.
    case outOfOrder
    /// No other sample lies within the longest gap of it, so that nothing can be interpolated.
    case isolated
  }

  /// Samples that were handed in.
  public var received = 0
  /// Samples that were used, and the held one, if there is one.
  public var kept = 0
  /// The dropped samples, in the order of `DropReason.allCases`.
  private var droppedByReason = SIMD8<Int>.zero
  /// Of the kept samples, those with a component at the sensor's limit.
  public var saturated = 0
  /// Interruptions that were too long to be filled.
  public var gaps = 0
  /// Shorter interruptions, which were filled from the signal before them.
  public var bridgedGaps = 0
  /// Times that the sensor's clock was permanently set back.
  public var clockResets = 0

  /// No samples yet.
  public init() {}

  /// Samples that were dropped, for whatever reason.
  public var dropped: Int { droppedByReason.wrappedSum() }

  /// The number of samples that were dropped for `reason`.
  public func dropped(for reason: DropReason) -> Int { droppedByReason[Self.index(reason)] }

  private static func index(_ reason: DropReason) -> Int {
    DropReason.allCases.firstIndex(of: reason) ?? 0
  }

  /// Counts a sample that was received: dropped for `reason`, or kept when that is nil.
  package mutating func count(_ reason: DropReason?) {
    received += 1
    if let reason { drop(reason) } else { kept += 1 }
  }

  mutating func drop(_ reason: DropReason) { droppedByReason[Self.index(reason)] += 1 }

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&received, &kept, &droppedByReason)
    archive.pass(&saturated, &gaps, &bridgedGaps, &clockResets)
  }
}
