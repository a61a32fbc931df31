internal import Locomotion
internal import LocomotionJournal

extension WorkingJournals.Update {
  /// Brings the days of the journal up to date, or a part of the way.
  ///
  /// - Parameter count: About how many samples to read.
  /// - Returns: Whether they are, and then what has changed.
  /// - Throws: ``DerivationError``.
  mutating func updateDays(
    upTo count: Int
  ) throws(DerivationError) -> (isComplete: Bool, change: DayChange?) {
    do throws(JournalError) {
      return try journal.updateDays(upTo: count)
    } catch {
      throw .journal(error)
    }
  }

  /// The first instant from `instant` on at which a day holds more than a gap; nil when none
  /// does.
  func nextItem(from instant: Timestamp) throws(DerivationError) -> Timestamp? {
    try reading { () throws(JournalError) in
      try journal.nextItem(from: instant)
    }
  }

  /// The items of a day.
  func items(of day: CivilDay) throws(DerivationError) -> [TimelineItem] {
    try reading { () throws(JournalError) in
      try journal.dayItems(from: day.start, to: day.end)
    }
  }

  /// The paths of items.
  func tracks(of items: [TimelineItem]) throws(DerivationError) -> [DayTrack] {
    try reading { () throws(JournalError) in
      try journal.tracks(of: items)
    }
  }

  /// The rows of all measurements.
  var measurements: [MeasurementRow] {
    get throws(DerivationError) {
      try reading { () throws(JournalError) in
        try journal.measurements().map { measurement in
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
      try reading { () throws(JournalError) in
        try journal.places().map { place in
          PlaceRow(
            number: place.id, name: place.name, latitude: place.latitude,
            longitude: place.longitude, radius: place.radius, isLearned: place.isLearned)
        }
      }
    }
  }

  private func reading<Result>(
    _ body: () throws(JournalError) -> Result
  ) throws(DerivationError) -> Result {
    do throws(JournalError) {
      return try body()
    } catch {
      throw .journal(error)
    }
  }
}
