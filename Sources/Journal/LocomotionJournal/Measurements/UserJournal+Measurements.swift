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
    try reading { (record) throws(JournalError) in
      let events = try connection.events(of: record)
      let starts = events.indices.filter { index in
        index == 0 || events[index].measurement != events[index - 1].measurement
      }
      return zip(starts, starts.dropFirst() + [events.count]).map { start, end in
        // A measurement that was not stopped ends where the next one begins.
        let next = end < events.count ? events[end] : nil
        return JournalMeasurement(
          id: events[start].measurement, events: Array(events[start..<end]),
          total: (next?.samples ?? record.samples, next?.fixes ?? record.fixes))
      }
    }
  }

  /// The measurement that is going on or paused, also if a former run of the program began it.
  public func currentMeasurement() throws(JournalError) -> JournalMeasurement? {
    try measurements().last.flatMap { $0.state == .stopped ? nil : $0 }
  }

  /// The length of a measurement: that of its tracks, without the distances during pauses.
  public func length(of measurement: JournalMeasurement) throws(JournalError) -> TrackLength {
    var total = TrackLength(of: [])
    for track in measurement.tracks {
      total = total + TrackLength(of: try fixes(in: track.fixes))
    }
    return total
  }

  private func add(
    _ kind: MeasurementEvent.Kind, _ value: String?, _ timestamp: Timestamp,
    from allowed: [MeasurementState], wanted: MeasurementState
  ) throws(JournalError) -> Int {
    try writing { (user) throws(JournalError) in
      guard timestamp.isPlausible else { throw .implausibleTime }
      var record = user
      let last = try measurements().last
      let state = last?.state ?? .stopped
      guard allowed.contains(state) else { throw .wrongState(state, wanted: wanted) }
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

  /// Writes an event unchanged; the user's record is updated but not written.
  static func write(
    _ event: MeasurementEvent, of record: inout UserRecord, to connection: SQLiteConnection
  ) throws(JournalError) {
    var row = EventRecord()
    row.key = StoreFormat.key(user: record.number, index: record.events)
    row.event = event
    record.events += 1
    try row.write(to: connection)
  }
}

struct EventRecord: StoredRow {
  static let layout = RowLayout<Self>(
    "events", verb: "INSERT",
    [
      .key(\.key), Column("measurement", \.event.measurement),
      Column("kind", \.event.kind), Column("time", \.event.timestamp),
      Column("value", \.event.value), Column("samples", \.event.samples),
      Column("fixes", \.event.fixes), .dropped("chain"),
    ])

  var key: Int64 = 0
  var event = MeasurementEvent(
    kind: .note, timestamp: Timestamp(nanoseconds: 0), value: nil, samples: 0, fixes: 0,
    measurement: 0)
}

extension MeasurementEvent.Kind: ColumnValue {}

extension SQLiteConnection {
  func events(of user: UserRecord) throws(JournalError) -> [MeasurementEvent] {
    let rows: [EventRecord] = try rows(
      StoreFormat.keys(ofUser: user.number), orElse: "an event")
    guard rows.count == user.events else { throw .damaged(path: path, what: "events") }
    return rows.map(\.event)
  }
}
