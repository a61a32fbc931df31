public import Foundation
public import Locomotion

/// A place, and what the user's days tell of it.
public struct PlaceSummary: Hashable, Sendable {
  /// What a place may be to the user, and how probable that is.
  public struct Role: Hashable, Sendable {
    /// Home or work.
    public let kind: PlaceRole
    /// The probability that the next night, or working day, is spent there: below 1, however many
    /// were.
    public let probability: Double
  }

  /// The place.
  public let place: Place
  /// How often the user was there, by the final items of their days.
  public let visits: Int
  /// How long in all, seconds.
  public let duration: Double
  /// The start of the first visit and the end of the last one; nil without any.
  public let span: ClosedRange<Timestamp>?
  /// Home or work; nil when it is probably neither.
  public let role: Role?
}

extension UserJournal {
  /// The user's places with their visits, in the order of their numbers, and which of them are
  /// probably home and work.
  ///
  /// Home is where most nights are spent, of each the place with the longest time from 0 to 5; work
  /// where most days outside the weekend are, each with three hours or more from 7 to 19. Their
  /// probability is (times there + ½) / (times + 1), the posterior mean for Jeffreys' prior, times
  /// of long ago counting for less. Below 0.3 nothing is proposed.
  ///
  /// - Parameter calendar: The calendar with the user's time zone.
  /// - Returns: A summary for each of ``places()``.
  /// - Throws: ``JournalError``.
  /// - Complexity: O(items).
  public func placeSummaries(in calendar: Calendar) throws(JournalError) -> [PlaceSummary] {
    try connection.snapshot { () throws(JournalError) in
      let habits = try habits()
      let roles = habits.roles(in: calendar)
      return try places().map { place in
        let visits = habits.visits.filter { $0.place == place.id }
        return PlaceSummary(
          place: place, visits: visits.count,
          duration: visits.reduce(0) { $0 + $1.end.seconds(since: $1.start) },
          span: visits.first.flatMap { first in visits.last.map { first.start...$0.end } },
          role: roles[place.id])
      }
    }
  }
}
