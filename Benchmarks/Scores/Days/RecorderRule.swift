import Foundation
internal import LocomotionPositioning
package import LocomotionSensing
import LocomotionTraining

/// What a common kind of recorder keeps of the fixes that a location service could give.
///
/// The rules restate what the exports of recorders look like: which fixes are there and which
/// fields they have. They turn one dense recording into the recordings that each of them would have
/// made of the same day.
///
/// Rules that depend on rest take the truth's moving states as the recorder's motion sensor, which
/// is read at fixes: no rule wakes up without one.
package enum RecorderRule: String, CaseIterable, Hashable, Sendable, Codable {
  /// Every fix, with all its fields.
  case full
  /// Every fix, as loggers write GPX: time, position and altitude.
  case gpx
  /// A fix every minute.
  case every60
  /// A fix every five minutes.
  case every300
  /// Loggers with a distance filter: a fix every 25 m, none worse than 65 m, and silence from two
  /// minutes after motion has ended.
  case distance
  /// Trackers with a heartbeat: a fix every 45 s in motion and every 15 minutes at rest.
  case heartbeat15
  /// Background fetches: a fix every 24 to 39 minutes, when the system allows it.
  case halfHourly = "half-hourly"
  /// Apple's service for significant changes: a coarse position every 500 m and no sooner than
  /// after five minutes.
  case significant
  /// Google's history: a coarse position every 3 to 4 minutes in motion, every 10 to 25 at rest.
  case google
  /// Positions of cell towers, every two minutes.
  case cells
  /// Every fix, but for outages of 5 to 40 minutes, with 50 minutes between them on average.
  case outages

  /// What the recorder keeps of a day.
  ///
  /// - Parameters:
  ///   - fixes: What the location service reported, in the order of time, with valid positions.
  ///   - truth: The reference, whose moving states are the recorder's motion sensor.
  ///   - seed: The seed of all that is random: with equal seeds the fixes are equal.
  /// - Returns: The fixes kept, in the order of time.
  package func thinned(
    _ fixes: [LocationFix], truth: LocationTruth, seed: UInt64
  ) -> [LocationFix] {
    var generator = SeededGenerator(seed: seed)
    switch self {
    case .full: return fixes
    case .gpx: return fixes.map { $0.reduced(accuracy: nil, altitude: $0.altitude) }
    case .every60: return Self.spaced(fixes) { 60 }
    case .every300: return Self.spaced(fixes) { 300 }
    case .distance: return Self.everyFewMetres(fixes, truth)
    case .heartbeat15: return Self.heartbeat(fixes, truth)
    case .halfHourly: return Self.spaced(fixes) { generator.uniform(1_440, 2_340) }
    case .significant: return Self.significantChanges(fixes, &generator)
    case .google: return Self.googleHistory(fixes, truth, &generator)
    case .cells: return Self.cellTowers(fixes, &generator)
    case .outages: return Self.withOutages(fixes, &generator)
    }
  }

  /// The fixes that are no sooner than `interval` seconds after the one kept before.
  private static func spaced(_ fixes: [LocationFix], _ interval: () -> Double) -> [LocationFix] {
    var next: Timestamp?
    return fixes.filter { fix in
      guard next.map({ fix.timestamp >= $0 }) ?? true else { return false }
      next = fix.timestamp.advanced(bySeconds: interval())
      return true
    }
  }

  private static func everyFewMetres(
    _ fixes: [LocationFix], _ truth: LocationTruth
  ) -> [LocationFix] {
    var sensor = MotionSensor(truth: truth)
    var last: LocationFix?
    return fixes.filter { fix in
      guard sensor.secondsSinceMotion(at: fix.timestamp) <= 120,
        fix.horizontalAccuracy ?? 0 <= 65, last.map({ $0.distance(to: fix) >= 25 }) ?? true
      else { return false }
      last = fix
      return true
    }
  }

  private static func heartbeat(
    _ fixes: [LocationFix], _ truth: LocationTruth
  ) -> [LocationFix] {
    var sensor = MotionSensor(truth: truth)
    var last: Timestamp?
    return fixes.filter { fix in
      let interval = sensor.secondsSinceMotion(at: fix.timestamp) <= 60 ? 45.0 : 900
      guard last.map({ fix.timestamp.seconds(since: $0) >= interval }) ?? true else {
        return false
      }
      last = fix.timestamp
      return true
    }
  }

  private static func significantChanges(
    _ fixes: [LocationFix], _ generator: inout SeededGenerator
  ) -> [LocationFix] {
    var last: LocationFix?
    var kept: [LocationFix] = []
    for fix in fixes {
      if let last {
        guard fix.timestamp.seconds(since: last.timestamp) >= 300, last.distance(to: fix) >= 500
        else { continue }
      }
      last = fix
      kept.append(fix.displaced(&generator, accuracy: 65).reduced(accuracy: 65, altitude: nil))
    }
    return kept
  }

  private static func googleHistory(
    _ fixes: [LocationFix], _ truth: LocationTruth, _ generator: inout SeededGenerator
  ) -> [LocationFix] {
    let accuracies = [12.0, 20, 35, 60]
    var sensor = MotionSensor(truth: truth)
    var next: (atRest: Timestamp, inMotion: Timestamp)?
    var kept: [LocationFix] = []
    for fix in fixes {
      let moves = sensor.secondsSinceMotion(at: fix.timestamp) <= 30
      if let next {
        guard fix.timestamp >= (moves ? next.inMotion : next.atRest) else { continue }
      }
      next = (
        fix.timestamp.advanced(bySeconds: generator.uniform(600, 1_500)),
        fix.timestamp.advanced(bySeconds: generator.uniform(170, 260))
      )
      let accuracy = generator.element(of: accuracies)
      kept.append(
        fix.displaced(&generator, accuracy: accuracy)
          .reduced(accuracy: accuracy, altitude: fix.altitude))
    }
    return kept
  }

  private static func withOutages(
    _ fixes: [LocationFix], _ generator: inout SeededGenerator
  ) -> [LocationFix] {
    guard let start = fixes.first?.timestamp else { return [] }
    var isOn = true
    var change = start.advanced(bySeconds: generator.exponential(mean: 3_000))
    return fixes.filter { fix in
      while fix.timestamp >= change {
        isOn.toggle()
        change = change.advanced(
          bySeconds: isOn ? generator.exponential(mean: 3_000) : generator.uniform(300, 2_400))
      }
      return isOn
    }
  }
}

// MARK: - Cell towers

extension RecorderRule {
  private struct Cell: Hashable {
    var column, row: Int
  }

  /// The width of a cell, in each of which one tower stands somewhere, metres.
  private static let cellWidth = 900.0
  /// The deviation of the logarithm of a tower's apparent distance: shadows of buildings let the
  /// phone change towers while it rests.
  private static let shadowing = 0.25

  private static func cellTowers(
    _ fixes: [LocationFix], _ generator: inout SeededGenerator
  ) -> [LocationFix] {
    guard let first = fixes.first else { return [] }
    let plane = LocalTangentPlane(latitude: first.latitude, longitude: first.longitude)
    let accuracies = [500.0, 800, 1_000, 1_400]
    var towers: [Cell: SIMD2<Double>] = [:]
    return spaced(fixes) { 115 }.map { fix in
      let here = plane.position(latitude: fix.latitude, longitude: fix.longitude)
      let corner = (here / cellWidth).rounded(.down)
      let (column, row) = (Int(corner.x), Int(corner.y))
      var (nearest, least) = (here, Double.infinity)
      for index in 0..<25 {
        let cell = Cell(column: column + index % 5 - 2, row: row + index / 5 - 2)
        let tower =
          towers[cell]
          ?? cellWidth
          * (SIMD2(Double(cell.column), Double(cell.row))
            + SIMD2(generator.uniform(0.1, 0.9), generator.uniform(0.1, 0.9)))
        towers[cell] = tower
        let offset = tower - here
        let distance =
          (offset * offset).sum().squareRoot() * exp(shadowing * generator.normal2().x)
        if distance < least { (nearest, least) = (tower, distance) }
      }
      let place = plane.geodetic(nearest)
      return LocationFix(
        timestamp: fix.timestamp, latitude: place.latitude, longitude: place.longitude,
        horizontalAccuracy: generator.element(of: accuracies))
    }
  }
}

// MARK: - Parts of the rules

/// When the phone moved last, as far as a recorder knows.
private struct MotionSensor {
  let truth: LocationTruth
  var lastMotion: Timestamp?

  /// Infinite before the first motion.
  mutating func secondsSinceMotion(at time: Timestamp) -> Double {
    if truth.isMoving(at: time) == true { lastMotion = time }
    return lastMotion.map { time.seconds(since: $0) } ?? .infinity
  }
}

extension LocationFix {
  /// Time and position, without speed and course.
  fileprivate func reduced(accuracy: Double?, altitude: Double?) -> LocationFix {
    LocationFix(
      timestamp: timestamp, latitude: latitude, longitude: longitude, altitude: altitude,
      horizontalAccuracy: accuracy)
  }

  /// The fix off by a normal error whose radius of 68 % is `accuracy` metres.
  fileprivate func displaced(
    _ generator: inout SeededGenerator, accuracy: Double
  ) -> LocationFix {
    // The 68 % radius of a normal distribution in the plane is 1.51 deviations.
    let error = generator.normal2() * (accuracy / (-2 * log(0.32)).squareRoot())
    let place = LocalTangentPlane(latitude: latitude, longitude: longitude).geodetic(error)
    var fix = self
    (fix.latitude, fix.longitude) = place
    return fix
  }
}

extension Timestamp {
  fileprivate func advanced(bySeconds seconds: Double) -> Timestamp {
    advanced(byNanoseconds: Int64((seconds * 1e9).rounded()))
  }
}

extension SeededGenerator {
  /// A value uniform in `low` ..< `high`.
  fileprivate mutating func uniform(_ low: Double, _ high: Double) -> Double {
    low + (high - low) * uniform()
  }

  /// A positive value with an exponential distribution.
  fileprivate mutating func exponential(mean: Double) -> Double {
    -mean * log(1 - uniform())
  }

  /// Two independent standard normal values (Box and Muller 1958).
  fileprivate mutating func normal2() -> SIMD2<Double> {
    let radius = (-2 * log(1 - uniform())).squareRoot()
    let angle = 2 * .pi * uniform()
    return SIMD2(radius * cos(angle), radius * sin(angle))
  }
}
