import Locomotion
import LocomotionJournal
import LocomotionSensing
import TestSupport

/// A day of fixes: at home, 900 s of driving, at work, then days without data, at home again.
enum DayScript {
  static let home = (latitude: 48.1, longitude: 11.5)
  /// 13.5 km north of home.
  static let work = (latitude: 48.1 + 13_500 / 111_200, longitude: 11.5)
  /// Midnight of a day, seconds.
  static let midnight = 1_700_006_400.0

  /// The seconds of the script at which data come again.
  static let returning = 12_600.0
  /// How much later than the script says that is, seconds: no shorter silence is a gap.
  static let absence = 144_000.0

  /// The instant of a second of the script.
  static func time(_ second: Double) -> Timestamp {
    let later = second >= returning ? absence : 0
    return Timestamp(nanoseconds: Int64((midnight + second + later) * 1e9))
  }

  /// The fixes of `start ..< end`, seconds of the day.
  static func fixes(from start: Double, to end: Double) -> [LocationFix] {
    var random = SplitMix64(seed: 7)
    var fixes: [LocationFix] = []
    for second in stride(from: 0.0, to: 18_000, by: 5) {
      let isDriving = 3_600..<4_500 ~= second
      let error = (north: random.nextNormal() * 3, east: random.nextNormal() * 3)
      guard start..<end ~= second, !(9_000..<returning ~= second) else { continue }
      guard isDriving || second.truncatingRemainder(dividingBy: 10) == 0 else { continue }
      let place =
        isDriving
        ? (latitude: home.latitude + (second - 3_600) * 15 / 111_200, longitude: home.longitude)
        : second < 3_600 || second >= returning ? home : work
      fixes.append(
        LocationFix(
          timestamp: time(second), latitude: place.latitude + error.north / 111_200,
          longitude: place.longitude + error.east / 74_300, horizontalAccuracy: 6,
          speed: isDriving ? 15 : 0))
    }
    return fixes
  }

  static func batch(from start: Double, to end: Double) -> JournalBatch {
    var batch = JournalBatch()
    batch.fixes = fixes(from: start, to: end)
    return batch
  }
}

extension TimelineItem {
  /// `stay`, `trip` or `gap`.
  var kind: String {
    switch self {
    case .stay: "stay"
    case .trip: "trip"
    case .gap: "gap"
    }
  }

  var asStay: Stay? { if case .stay(let stay) = self { stay } else { nil } }

  var legs: [Trip.Leg] { if case .trip(let trip) = self { trip.legs } else { [] } }
}
