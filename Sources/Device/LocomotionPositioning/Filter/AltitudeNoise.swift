internal import CLocomotionMath

/// How much the altitudes of a track err, by the track itself.
///
/// An altitude between two others is expected on the line between them. How far it is off has two
/// reasons: its error, that of a receiver lasting for about a minute (a Gauss–Markov process, whose
/// second differences have the variance σ²·(6 − 8ρ + 2ρ²)/4, ρ = exp(−lag/memory)), and ground that
/// rises unevenly. The ground's part grows with the lag and the error's hardly does: altitudes of
/// each second tell the two apart, those of each half minute do not, and are believed.
///
/// A barometer or a map of heights comes out at decimetres, a receiver at metres. An error that
/// changes more slowly than the lag leaves no trace here.
///
/// - Complexity: O(1) per altitude, without allocation.
struct AltitudeNoise: Sendable, StateArchivable {
  /// Altitudes that are closer than this count as one, their mean, seconds.
  private static let spacing = 2.0
  /// The longest lag over which three altitudes are compared, seconds.
  private static let longestLag = 90.0
  /// Metres by which the ground is off the line between two altitudes, for each second of the lag.
  ///
  /// Above the 0.05 to 0.12 of hilly runs, rides and hikes, below what would hide a receiver.
  private static let groundPerSecond = 0.15
  /// The part that one altitude has of the running median, in the long run.
  private static let leastWeight = 0.008
  /// The median of |x| for a normal x of deviation 1.
  private static let medianPerDeviation = 0.674_490
  private static let range = 0.1...30.0

  /// One standard deviation of an altitude's error, metres.
  private(set) var deviation: Double
  /// What is taken before the first altitudes, metres: between a barometer and a receiver.
  private var spread = 2.5
  private var lag = spacing
  private var count = 0.0
  /// The sum of the altitudes that are averaged now, and of their seconds since the first.
  private var first: Timestamp?
  private var seconds = 0.0, metres = 0.0, parts = 0.0
  /// The two means before it.
  private var earlier: AltitudeFilter.Reading?, last: AltitudeFilter.Reading?

  /// Nothing is known of a track.
  init() {
    deviation = 0
    deviation = foundDeviation
  }

  private var foundDeviation: Double {
    let ground = Self.groundPerSecond * lag / fraction(lag: lag)
    return max(spread * spread - ground * ground, Self.range.lowerBound * Self.range.lowerBound)
      .squareRoot()
  }

  /// The deviation of a second difference, halved, over that of the error.
  private func fraction(lag: Double) -> Double {
    let kept = exp(-lag / AltitudeFilter.errorMemory)
    return ((6 - 8 * kept + 2 * kept * kept) / 4).squareRoot()
  }

  /// Takes in an altitude that is later than the one before.
  mutating func add(_ altitude: Double, at time: Timestamp) {
    if let begin = first, time.seconds(since: begin) >= Self.spacing {
      let offset = Int64(seconds / parts * 1e9)
      compare(
        AltitudeFilter.Reading(
          time: begin.advanced(byNanoseconds: offset), altitude: metres / parts))
      first = nil
    }
    let begin = first ?? time
    if first == nil { (first, seconds, metres, parts) = (time, 0, 0, 0) }
    seconds += time.seconds(since: begin)
    metres += altitude
    parts += 1
  }

  private mutating func compare(_ next: AltitudeFilter.Reading) {
    defer { (earlier, last) = (last, next) }
    guard let earlier, let last else { return }
    let span = next.time.seconds(since: earlier.time)
    guard span > 0, span <= 2 * Self.longestLag else { return }
    let part = last.time.seconds(since: earlier.time) / span
    let off = last.altitude - earlier.altitude - part * (next.altitude - earlier.altitude)
    count += 1
    let weight = max(Self.leastWeight, 1 / (count + 2))
    lag += max(Self.leastWeight, 1 / count) * (span / 2 - lag)
    // The running median, on a scale of logarithms.
    let isBeyond =
      abs(off)
      > Self.medianPerDeviation * spread * fraction(lag: span / 2)
    spread *= exp(isBeyond ? weight : -weight)
    spread = min(max(spread, Self.range.lowerBound), Self.range.upperBound)
    deviation = foundDeviation
  }

  mutating func pass(through archive: inout StateArchive) {
    archive.pass(&spread, &lag, &count, &first, &seconds)
    archive.pass(&metres, &parts, &earlier, &last)
    archive.require(first == nil || parts >= 1 && seconds >= 0 && seconds <= Self.spacing * parts)
    if archive.isReading { deviation = foundDeviation }
  }
}
