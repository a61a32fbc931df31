internal import CLocomotionMath
import LocomotionPositioning
import LocomotionSensing

/// The fixes of one minute of the clock, as one observation of where the person was.
///
/// Errors of fixes that are seconds apart are alike, so that a minute of them says hardly more than
/// two. Across a silence the first and the last of them tell how far the person came.
struct LocationEpoch: Sendable, StateElement {
  /// The first and the last instant that was observed.
  private(set) var start, end: Timestamp
  /// The first and the last fix; nil when the accelerometer alone observed the minute.
  private(set) var first, last: EarthCentredPoint?
  /// The fixes at positions of their own.
  private(set) var count = 0
  /// ln of the likelihood of the accelerations if the person travelled, over that at rest.
  var accelerationMotion: Float = 0
  /// The same of the reported speeds: the sum over the fixes and their number.
  private var speedMotion: Float = 0
  private var speeds: Float = 0
  /// The ground that was covered, metres.
  private var ground: Float = 0
  private var weight = 0.0
  private var claims = 0
  /// From the first fix: the weighted sums of the offsets and of their squares.
  private var offset: SIMD3<Double> = .zero
  private var square = 0.0
  private var times = 0.0

  /// An epoch that nothing is known of but its time.
  init(at time: Timestamp) {
    start = time
    end = time
  }

  /// Lengthens the epoch to an instant that was observed.
  mutating func extend(to time: Timestamp) {
    if time > end { end = time }
  }

  /// Takes in a fix that isn't before the last one.
  mutating func add(_ point: EarthCentredPoint, speed: Double? = nil, at time: Timestamp) {
    if first == nil { first = point }
    extend(to: time)
    if let speed, speed >= 0, speed < 1000 {
      speedMotion += Self.logLikelihoodRatio(ofSpeed: Float(speed))
      speeds += 1
    }
    guard let first else { return }
    defer { last = point }
    // A position that is repeated exactly is no new evidence.
    if let last, last.position == point.position { return }
    let own = 1 / max(point.errorVariance, 1)
    if point.variance != nil { claims += 1 }
    count += 1
    weight += own
    let difference = point.position - first.position
    offset += own * difference
    square += own * (difference * difference).sum()
    times += own * time.seconds(since: start)
  }

  /// Takes in a way that was gone in the epoch, metres.
  mutating func cover(_ length: Double) {
    ground += Float(length)
  }

  /// ln of the likelihood of what else was observed if the person travelled, over that at rest.
  ///
  /// Speeds of one minute are as much evidence as three.
  func motion(usesSpeeds: Bool) -> Double {
    let spoken = usesSpeeds && speeds > 0
    let speed = spoken ? speedMotion / speeds * min(speeds, 3) : 0
    // Steps about the house are no travel: where fixes tell, they have the word.
    let most = count > 0 ? Self.mostLocatedMotion : Self.mostAccelerationMotion
    return Double(
      min(max(speed, -Self.mostSpeedMotion), Self.mostSpeedMotion)
        + min(max(accelerationMotion, -most), most) + groundMotion)
  }

  /// ln of the likelihood of the ground that was covered if the person travelled, over that at
  /// rest: whoever goes on covers ground, however near to one place.
  ///
  /// That none was covered, as far as there were fixes, says little: who travels may halt.
  private var groundMotion: Float {
    let pace = ground / max(20, Float(end.seconds(since: start)))
    return min(
      max(pace / Self.paceAbout - Self.leastGround, count < 10 ? 0 : -0.5), Self.mostGroundMotion)
  }
  private static let paceAbout: Float = 0.12
  private static let (leastGround, mostGroundMotion): (Float, Float) = (2.5, 7)

  /// Whether speeds or accelerations told rest from travel.
  var observedMotion: Bool { speeds > 0 || accelerationMotion != 0 }

  /// The most that a minute's speeds and accelerations say.
  private static let mostSpeedMotion: Float = 2.5
  private static let mostAccelerationMotion: Float = 4
  private static let mostLocatedMotion: Float = 2

  /// ln p(speed | travel) / p(speed | rest): log-normal speeds on foot, by bicycle and by vehicle,
  /// and halts; at rest mostly a receiver's noise.
  private static func logLikelihoodRatio(ofSpeed speed: Float) -> Float {
    func logNormal(_ median: Float, _ deviation: Float) -> Float {
      let x = max(speed, 0.02)
      let z = log(x / median) / deviation
      return exp(-0.5 * z * z) / (x * deviation * 2.506_628)
    }
    let noise = exp(-0.5 * (speed / 0.35) * (speed / 0.35)) / (0.35 * 1.253_314)
    let rest = 0.93 * noise + 0.07 * exp(-speed / 1.5) / 1.5
    let travel =
      0.12 * noise + 0.4 * logNormal(1.3, 0.35) + 0.2 * logNormal(4, 0.5)
      + 0.28 * logNormal(10, 0.6)
    return log((travel + 1e-9) / (rest + 1e-9))
  }

  /// The mean of the fixes, weighted by their claims, with the mean claim; nil without any.
  var mean: EarthCentredPoint? {
    guard weight > 0, let first else { return nil }
    return EarthCentredPoint(
      position: first.position + offset / weight,
      variance: claims > 0 ? Double(count) / weight : nil)
  }

  /// The weights of the fixes: 1/m² summed.
  var totalWeight: Double { weight }

  /// The weighted sum of the fixes' squared distances from a point.
  func scatter(about point: SIMD3<Double>) -> Double {
    guard let first else { return 0 }
    let shift = first.position - point
    return square + 2 * (offset * shift).sum() + weight * (shift * shift).sum()
  }

  /// The mean instant of the fixes; the middle of the epoch without any.
  var middle: Timestamp {
    guard weight > 0 else { return start.advanced(bySeconds: end.seconds(since: start) / 2) }
    return start.advanced(bySeconds: times / weight)
  }

  static let blank = LocationEpoch(at: .blank)

  mutating func pass(through archive: inout StateArchive) {
    archive.pass(&start, &end, &first, &last, &count)
    archive.pass(&accelerationMotion, &speedMotion, &speeds, &ground, &weight)
    archive.pass(&claims, &offset, &square, &times)
    archive.require(
      start.isPlausible && end.isPlausible && start <= end && weight >= 0
        && abs(times) <= 1e6 * weight)
  }
}

extension Timestamp {
  /// The instant some seconds later, to the nanosecond; NaN counts as 0.
  func advanced(bySeconds seconds: Double) -> Timestamp {
    let nanoseconds = seconds.isNaN ? 0 : min(max(seconds * 1e9, -9e18), 9e18)
    return advanced(byNanoseconds: Int64(nanoseconds.rounded()))
  }
}
