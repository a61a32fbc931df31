public import LocomotionSensing

extension UserJournal {
  /// Starts a measurement.
  ///
  /// - Parameters:
  ///   - modality: The mode of travel as the person calls it, such as `"BICYCLE"`.
  ///   - timestamp: When, on the clock of the samples.
  /// - Returns: The measurement's number.
  /// - Throws: ``JournalError/wrongState(_:wanted:)`` when one is already running.
  @discardableResult
  public func start(_ modality: String, at timestamp: Timestamp) throws(JournalError) -> Int {
    try add(.start, modality, timestamp, from: [.stopped], wanted: .stopped)
  }

  /// Pauses the current measurement: its track ends here.
  ///
  /// - Throws: ``JournalError/wrongState(_:wanted:)`` when it isn't recording.
  public func pause(at timestamp: Timestamp) throws(JournalError) {
    _ = try add(.pause, nil, timestamp, from: [.recording], wanted: .recording)
  }

  /// Resumes the paused measurement, in a new track.
  ///
  /// - Throws: ``JournalError/wrongState(_:wanted:)`` when it isn't paused.
  public func resume(at timestamp: Timestamp) throws(JournalError) {
    _ = try add(.resume, nil, timestamp, from: [.paused], wanted: .paused)
  }

  /// Stops the current measurement.
  ///
  /// - Throws: ``JournalError/wrongState(_:wanted:)`` when there is none.
  public func stop(at timestamp: Timestamp) throws(JournalError) {
    _ = try add(.stop, nil, timestamp, from: [.recording, .paused], wanted: .recording)
  }

  /// Changes the mode of travel of the current measurement, from this time on.
  ///
  /// - Throws: ``JournalError/wrongState(_:wanted:)`` when there is none.
  public func changeModality(to modality: String, at timestamp: Timestamp) throws(JournalError) {
    _ = try add(.modality, modality, timestamp, from: [.recording, .paused], wanted: .recording)
  }

  /// Adds a note to the current measurement.
  ///
  /// - Throws: ``JournalError/wrongState(_:wanted:)`` when there is none.
  public func note(_ text: String, at timestamp: Timestamp) throws(JournalError) {
    _ = try add(.note, text, timestamp, from: [.recording, .paused], wanted: .recording)
  }

  /// All measurements of the user, the oldest first.
  public func measurements() throws(JournalError) -> [JournalMeasurement] {
    try connection.snapshot { () throws(JournalError) in
      let record = try userRecord()
      let events = try events(of: record)
      var result: [JournalMeasurement] = []
      var start = events.startIndex
      while start < events.endIndex {
        let id = events[start].measurement
        let end = events[start...].firstIndex { $0.measurement != id } ?? events.endIndex
        // A measurement that was not stopped ends where the next one begins.
        let next = end < events.endIndex ? events[end] : nil
        result.append(
          JournalMeasurement(
            id: id, events: Array(events[start..<end]),
            total: (next?.samples ?? record.samples, next?.fixes ?? record.fixes)))
        start = end
      }
      return result
    }
  }

  /// The measurement that is going on or paused, also if a former run of the program began it.
  public func currentMeasurement() throws(JournalError) -> JournalMeasurement? {
    try measurements().last.flatMap { $0.state == .stopped ? nil : $0 }
  }

  private func add(
    _ kind: MeasurementEvent.Kind, _ value: String?, _ timestamp: Timestamp,
    from allowed: [MeasurementState], wanted: MeasurementState
  ) throws(JournalError) -> Int {
    try requireWriting()
    guard timestamp.isPlausible else { throw .implausibleTime }
    return try connection.transaction { () throws(JournalError) in
      let last = try measurements().last
      let state = last?.state ?? .stopped
      guard allowed.contains(state) else { throw .wrongState(state, wanted: wanted) }
      var record = try userRecord()
      // Numbers of erased events may be missing, and a number is not used twice at a time.
      let used = try connection.events(of: record).map(\.measurement).max()
      let id = kind == .start ? max(record.events, used.map { $0 + 1 } ?? 0) : last?.id ?? 0
      let event = MeasurementEvent(
        // Bound as text, a string would end at its first NUL.
        kind: kind, timestamp: timestamp, value: value?.replacing("\0", with: ""),
        samples: record.samples, fixes: record.fixes, measurement: id)
      try Self.write(event, of: &record, to: connection)
      try record.write(to: connection)
      return id
    }
  }

  func events(of user: UserRecord) throws(JournalError) -> [MeasurementEvent] {
    try connection.events(of: user)
  }

  /// Writes an event unchanged; the user's record is updated but not written.
  package static func write(
    _ event: MeasurementEvent, of record: inout UserRecord, to connection: SQLiteConnection
  ) throws(JournalError) {
    let key = StoreFormat.key(user: record.number, index: record.events)
    record.events += 1
    try connection.run(
      """
      INSERT INTO events (id, measurement, kind, time, value, samples, fixes) \
      VALUES (?,?,?,?,?,?,?)
      """,
      [
        .integer(key), .integer(Int64(event.measurement)), .integer(Int64(event.kind.rawValue)),
        .integer(event.timestamp.nanoseconds), event.value.map { .text($0) } ?? .null,
        .integer(Int64(event.samples)), .integer(Int64(event.fixes)),
      ])
  }
}

extension SQLiteConnection {
  /// All events of a user.
  package func events(of user: UserRecord) throws(JournalError) -> [MeasurementEvent] {
    var result: [MeasurementEvent] = []
    let keys = StoreFormat.keys(ofUser: user.number)
    try forEach(
      """
      SELECT measurement, kind, time, value, samples, fixes FROM events \
      WHERE id >= ? AND id < ? ORDER BY id
      """, keys
    ) { (row: SQLiteRow) throws(JournalError) in
      guard let kind = MeasurementEvent.Kind(rawValue: Int(try row.integer(1))) else {
        throw .damaged(path: path, what: "an event")
      }
      let event = MeasurementEvent(
        kind: kind, timestamp: Timestamp(nanoseconds: try row.integer(2)), value: row.text(3),
        samples: Int(try row.integer(4)), fixes: Int(try row.integer(5)),
        measurement: Int(try row.integer(0)))
      result.append(event)
      return true
    }
    guard result.count == user.events else {
      throw .damaged(path: path, what: "events")
    }
    return result
  }
}
