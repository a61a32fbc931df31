#if Collect
  internal import LocomotionJournal
  internal import LocomotionSensing

  extension WorkingJournals.Update {
    /// Updates the days of the journal.
    ///
    /// - Parameters:
    ///   - isWhole: Whether every day may have changed.
    ///   - stored: The days that the database has.
    /// - Returns: The first instant at which a stored day may have to change.
    /// - Throws: ``DerivationError``.
    mutating func start(
      isWhole: Bool, _ stored: [StoredDay]
    ) throws(DerivationError) -> Timestamp {
      do throws(JournalError) {
        let change = try journal.updateDays(of: user)
        guard !isWhole, let change else { return Timestamp(nanoseconds: -Timestamp.limit) }
        // What was not final may be so now without having changed.
        return min(
          change.start, stored.lazy.filter { !$0.isFinal }.map(\.start).min() ?? change.start)
      } catch {
        throw .journal(error)
      }
    }

    /// From the first item to the end of the last one; nil without items.
    var span: (start: Timestamp, end: Timestamp)? {
      get throws(DerivationError) {
        try reading { (journal, user) throws(JournalError) in try journal.daySpan(of: user) }
      }
    }

    /// The items of a day.
    func items(of day: CivilDay) throws(DerivationError) -> [DayItem] {
      try reading { (journal, user) throws(JournalError) in
        try journal.dayItems(of: user, from: day.start, to: day.end)
      }
    }

    /// The paths of items.
    func tracks(of items: [DayItem]) throws(DerivationError) -> [DayTrack] {
      try reading { (journal, user) throws(JournalError) in
        try journal.tracks(of: items, for: user)
      }
    }

    /// The rows of all measurements.
    var measurements: [MeasurementRow] {
      get throws(DerivationError) {
        try reading { (journal, user) throws(JournalError) in
          try journal.measurements(of: user).map { measurement in
            MeasurementRow(
              number: measurement.id, modality: measurement.modality, start: measurement.start,
              end: measurement.end,
              samples: measurement.tracks.reduce(0) { $0 + $1.samples.count },
              fixes: measurement.tracks.reduce(0) { $0 + $1.fixes.count })
          }
        }
      }
    }

    /// The rows of all places.
    var places: [PlaceRow] {
      get throws(DerivationError) {
        try reading { (journal, user) throws(JournalError) in
          try journal.places(of: user).map { place in
            PlaceRow(
              number: place.id, name: place.name,
              position: ItemRow.Point(latitude: place.latitude, longitude: place.longitude),
              radius: place.radius, isLearned: place.isLearned)
          }
        }
      }
    }

    private func reading<Result>(
      _ body: (borrowing Journal, JournalUser) throws(JournalError) -> Result
    ) throws(DerivationError) -> Result {
      do throws(JournalError) {
        return try body(journal, user)
      } catch {
        throw .journal(error)
      }
    }
  }
#endif
