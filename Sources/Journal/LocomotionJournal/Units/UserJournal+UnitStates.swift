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
  /// Stores that the archive has a unit, and drops the raw samples that need not be kept for it.
  ///
  /// One transaction: after a power failure either both is so or neither.
  ///
  /// - Parameters:
  ///   - digest: The digest that the archive confirmed, ``UnitStatus/digest``.
  ///   - retention: Which raw samples stay.
  ///   - now: The present time, on the clock of the samples.
  /// - Returns: How many samples this call has dropped.
  /// - Throws: ``JournalError/unknownUnit`` when the user has no such unit, or it is withdrawn.
  @discardableResult
  public func confirmUnit(
    _ digest: [UInt8], keeping retention: SampleRetention = .all, at now: Timestamp
  ) throws(JournalError) -> DroppedSamples {
    try writing { (user) throws(JournalError) in
      var uploads = try uploadRecord(user)
      try set(.confirmed, of: unitRecord(digest, in: [.pending, .confirmed, .parked]))
      uploads.confirmedTime = now
      let dropped = try drop(retention, at: now, of: user, &uploads)
      try uploads.write(to: connection)
      return dropped
    }
  }

  /// Stores that the archive refuses a unit for good, so that it is not sent again by itself.
  ///
  /// - Parameters:
  ///   - digest: The digest of a pending unit.
  ///   - reason: Why, for people; at most 400 characters are kept.
  /// - Throws: ``JournalError/unknownUnit`` when the user has no such unit, or it isn't pending.
  public func parkUnit(_ digest: [UInt8], because reason: String) throws(JournalError) {
    try writing { (_) throws(JournalError) in
      let words = String(reason.replacing("\0", with: " ").prefix(400))
      try set(.parked, of: unitRecord(digest, in: [.pending]), because: words)
    }
  }

  /// Makes all parked units of the user pending again.
  ///
  /// - Returns: How many there were.
  @discardableResult
  public func retryParkedUnits() throws(JournalError) -> Int {
    try writing { (_) throws(JournalError) in
      let parked = try rows(UnitStatus.self).filter { $0.state == .parked }
      for record in parked { try set(.pending, of: record) }
      return parked.count
    }
  }

  /// Goes on as a new device, because the archive has units of this device that are not this
  /// journal's: another copy of it, such as one that was restored on a second phone, has sent them.
  ///
  /// What the archive has confirmed up to the first unit that it has not stays there under the old
  /// name. All after it becomes units of a new device; of those, what was confirmed by mistake is
  /// withdrawn.
  ///
  /// - Throws: ``JournalError``; then nothing has changed.
  public func beginNewDevice() throws(JournalError) {
    try writing { (owner) throws(JournalError) in
      var uploads = try uploadRecord(owner)
      let stream = try rows(UnitStatus.self).suffix(uploads.nextSequence)
      let first = stream.firstIndex { $0.state == .pending || $0.state == .parked }
      guard let first else { return }
      uploads.batches = stream[first].firstBatch
      uploads.rotations = stream[first].firstRotation
      uploads.events = stream[first].firstEventIndex
      for record in stream[first...] {
        if record.state == .confirmed {
          try set(.withdrawn, of: record)
        } else {
          try remove(record)
        }
      }
      uploads.beginDevice()
      try uploads.write(to: connection)
    }
  }

  /// Removes the row of a withdrawn unit, which the archive has deleted or never had.
  ///
  /// - Throws: ``JournalError/unknownUnit`` when the user has no such unit, or it isn't withdrawn.
  public func forgetWithdrawnUnit(_ digest: [UInt8]) throws(JournalError) {
    try writing { (_) throws(JournalError) in
      try remove(unitRecord(digest, in: [.withdrawn]))
    }
  }

  /// When a unit of the user was confirmed last, as ``confirmUnit(_:keeping:at:)`` was told; nil
  /// when none was.
  public func lastConfirmation() throws(JournalError) -> Timestamp? {
    try reading { (user) throws(JournalError) in try uploadRecord(user).confirmedTime }
  }

  /// Adds bytes to those that are sent over a metered network on a day, before they are sent.
  ///
  /// On an earlier day than the last one, after the clock was set back, they count for that last
  /// one, so that a clock that jumps cannot raise what is sent; more than a week before it the
  /// count starts anew.
  ///
  /// - Parameters:
  ///   - count: How many bytes; 0 only asks.
  ///   - day: The day, counted from any first one.
  ///   - limit: How many may be sent on a day.
  /// - Returns: Whether they are within the limit; else they are not added.
  /// - Throws: ``JournalError``; then they are not added.
  public func addMeteredBytes(_ count: Int, on day: Int, limit: Int) throws(JournalError) -> Bool {
    try writing { (user) throws(JournalError) in
      var uploads = try uploadRecord(user)
      if day > uploads.meteredDay || day < uploads.meteredDay - 7 {
        uploads.meteredDay = day
        uploads.meteredBytes = 0
      }
      guard count <= limit - min(limit, uploads.meteredBytes) else { return false }
      uploads.meteredBytes += count
      if count > 0 { try uploads.write(to: connection) }
      return true
    }
  }

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

  // MARK: Rows

  /// The row of the unit with a digest.
  ///
  /// - Throws: ``JournalError/unknownUnit`` unless it is there and in one of the states.
  func unitRecord(
    _ digest: [UInt8], in states: Set<UnitStatus.State>
  ) throws(JournalError) -> UnitStatus {
    let record = try rows(UnitStatus.self).first { $0.digest == digest }
    guard let record, states.contains(record.state) else { throw .unknownUnit }
    return record
  }

  /// Withdraws the units that an erasure concerns, and begins a new stream of units.
  ///
  /// What was erased must not stay in the archive, and a unit cannot be changed. So every unit is
  /// withdrawn whose data are still here, because they are sent again under a new device name, and
  /// every one that holds something of the erased time. Units whose raw samples were dropped and
  /// that hold nothing of it stay in the archive as they are.
  ///
  /// The user's record is changed but not written. Nothing happens for a user without units.
  func withdrawUnits(
    of user: UserRecord, _ uploads: inout UploadRecord, where isConcerned: (UnitStatus) -> Bool
  ) throws(JournalError) {
    let rows: [UnitStatus] = try rows()
    guard !rows.isEmpty else { return }
    for record in rows {
      if record.state == .withdrawn || !uploads.hasDropped(record) || isConcerned(record) {
        try set(.withdrawn, of: record)
      } else {
        try remove(record)
      }
    }
    uploads.batches = uploads.droppedBatches
    uploads.rotations = uploads.droppedRotations
    uploads.events = 0
    uploads.beginDevice()
  }

  /// Writes that a unit is in another state, without what that state needs no more.
  private func set(
    _ state: UnitStatus.State, of unit: UnitStatus, because reason: String = ""
  ) throws(JournalError) {
    var record = unit
    (record.state, record.reason) = (state, reason)
    if state == .confirmed || state == .withdrawn { record.annotations = nil }
    if state == .withdrawn {
      // When it was, and in which measurement, is not to be known any more.
      (record.times, record.summary.measurement) = (nil, nil)
    }
    try record.write(to: connection)
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
