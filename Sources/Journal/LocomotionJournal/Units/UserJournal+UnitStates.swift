public import LocomotionSensing

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
}
