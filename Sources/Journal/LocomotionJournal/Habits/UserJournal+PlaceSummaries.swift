public import Foundation
public import Locomotion
public import LocomotionSensing

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
  /// The time spent there by hour of the day, seconds: 24 numbers.
  public let hours: [Double]
  /// Home or work; nil when it is probably neither.
  public let role: Role?
}

/// A place where a stay may be.
public struct ProbablePlace: Hashable, Sendable {
  /// The place.
  public let place: Place
  /// Its probability, 0 to 1; what is missing from 1 is that of a place that isn't stored.
  public let probability: Double
}

/// When the user will probably leave a place, and where that shows.
public struct ProbableDeparture: Hashable, Sendable {
  /// Before this instant one of ten would leave.
  public let earliest: Timestamp
  /// Before this instant half would leave.
  public let median: Timestamp
  /// Before this instant nine of ten would leave.
  public let latest: Timestamp
  /// The region whose exit tells of the departure: for the system to wake the app.
  public let exitRegion: PlaceDescription
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
        var hours = [Double](repeating: 0, count: 24)
        for visit in visits {
          for (hour, seconds) in visit.hours(in: calendar) { hours[hour] += seconds }
        }
        let role = roles.first { $0.place == place.id }
        return PlaceSummary(
          place: place, visits: visits.count, duration: hours.reduce(0, +),
          span: visits.first.flatMap { first in visits.last.map { first.start...$0.end } },
          hours: hours,
          role: role.map { PlaceSummary.Role(kind: $0.role, probability: $0.probability) })
      }
    }
  }

  /// The places where a stay may be, the most probable first: from where it is, when it began, and
  /// where the user was before it.
  ///
  /// - Parameters:
  ///   - location: Where the stay is; nil when there was no fix.
  ///   - start: When it began.
  /// - Returns: Places with a probability of 1 % or more.
  /// - Throws: ``JournalError``.
  /// - Complexity: O(visits · places).
  public func probablePlaces(
    ofStayAt location: Stay.Location?, from start: Timestamp
  ) throws(JournalError) -> [ProbablePlace] {
    try connection.snapshot { () throws(JournalError) in
      let habits = try habits()
      let day = start.advanced(byNanoseconds: -86_400_000_000_000)
      let previous = try dayItems(from: day, to: start).compactMap { item -> Int? in
        if case .stay(let stay) = item, stay.end < start { stay.place?.id } else { nil }
      }.last
      let places = try places()
      let weights = places.map { place in
        let visits = habits.visits(at: place.id, from: start, after: previous)
        return visits * PlaceRecogniser.density(of: location, at: place)
      }
      let total = weights.reduce(PlaceRecogniser.densityOfNewPlaces(location), +)
      return zip(places, weights).map { ProbablePlace(place: $0, probability: $1 / total) }
        .filter { $0.probability >= 0.01 }
        .sorted { ($0.probability, -$0.place.id) > ($1.probability, -$1.place.id) }
    }
  }

  /// When a stay that goes on will probably end, from the earlier ones at the same place.
  ///
  /// - Parameters:
  ///   - place: The place's number.
  ///   - arrival: When the stay began.
  ///   - now: An instant of the stay, at which it goes on.
  /// - Returns: The times, and the region to watch; nil before there are three earlier stays.
  /// - Throws: ``JournalError/unknownPlace``.
  public func probableDeparture(
    from place: Int, since arrival: Timestamp, at now: Timestamp
  ) throws(JournalError) -> ProbableDeparture? {
    try reading { (_) throws(JournalError) in
      let place = try self.place(place).place
      let habits = try habits()
      guard habits.visits.count(where: { $0.place == place.id && $0.end <= arrival }) >= 3 else {
        return nil
      }
      let times = habits.departure(from: place.id, since: arrival, at: now)
      guard times.count == 3 else { return nil }
      return ProbableDeparture(
        earliest: times[0], median: times[1], latest: times[2],
        exitRegion: PlaceDescription(
          name: place.name, latitude: place.latitude, longitude: place.longitude,
          radius: max(place.radius, Self.leastRegion)))
    }
  }

  /// The systems' regions are no smaller in effect, metres.
  private static var leastRegion: Double { 100 }
}

extension Habits.Visit {
  /// A visit longer than so many seconds is every hour's alike.
  private static let longest = 31 * 86_400.0

  /// The time by hour of the day, seconds.
  func hours(in calendar: Calendar) -> [(hour: Int, seconds: Double)] {
    let duration = end.seconds(since: start)
    guard duration <= Self.longest else { return (0..<24).map { ($0, duration / 24) } }
    var result: [(hour: Int, seconds: Double)] = []
    var time = Date(timeIntervalSince1970: start.seconds)
    let last = Date(timeIntervalSince1970: end.seconds)
    while time < last {
      let next =
        calendar.dateInterval(of: .hour, for: time).map { min($0.end, last) } ?? last
      result.append((calendar.component(.hour, from: time), next.timeIntervalSince(time)))
      guard next > time else { break }
      time = next
    }
    return result
  }
}
