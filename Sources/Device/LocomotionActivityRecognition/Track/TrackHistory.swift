internal import CLocomotionMath

/// The way from one fix to another at least ``TrackHistory/stepSeconds`` later.
package struct TrackStep: Sendable, StateElement {
  /// The time of the later fix.
  package var end: Timestamp
  /// The time between the fixes, seconds.
  package var seconds: Float
  /// The way to the east and to the north, metres.
  var east: Float
  var north: Float
  /// The mean and the highest of the speeds that the fixes report, m/s; negative without any.
  var meanSpeed: Float
  var highestSpeed: Float

  /// The straight way between the fixes, metres.
  var length: Float { (east * east + north * north).squareRoot() }

  package static let blank = TrackStep(
    end: .blank, seconds: 1, east: 0, north: 0, meanSpeed: -1, highestSpeed: -1)

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&end, &seconds, &east, &north, &meanSpeed)
    archive.pass(&highestSpeed)
    archive.require(seconds > 0)
  }
}

/// The course of a person by location fixes alone, as steps of five seconds or longer.
///
/// Steps make recorders alike: of a fix a second, five times a second or once a minute, the same
/// quantities are known, only less often. A leg is the part of the course with one pace: it begins
/// where the speed rose to that of a ride or a run, or fell to that of a walk for long.
///
/// The less accurate the fixes, the longer the step: the speed is known to a few metres per second.
/// Where accuracies are beyond 50 m, the part of the way that they explain is taken off, so that a
/// phone at rest that jumps between cells doesn't move; beyond 2 km a fix is left out. Where
/// positions are rounded, as for privacy, their steps are long enough for a speed to 1 m/s.
///
/// After half an hour without fixes, or when the clock is set back, the course begins anew.
///
/// - Complexity: O(1) amortised per fix; allocates in `init` only.
package struct TrackHistory: Sendable, StateArchivable {
  /// The least time between the fixes of a step, seconds, with room for the jitter of a clock.
  static let stepSeconds = 4.8
  /// Steps that are held at most.
  static let capacity = 416
  /// Steps that are forgotten at once; the rest is half an hour of the shortest.
  private static let portion = 32
  /// The silence after which nothing before is the same course, seconds.
  private static let longestSilence = 1800.0
  /// How far a time may lie before the one before and count as disorder, seconds.
  private static let longestDisorder = 60.0
  /// The least accurate fix, metres, and the least that is as good as a receiver's.
  private static let worstAccuracy = 2000.0
  private static let poorAccuracy = 50.0
  /// The sum of the accuracies of a step's fixes by its duration, m/s, at most.
  private static let worstSpeed = 8.0
  /// The same of rounded positions, whose errors are all of the way between two of them.
  private static let worstRoundedSpeed = 1.0
  /// How far a rounded position moves along one axis at least, degrees.
  private static let leastRounding = 5e-5
  /// The accuracy of a fix that states none, metres.
  private static let usualAccuracy = 8.0
  /// The highest speed that is read, m/s: beyond that of any aircraft with passengers.
  private static let highestSpeed = 1000.0
  /// The mean radius of the Earth, metres (IUGG): distances are within 0.5 %.
  private static let earthRadius = 6_371_008.8

  /// The steps, the oldest first.
  package private(set) var steps: [TrackStep] = []
  /// The number of steps that were forgotten.
  private(set) var forgotten = 0

  // The step that is not complete.
  private var anchor: LocationFix?
  private var last: LocationFix?
  private var speedSum = 0.0
  private var speedCount = 0
  private var highestSpeed = 0.0

  /// The comparisons of reported speeds with displacements, and those that were far too low.
  private var comparisons = 0
  private var contradictions = 0

  /// The changes of one coordinate in which the other stayed the same to the last digit.
  private var latitudeChanges = 0
  private var longitudeChanges = 0

  /// Whether the leg is faster than walking.
  private var isFast = false
  /// The first step of the leg, counted from the first of all.
  package private(set) var legBegin = 0
  /// Where a change of the pace began, if there is one; and for how long it has lasted, seconds.
  private var change: Int?
  private var changeSeconds: Float = 0
  /// The time without motion in it, seconds.
  private var restSeconds: Float = 0

  /// A course without fixes.
  package init() {
    steps.reserveCapacity(Self.capacity)
  }

  /// Begins anew, in the memory that there is.
  private mutating func restart() {
    var empty = steps
    steps = []
    empty.removeAll(keepingCapacity: true)
    self = TrackHistory(in: empty)
  }

  /// A course without fixes, in the memory of one that is over.
  private init(in memory: [TrackStep]) { steps = memory }

  /// The number of steps, with those that were forgotten.
  package var count: Int { forgotten + steps.count }

  /// The first step of the leg that the newest step belongs to, as an index of ``steps``.
  package var legStart: Int { max(0, legBegin - forgotten) }

  /// Whether the fixes' speeds agree with their positions: some receivers always report 0.
  package var hasConsistentSpeeds: Bool { comparisons < 3 || 2 * contradictions <= comparisons }

  /// The speed of a step, m/s: the reported one where there is a consistent one.
  func speed(of step: TrackStep) -> Float {
    hasConsistentSpeeds && step.meanSpeed >= 0 ? step.meanSpeed : step.length / step.seconds
  }

  /// Takes in the next fix; returns the duration of the step that it completes, seconds, or nil.
  package mutating func append(_ fix: LocationFix) -> Float? {
    guard abs(fix.latitude) <= 90, abs(fix.longitude) <= 180, fix.timestamp.isPlausible,
      fix.horizontalAccuracy ?? 0 <= Self.worstAccuracy
    else { return nil }
    if let last {
      let seconds = fix.timestamp.seconds(since: last.timestamp)
      if seconds < -Self.longestDisorder || seconds > Self.longestSilence { restart() }
      if seconds <= 0 && anchor != nil { return nil }
    }
    defer { last = fix }
    guard let anchor else {
      self.anchor = fix
      return nil
    }
    if let last {
      compareSpeed(of: fix, after: last)
      countChanges(from: last, to: fix)
    }
    if let speed = fix.speed, speed >= 0, speed <= Self.highestSpeed {
      speedSum += speed
      speedCount += 1
      highestSpeed = max(highestSpeed, speed)
    }
    let seconds = fix.timestamp.seconds(since: anchor.timestamp)
    let accuracies = SIMD2(
      anchor.horizontalAccuracy ?? Self.usualAccuracy, fix.horizontalAccuracy ?? Self.usualAccuracy)
    // Twice along each axis: a street goes along one.
    let isRounded = min(latitudeChanges, longitudeChanges) > 1
    let worst = isRounded ? Self.worstRoundedSpeed : Self.worstSpeed
    guard seconds >= max(Self.stepSeconds, accuracies.sum() / worst) else { return nil }
    var way = Self.way(from: anchor, to: fix)
    if accuracies.max() > Self.poorAccuracy {
      let noise = (accuracies * accuracies).sum()
      way *= max(0, 1 - noise / max(noise, (way * way).sum())).squareRoot()
    }
    let step = TrackStep(
      end: fix.timestamp, seconds: Float(seconds), east: Float(way.x), north: Float(way.y),
      meanSpeed: speedCount > 0 ? Float(speedSum / Double(speedCount)) : -1,
      highestSpeed: speedCount > 0 ? Float(highestSpeed) : -1)
    self.anchor = fix
    (speedSum, speedCount, highestSpeed) = (0, 0, 0)
    append(step)
    return step.seconds
  }

  private mutating func append(_ step: TrackStep) {
    if steps.count == Self.capacity {
      steps.removeFirst(Self.portion)
      forgotten += Self.portion
    }
    steps.append(step)
    updatePace(by: step)
  }

  /// Compares a reported speed with the way from the fix before, if that is clearly a way.
  private mutating func compareSpeed(of fix: LocationFix, after last: LocationFix) {
    guard let speed = fix.speed else { return }
    let seconds = fix.timestamp.seconds(since: last.timestamp)
    let way = Self.way(from: last, to: fix)
    let length = (way.x * way.x + way.y * way.y).squareRoot()
    let accuracy =
      (fix.horizontalAccuracy ?? Self.usualAccuracy)
      + (last.horizontalAccuracy ?? Self.usualAccuracy)
    guard seconds > 0, seconds <= 120, length > 3 * accuracy, length > 2 * seconds else { return }
    comparisons += 1
    if speed * seconds < 0.3 * length { contradictions += 1 }
    if comparisons == 1024 { (comparisons, contradictions) = (512, contradictions / 2) }
  }

  private mutating func countChanges(from last: LocationFix, to fix: LocationFix) {
    let latitude = abs(fix.latitude - last.latitude)
    let longitude = abs(fix.longitude - last.longitude)
    if longitude == 0, latitude > Self.leastRounding { latitudeChanges += 1 }
    if latitude == 0, longitude > Self.leastRounding { longitudeChanges += 1 }
  }

  /// Begins a leg where the pace changes.
  ///
  /// Faster than a walk for 15 s begins a ride or a run; slower than a jog for 45 s ends it, of
  /// which rest counts a quarter: lights and stations are part of a ride.
  private mutating func updatePace(by step: TrackStep) {
    let place = forgotten + steps.count - 1
    var pace = speed(of: step)
    if step.seconds > 20 { pace = max(pace, step.length / step.seconds) }
    guard isFast ? pace <= 2.3 : pace > 3.2 else {
      (change, changeSeconds, restSeconds) = (nil, 0, 0)
      return
    }
    if change == nil { change = place }
    changeSeconds += step.seconds
    if pace < 0.5 { restSeconds += step.seconds }
    guard changeSeconds - (isFast ? 0.75 * restSeconds : 0) >= (isFast ? 45 : 15) else { return }
    isFast.toggle()
    legBegin = change ?? place
    (change, changeSeconds, restSeconds) = (nil, 0, 0)
  }

  /// The way from `a` to `b` on the sphere, to the east and to the north, metres.
  private static func way(from a: LocationFix, to b: LocationFix) -> SIMD2<Double> {
    let radians = Double.pi / 180
    var east = b.longitude - a.longitude
    if east > 180 { east -= 360 } else if east < -180 { east += 360 }
    let shrink = cos((a.latitude + b.latitude) / 2 * radians)
    return SIMD2(east * shrink, b.latitude - a.latitude) * (radians * earthRadius)
  }

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&steps)
    archive.require(steps.count <= Self.capacity)
    archive.pass(&forgotten, &anchor, &last, &speedSum, &speedCount)
    archive.pass(&highestSpeed, &comparisons, &contradictions, &isFast, &legBegin)
    archive.pass(&change, &changeSeconds, &restSeconds, &latitudeChanges, &longitudeChanges)
    archive.require(legBegin <= forgotten + steps.count)
    if archive.isReading { steps.reserveCapacity(Self.capacity) }
  }
}
