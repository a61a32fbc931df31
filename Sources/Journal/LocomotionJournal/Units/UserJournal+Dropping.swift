public import LocomotionSensing

/// Which raw samples stay on the device after the archive has confirmed to have them.
///
/// Days, stays, trips, fixes and events always stay.
public enum SampleRetention: Hashable, Sendable {
  /// All of them.
  case all
  /// Those of so many last days, counted back from now.
  case days(Int)
  /// None but those from which days are still computed.
  case none

  /// The instant from which on samples stay; nil when all do.
  func horizon(_ now: Timestamp) -> Timestamp? {
    switch self {
    case .all: return nil
    case .none: return Timestamp(nanoseconds: .max)
    case .days(let count):
      let day: Int64 = 86_400_000_000_000
      return now.advanced(byNanoseconds: -min(Int64(clamping: max(count, 0)), .max / day) * day)
    }
  }
}

/// How many of a user's raw samples were dropped, because an archive has them.
public struct DroppedSamples: Hashable, Sendable {
  /// Accelerations: those at the positions from 0 up to this number are not here any more.
  public var samples = 0
  /// Rotation rates, likewise.
  public var rotationRates = 0

  /// Nothing dropped.
  public init() {}

  /// Whether nothing was dropped.
  public var isEmpty: Bool { samples == 0 && rotationRates == 0 }
}

extension UserJournal {
  /// Drops the raw samples that need not stay.
  ///
  /// Only those of confirmed units, from the beginning of the recording on without a gap, and only
  /// before the time from which days are still computed: without ``updateDays(model:)`` nothing
  /// is dropped. What is dropped is overwritten in the file; ``Journal/vacuum()`` returns its
  /// space.
  ///
  /// - Parameters:
  ///   - retention: Which of them stay.
  ///   - now: The present time, on the clock of the samples.
  /// - Returns: How many this call has dropped.
  /// - Throws: ``JournalError``; then nothing is dropped.
  @discardableResult
  public func dropSamples(
    keeping retention: SampleRetention, at now: Timestamp
  ) throws(JournalError) -> DroppedSamples {
    try writing { (owner) throws(JournalError) in
      var uploads = try uploadRecord(owner)
      let dropped = try drop(retention, at: now, of: owner, &uploads)
      if !dropped.isEmpty { try uploads.write(to: connection) }
      return dropped
    }
  }

  /// How many of the user's raw samples are not here any more, because an archive has them.
  public func droppedSamples() throws(JournalError) -> DroppedSamples {
    try reading { (user) throws(JournalError) in
      let uploads = try uploadRecord(user)
      var result = DroppedSamples()
      (result.samples, result.rotationRates) = (uploads.droppedSamples, uploads.droppedRotations)
      return result
    }
  }

  /// Drops blocks inside a transaction; the user's record is changed but not written.
  func drop(
    _ retention: SampleRetention, at now: Timestamp, of user: UserRecord,
    _ uploads: inout UploadRecord
  ) throws(JournalError) -> DroppedSamples {
    var result = DroppedSamples()
    let days = try daysRecord(user)
    guard let horizon = retention.horizon(now), let end = days.finalEnd else { return result }
    var last = uploads.droppedBatches
    for unit in try rows(UnitStatus.self) where unit.batches > 0 {
      guard unit.state != .withdrawn, unit.firstBatch + unit.batches > last else { continue }
      // Whole units: what is dropped is then in units that stay in the archive. Days are computed
      // from the sample at `resumeSample` on.
      guard unit.state == .confirmed, unit.firstBatch == last,
        unit.firstSample + unit.samples <= days.resumeSample,
        unit.times.map({ $0.upperBound < horizon }) ?? true
      else { break }
      last = unit.firstBatch + unit.batches
    }
    guard last > uploads.droppedBatches else { return result }
    let gone = uploads.droppedBatches..<last
    var next = gone.lowerBound
    try forEachBatch(of: user, from: next) { (batch: BatchRecord) throws(JournalError) in
      result.samples += batch.samples
      result.rotationRates += batch.rotations
      next += 1
      return next < last
    }
    try connection.delete(StoreFormat.keys(ofUser: user.number, gone), from: "blocks")
    uploads.droppedBatches = last
    uploads.droppedSamples += result.samples
    uploads.droppedRotations += result.rotationRates
    uploads.retainedEnd = end
    (uploads.retainedSample, uploads.retainedFix) = (days.resumeSample, days.resumeFix)
    return result
  }
}
