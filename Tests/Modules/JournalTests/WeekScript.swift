import Foundation
import LocomotionActivityRecognition
import LocomotionJournal
import LocomotionSensing
import TestSupport

/// Weeks of a commuter: who stays where, and how they travel, as the fixes of a sparse recorder.
///
/// On weekdays by `commute` to work at 8 and back at 17, some evenings on foot to a shop near home;
/// on Saturdays by bicycle to the gym, on Sundays by car to friends. A fix comes every 30 s in
/// motion and every 5 min at rest, `error` metres off along each axis, and with each stay the
/// receiver is off by as much for as long as it lasts.
struct WeekScript {
  enum Site: Int, CaseIterable {
    case home, work, canteen, shop, gym, friends

    /// Metres east and north of home.
    var offset: (east: Double, north: Double) {
      switch self {
      case .home: (0, 0)
      case .work: (5_200, 2_800)
      case .canteen: (5_330, 2_740)
      case .shop: (-420, 510)
      case .gym: (-2_600, 3_100)
      case .friends: (9_000, -14_000)
      }
    }
  }

  struct Visit {
    let site: Site
    let start: Double
    let end: Double
  }

  struct Journey {
    let mode: Activity
    let start: Double
    let end: Double
  }

  /// The modes of the commutes of five weekdays, in three lives.
  static let commutes = [
    [Activity](repeating: .automotive, count: 5), [Activity](repeating: .cycling, count: 5),
    [.cycling, .cycling, .automotive, .cycling, .cycling],
  ]
  /// Midnight of a Monday in UTC, seconds.
  static let monday = 1_699_833_600.0
  static let day = 86_400.0

  private(set) var visits: [Visit] = []
  private(set) var journeys: [Journey] = []
  private(set) var fixes: [LocationFix] = []
  private var random: SplitMix64
  private let error: Double

  init(weeks: Int, commute: [Activity], error: Double, seed: UInt64) {
    random = SplitMix64(seed: seed)
    self.error = error
    var clock = Self.monday
    var site = Site.home
    func plans(_ day: Int, _ random: inout SplitMix64) -> [(Site, Activity, Double)] {
      func time(_ hour: Double) -> Double { hour * 3_600 + random.nextNormal() * 600 }
      switch day % 7 {
      case 5: return [(.gym, .cycling, time(10)), (.home, .cycling, time(12))]
      case 6: return [(.friends, .automotive, time(14)), (.home, .automotive, time(20))]
      case let day:
        var plans: [(Site, Activity, Double)] = [
          (.work, commute[day], time(8)), (.home, commute[day], time(17)),
        ]
        if day % 2 == 1 {
          plans.insert(
            contentsOf: [(.canteen, .walking, time(12)), (.work, .walking, time(13))], at: 1)
        }
        if day % 2 == 0 { plans += [(.shop, .walking, time(19)), (.home, .walking, time(19.6))] }
        return plans
      }
    }
    for day in 0..<7 * weeks {
      for (goal, mode, time) in plans(day, &random) {
        let start = max(Self.monday + Double(day) * Self.day + time, clock + 900)
        stay(at: site, from: clock, to: start)
        clock = travel(from: site, to: goal, by: mode, at: start)
        site = goal
      }
    }
    stay(at: site, from: clock, to: Self.monday + Double(7 * weeks) * Self.day)
  }

  private mutating func stay(at site: Site, from start: Double, to end: Double) {
    visits.append(Visit(site: site, start: start, end: end))
    let lasting = (east: random.nextNormal() * error, north: random.nextNormal() * error)
    for second in stride(from: start, to: end, by: 300) {
      append(second, site.offset.east + lasting.east, site.offset.north + lasting.north, speed: 0)
    }
  }

  private mutating func travel(
    from origin: Site, to goal: Site, by mode: Activity, at start: Double
  ) -> Double {
    let (one, other) = (origin.offset, goal.offset)
    let length = (pow(other.east - one.east, 2) + pow(other.north - one.north, 2)).squareRoot()
    // A bus in a town, with its stops, is as fast as a bicycle.
    let usual: Double =
      switch mode {
      case .walking: 1.35
      case .cycling: 5
      case .train: 14
      default: length > 10_000 ? 16 : 6.2
      }
    let speed = usual * (1 + 0.08 * random.nextNormal())
    let seconds = length / speed
    for second in stride(from: 15.0, to: seconds, by: 30) {
      let part = second / seconds
      append(
        start + second, one.east + part * (other.east - one.east),
        one.north + part * (other.north - one.north),
        speed: max(0, speed * (1 + 0.35 * random.nextNormal())))
    }
    journeys.append(Journey(mode: mode, start: start, end: start + seconds))
    return start + seconds
  }

  private mutating func append(_ second: Double, _ east: Double, _ north: Double, speed: Double) {
    let noise = (east: random.nextNormal() * error / 2, north: random.nextNormal() * error / 2)
    fixes.append(
      LocationFix(
        timestamp: Timestamp(nanoseconds: Int64(second * 1e9)),
        latitude: DayScript.home.latitude + (north + noise.north) / 111_200,
        longitude: DayScript.home.longitude + (east + noise.east) / 74_300,
        horizontalAccuracy: 1.7 * error, speed: speed))
  }

  /// The fixes of a part of the weeks, seconds since their beginning.
  func batch(from start: Double, to end: Double) -> JournalBatch {
    var batch = JournalBatch()
    batch.fixes = fixes.filter { start..<end ~= $0.timestamp.seconds - Self.monday }
    return batch
  }

  /// The journey that takes most of an interval; nil when none does.
  func journey(from start: Timestamp, to end: Timestamp) -> Journey? {
    journeys.first {
      min($0.end, end.seconds) - max($0.start, start.seconds) > ($0.end - $0.start) / 2
    }
  }

  /// The site of the visit that takes most of an interval; nil when none does.
  func site(from start: Timestamp, to end: Timestamp) -> Site? {
    visits.first {
      min($0.end, end.seconds) - max($0.start, start.seconds) > end.seconds(since: start) / 2
    }?.site
  }
}
