internal import CLocomotionMath

/// How far the phone has climbed and descended, from altitudes while it moves.
///
/// The sum of all rises grows with every tremor of the altitude. Here a rise counts as soon as it
/// exceeds a threshold since the last turning point, and is then counted whole; what is smaller is
/// no climb (hysteresis, as a Schmitt trigger has it). With a barometer the threshold is below the
/// floor of a house. The altitudes of a receiver err by metres for a minute: the threshold grows
/// with what comes and goes in them (``AltitudeFilter/Estimate/shortTermDeviation``), and where
/// that is much, they are smoothed. Those of a watch with a barometer, or of a map of heights, are
/// as steady as a barometer's, whatever file they are from.
///
/// At rest a barometer's altitude is compared with its own mean of half a minute, which follows the
/// weather: who sleeps under a passing low has not climbed, who takes a lift or the stairs without
/// leaving the house has. Of altitudes that drift nothing is added at rest.
///
/// - Complexity: O(1) per altitude, without allocation.
public struct ClimbMeter: Sendable, StateArchivable {
  /// The smallest climb that counts with a barometer, metres.
  private static let barometricThreshold = 2.0
  /// The smallest climb that counts without one, metres.
  private static let leastThreshold = 3.0
  /// Without a barometer, how many times the altitude's short-term deviation a climb must exceed.
  private static let thresholdDeviations = 5.0
  /// The longest time constant, seconds, by which altitudes without a barometer are smoothed:
  /// longer ones flatten hills.
  private static let smoothing = 30.0
  /// The short-term deviation, metres, up to which altitudes are taken as they are, and from
  /// which on the smoothing is the longest.
  private static let smoothedDeviations = 1.5...2.2
  /// The time constant, seconds, by which a barometer's altitudes at rest are taken for the
  /// weather.
  private static let weatherMemory = 30.0
  /// One standard deviation of a barometric altitude, metres.
  private static let barometricDeviation = 0.5
  /// The variance of the height between two turning points, over that of the short-term error:
  /// the turning points are extremes of the error, too.
  private static let varianceFactor = 4.0
  /// The part of the threshold that each turning point may add or not.
  private static let ambiguityPerTurn = 0.2
  /// Of how much a climb rate changes from one fix to the next, in metres less half of the
  /// threshold, the part that may be hidden between them.
  private static let hiddenPart = 0.4
  /// How fast the weather moves a barometric altitude, m²/s.
  private static let weatherDensity = 0.005
  /// The longest time without an altitude that a climb bridges, seconds.
  private static let longestGap = 600.0

  /// The rate, m/s, beyond which a barometer has jumped, as after its first and stale value.
  ///
  /// No lift is as fast. Twice that, which no airliner climbs, is a jump of a receiver.
  static let fastest = 12.0

  private enum Direction: Int, CaseIterable { case unknown, up, down }

  /// The sum so far.
  public private(set) var total = AltitudeChange()
  private var direction = Direction.unknown
  /// The lowest and highest altitude since the last turning point.
  private var lowest = 0.0, highest = 0.0
  private var smoothed = 0.0
  private var last: Altitude?

  fileprivate struct Altitude: StateElement {
    var time: Timestamp
    var metres: Double
    var isBarometric, isMoving: Bool
    /// Metres and seconds since the one before.
    var rise = 0.0, seconds = 1.0

    fileprivate static var blank: ClimbMeter.Altitude {
      ClimbMeter.Altitude(time: .blank, metres: 0, isBarometric: false, isMoving: false)
    }

    fileprivate mutating func pass(through archive: inout StateArchive) {
      archive.pass(&time, &metres, &isBarometric, &isMoving, &rise)
      archive.pass(&seconds)
    }
  }

  /// A meter at zero.
  public init() {}

  /// Adds what has been climbed and descended up to an altitude, and returns it.
  ///
  /// Without a barometer it wants the estimates at the fixes: what is predicted between them is no
  /// climb.
  ///
  /// Altitudes by the barometer and by fixes alone differ by the weather: a change between the two
  /// is no climb, nor is one across a gap beyond `longestGap`. A barometer that pauses
  /// for less than that is waited for.
  @discardableResult
  public mutating func update(
    with estimate: AltitudeFilter.Estimate, at timestamp: Timestamp, isMoving: Bool
  ) -> AltitudeChange {
    let altitude = estimate.barometricAltitude ?? estimate.altitude
    let isBarometric = estimate.barometricAltitude != nil
    guard altitude.isFinite, estimate.deviation.isFinite, estimate.shortTermDeviation.isFinite,
      timestamp.isPlausible
    else { return AltitudeChange() }
    let level = AltitudeChange.Level(altitude: estimate.altitude, deviation: estimate.deviation)
    var found = AltitudeChange()
    (found.highest, found.lowest) = (level, level)
    total += found
    if let last, last.isBarometric, !isBarometric,
      0...Self.longestGap ~= timestamp.seconds(since: last.time)
    {
      return found
    }
    defer {
      let seconds = last.map { timestamp.seconds(since: $0.time) } ?? 0
      last = Altitude(
        time: timestamp, metres: altitude, isBarometric: isBarometric, isMoving: isMoving,
        rise: altitude - (last?.metres ?? altitude), seconds: seconds > 0 ? seconds : 1)
    }
    guard let last, last.isBarometric == isBarometric,
      case let seconds = timestamp.seconds(since: last.time), seconds > 0,
      seconds <= Self.longestGap,
      abs(altitude - last.metres) <= Self.fastest * max(seconds, 1) * (isBarometric ? 1 : 2)
    else {
      direction = .unknown
      (lowest, highest, smoothed) = (altitude, altitude, altitude)
      return found
    }
    let deviation = isBarometric ? Self.barometricDeviation : estimate.shortTermDeviation
    let threshold =
      isBarometric
      ? Self.barometricThreshold
      : max(Self.leastThreshold, Self.thresholdDeviations * deviation)
    let range = Self.smoothedDeviations
    let roughness = (deviation - range.lowerBound) / (range.upperBound - range.lowerBound)
    guard
      let level = self.level(
        at: altitude, after: last, seconds: seconds, threshold: threshold,
        smoothing: Self.smoothing * min(max(roughness, 0), 1), isMoving: isMoving)
    else { return found }
    var change = change(
      to: level, threshold: threshold,
      legVariance: Self.varianceFactor * deviation * deviation)
    change.resolution = threshold
    addDoubt(to: &change, at: altitude, after: last, seconds: seconds, isMoving: isMoving)
    total += change
    total.resolution = threshold
    change += found
    return change
  }

  /// Adds what the weather and the way between two altitudes hide to a change with its resolution.
  private func addDoubt(
    to change: inout AltitudeChange, at altitude: Double, after last: Altitude, seconds: Double,
    isMoving: Bool
  ) {
    if last.isBarometric {
      switch direction {
      case .up: change.climbVariance += Self.weatherDensity * seconds
      case .down: change.descentVariance += Self.weatherDensity * seconds
      case .unknown: break
      }
    }
    // What the climb rate of one step would have made of the other, over the shorter of both.
    let difference = (altitude - last.metres) / seconds - last.rise / last.seconds
    let bend = abs(difference) * min(seconds, last.seconds) / 2
    if isMoving { change.ambiguity += Self.hiddenPart * max(bend - change.resolution / 2, 0) }
  }

  /// The level that climbs are measured to, with what motion, smoothing and weather make of an
  /// altitude; nil where a rest adds nothing.
  private mutating func level(
    at altitude: Double, after last: Altitude, seconds: Double, threshold: Double,
    smoothing: Double, isMoving: Bool
  ) -> Double? {
    let isSteady = threshold <= max(Self.leastThreshold, Self.barometricThreshold)
    if isMoving {
      let gain = smoothing > 0 ? 1 - exp(-seconds / smoothing) : 1
      smoothed += gain * (altitude - smoothed)
      if isSteady, direction == .unknown, !last.isMoving {
        (lowest, highest) = (last.metres, last.metres)
      }
      return smoothed
    }
    if isSteady {
      // Of far fixes none may stand for the weather alone.
      let counted = min(seconds, Self.weatherMemory / 3)
      smoothed += (1 - exp(-counted / Self.weatherMemory)) * (altitude - smoothed)
      // No climb is under way: what the mean has followed was the weather.
      if abs(altitude - smoothed) < threshold / 4 { direction = .unknown }
      if direction == .unknown { (lowest, highest) = (smoothed, smoothed) }
      return altitude
    }
    let drift = altitude - last.metres
    (lowest, highest, smoothed) = (lowest + drift, highest + drift, smoothed + drift)
    // What the smoothing has not followed yet belongs to the motion that ends.
    guard last.isMoving, abs(altitude - smoothed) > threshold else { return nil }
    smoothed = altitude
    return altitude
  }

  /// Follows the altitude; `legVariance` is added with each turning point.
  private mutating func change(
    to altitude: Double, threshold: Double, legVariance: Double
  ) -> AltitudeChange {
    var change = AltitudeChange()
    let before = direction
    if direction != .up, altitude - lowest > threshold {
      direction = .up
      highest = lowest
      change.climbVariance = legVariance
    } else if direction != .down, highest - altitude > threshold {
      direction = .down
      lowest = highest
      change.descentVariance = legVariance
    }
    if direction != before { change.ambiguity = Self.ambiguityPerTurn * threshold }
    switch direction {
    case .up:
      change.climb = max(altitude - highest, 0)
      highest = max(highest, altitude)
      lowest = highest
    case .down:
      change.descent = max(lowest - altitude, 0)
      lowest = min(lowest, altitude)
      highest = lowest
    case .unknown:
      lowest = min(lowest, altitude)
      highest = max(highest, altitude)
    }
    return change
  }

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&total)
    archive.pass(caseOf: &direction)
    archive.pass(&lowest, &highest, &smoothed, &last)
  }
}
