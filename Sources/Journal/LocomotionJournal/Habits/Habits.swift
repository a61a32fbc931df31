public import Foundation
public import Locomotion

/// What repeats in a user's days: where they are when, and how they travel between places.
///
/// From the final items with the user's edits, in the order of time.
struct Habits: Sendable {
  private(set) var visits: [(place: Int, start: Timestamp, end: Timestamp)] = []
  let modes: HabitualModes

  init(of segments: [DaySegment], until finalEnd: Timestamp?) {
    modes = HabitualModes(of: segments, until: finalEnd)
    guard let finalEnd else { return }
    for segment in segments where segment.kind == .stay && segment.end <= finalEnd {
      guard let place = segment.place else { continue }
      visits.append((place, segment.start, segment.end))
    }
  }

  private static let day = 86_400.0
  /// After so many days a visit counts for half.
  private static let halfLife = 60.0
  /// The standard deviation of a habit's time, seconds.
  private static let timeDeviation = 5_400.0

  /// How similar two times are that are so many seconds apart, in the week and in the day.
  ///
  /// No calendar is needed: a habit is that many seconds apart, but for a change of clocks. It is
  /// `least` for times that have nothing in common, up to 1.
  static func similarity(ofTimes seconds: Double, atLeast least: Double) -> Double {
    func similarity(_ period: Double) -> Double {
      let off = seconds.remainder(dividingBy: period) / timeDeviation
      return exp(-off * off / 2)
    }
    return least + (1 - least) * (0.2 * similarity(day) + 0.8 * similarity(7 * day))
  }

  /// The weight of what was so many seconds ago.
  static func weight(ofAge seconds: Double) -> Double {
    pow(0.5, max(0, seconds) / day / halfLife)
  }

  /// How many trips went from one place to another.
  func trips(from origin: Int, to destination: Int) -> Int {
    zip(visits, visits.dropFirst()).count { $0.place == origin && $1.place == destination }
  }

  // MARK: Home and work

  /// The place with the highest value; of equals, that with the lowest number.
  private static func most(_ values: [Int: Double]) -> (place: Int, value: Double)? {
    values.max { ($0.value, -$0.key) < ($1.value, -$1.key) }.map { ($0.key, $0.value) }
  }

  /// The places where the nights, and the working days, are spent, with the probability that the
  /// next one is spent there.
  func roles(in calendar: Calendar) -> [Int: PlaceSummary.Role] {
    guard let last = visits.last?.end else { return [:] }
    var nights: [Int: Double] = [:]
    var workdays: [Int: Double] = [:]
    var (nightCount, workdayCount) = (0.0, 0.0)
    var index = 0
    var day = visits.first.flatMap { CivilDay(holding: $0.start, calendar) }
    while let civil = day, civil.start < last {
      while index < visits.count, visits[index].end <= civil.start { index += 1 }
      let today = visits[index...].prefix { $0.start < civil.end }
      let age = Self.weight(ofAge: last.seconds(since: civil.start))
      func longest(from: Double, to: Double, except home: Int?) -> (place: Int, seconds: Double)? {
        var seconds: [Int: Double] = [:]
        let start = civil.start.seconds + from * 3_600
        let end = civil.start.seconds + to * 3_600
        for visit in today where visit.place != home {
          let common = min(visit.end.seconds, end) - max(visit.start.seconds, start)
          if common > 0 { seconds[visit.place, default: 0] += common }
        }
        return Self.most(seconds).map { ($0.place, $0.value) }
      }
      if let night = longest(from: 0, to: 5, except: nil), night.seconds >= 2 * 3_600 {
        nights[night.place, default: 0] += age
        nightCount += age
      }
      if !calendar.isDateInWeekend(Date(timeIntervalSince1970: civil.start.seconds)),
        !today.isEmpty
      {
        workdayCount += age
        let home = Self.most(nights)?.place
        if let work = longest(from: 7, to: 19, except: home), work.seconds >= 3 * 3_600 {
          workdays[work.place, default: 0] += age
        }
      }
      day = civil.next
    }
    var result: [Int: PlaceSummary.Role] = [:]
    func propose(_ counts: [Int: Double], _ total: Double, _ kind: PlaceRole) {
      guard let best = Self.most(counts.filter { result[$0.key] == nil }) else { return }
      let probability = (best.value + 0.5) / (total + 1)
      if probability >= 0.3 { result[best.place] = .init(kind: kind, probability: probability) }
    }
    propose(nights, nightCount, .home)
    propose(workdays, workdayCount, .work)
    return result
  }
}

/// What a place may be to the user.
public enum PlaceRole: String, Hashable, Sendable, Codable {
  /// Where nights are spent.
  case home
  /// Where working days are spent.
  case work
}

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

/// A leg to ask the user about.
public struct LegQuestion: Equatable, Sendable {
  /// The first instant of the leg.
  public let start: Timestamp
  /// The first instant after it.
  public let end: Timestamp
  /// The activities between which it is, the more probable first, and their probabilities.
  public let answers: [Answer]

  /// An activity that the leg may have been.
  public struct Answer: Hashable, Sendable {
    /// The activity.
    public let activity: Activity
    /// Its probability, 0 to 1.
    public let probability: Double
  }
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

  /// The leg of an interval to ask the user about: the one whose answer would change most.
  ///
  /// Its expected gain is greatest: the probability that its activity is wrong, times its length,
  /// times how often the user makes that trip. A leg in doubt is one whose second activity has a
  /// probability of 15 % or more, and that the user has not corrected. How often to ask, and not
  /// twice about one leg, is up to the app. The answer is a
  /// ``correctActivity(to:from:to:)-(Activity,_,_)``.
  ///
  /// - Returns: The question; nil when no leg that is final is in doubt.
  /// - Throws: ``JournalError``.
  public func doubtfulLeg(
    from start: Timestamp, to end: Timestamp
  ) throws(JournalError) -> LegQuestion? {
    try connection.snapshot { () throws(JournalError) in
      doubtfulLeg(of: try dayItems(from: start, to: end), try habits())
    }
  }

  private func doubtfulLeg(of items: [TimelineItem], _ habits: Habits) -> LegQuestion? {
    var best: (gain: Double, question: LegQuestion)?
    for (index, item) in items.enumerated() where !item.isPartial {
      guard case .trip(let trip) = item else { continue }
      let ends = [index - 1, index + 1].map { index -> Int? in
        guard items.indices.contains(index), case .stay(let stay) = items[index] else {
          return nil
        }
        return stay.place?.id
      }
      var usual = 0
      if let origin = ends[0], let destination = ends[1] {
        usual = habits.trips(from: origin, to: destination)
      }
      for leg in trip.legs {
        guard let posterior = leg.inference?.posterior else { continue }
        let ranked = posterior.predictionSet(coverage: 1).prefix(2)
        guard ranked.count == 2, posterior[ranked[1]] >= Self.leastDoubt else { continue }
        let answers = ranked.map {
          LegQuestion.Answer(activity: $0, probability: Double(posterior[$0]))
        }
        let gain =
          (1 - answers[0].probability) * leg.end.seconds(since: leg.start) * Double(1 + usual)
        if gain > best?.gain ?? 0 {
          best = (gain, LegQuestion(start: leg.start, end: leg.end, answers: answers))
        }
      }
    }
    return best?.question
  }

  private static var leastDoubt: Float { 0.15 }

  /// What repeats in the user's days.
  func habits() throws(JournalError) -> Habits {
    let days = try daysRecord(userRecord())
    return try habits(of: days, storedEdits())
  }

  /// The modes that the user has confirmed.
  func habitualModes(
    of days: DaysRecord, _ edits: [DayEdit]
  ) throws(JournalError) -> HabitualModes {
    let isConfirmed = edits.contains { $0.change.activity != nil }
    return isConfirmed ? try habits(of: days, edits).modes : HabitualModes()
  }

  private func habits(of days: DaysRecord, _ edits: [DayEdit]) throws(JournalError) -> Habits {
    // Erasures and changes of final items forget them.
    if let known = journal.habits[number], known.edits == edits, known.finalEnd == days.finalEnd {
      return known.habits
    }
    let items: [ItemRecord] = try rows()
    let habits = Habits(
      of: DayEdit.apply(edits, to: items.map(\.segment)), until: days.finalEnd)
    journal.habits[number] = (edits, days.finalEnd, habits)
    return habits
  }
}
