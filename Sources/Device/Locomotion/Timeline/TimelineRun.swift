internal import CLocomotionMath
internal import LocomotionActivityRecognition
internal import LocomotionPositioning
internal import LocomotionSensing

/// What one second says: at rest, or in motion with or without a named mode.
enum TimelineLabel: Hashable, Sendable {
  case rest
  case moving(Activity?)

  /// The label of `sample`, or nil when it says neither rest nor motion.
  ///
  /// With a location the moving state decides and the activity names the mode; without one, the
  /// activity decides, because then the moving state has seen no more than it has.
  init?(_ sample: LocomotionSample) {
    let activity = sample.activity?.activity
    let mode = activity == .stationary ? nil : activity
    if sample.location == nil || sample.movingState == .uncertain, let activity {
      self = activity == .stationary ? .rest : .moving(mode)
      return
    }
    switch sample.movingState {
    case .stationary: self = .rest
    case .moving: self = .moving(mode)
    case .uncertain: return nil
    }
  }
}

/// A stretch of seconds with one label, in constant memory.
struct TimelineRun: Sendable {
  /// The lane of ``votes`` that counts rest.
  static let restLane = 6
  /// The lane of ``votes`` that counts the part of the rest that is spent in a vehicle.
  static let vehicleRestLane = 7

  // In an order that leaves few gaps: there are many runs.
  var start: Timestamp
  var end: Timestamp
  var distance: Double = 0
  var steps: Float = 0
  /// Seconds in motion by `Activity.rawValue`; lane 0, which no mode needs, counts the unnamed;
  /// then rest, then rest in a vehicle (contained in rest).
  var votes: SIMD8<Float> = .zero
  var region: TimelineRegion?
  var label: TimelineLabel
  private var climb: Float = 0
  private var descent: Float = 0
  private var climbVariance: Float = 0
  private var descentVariance: Float = 0
  /// Zero when no second knew its altitude.
  private var climbResolution: Float = 0

  init(start: Timestamp, label: TimelineLabel) {
    self.start = start
    self.end = start
    self.label = label
  }

  var duration: Double { end.seconds(since: start) }

  var restSeconds: Float { votes[Self.restLane] }

  var movingSeconds: Float { votes.sum() - votes[Self.restLane] - votes[Self.vehicleRestLane] }

  /// The mode with the most seconds, or nil when no second names one.
  var mode: Activity? {
    let best = Activity.allCases.dropFirst().reduce(Activity.walking) {
      votes[$1.rawValue] > votes[$0.rawValue] ? $1 : $0
    }
    return votes[best.rawValue] > 0 ? best : nil
  }

  /// Whether a second of `next` goes on with the run: the same kind, or motion whose mode is in
  /// doubt, which must not cut a motion into pieces that are too short to keep.
  func continues(with next: TimelineLabel) -> Bool {
    switch (label, next) {
    case (.rest, .rest), (.moving, .moving(nil)): true
    case (.moving(let mode?), .moving(let other?)): mode == other
    default: false
    }
  }

  /// Ends the run at `newEnd` and counts the time since its old end as `label` says.
  mutating func extend(to newEnd: Timestamp, as label: TimelineLabel, inVehicle: Bool) {
    let seconds = Float(newEnd.seconds(since: end))
    switch label {
    case .rest:
      votes[Self.restLane] += seconds
      if inVehicle { votes[Self.vehicleRestLane] += seconds }
    case .moving(let activity):
      votes[activity?.rawValue ?? 0] += seconds
    }
    end = newEnd
  }

  /// What was climbed and descended; nil when no second knew its altitude.
  var altitudeChange: AltitudeChange? {
    guard climbResolution > 0 else { return nil }
    var change = AltitudeChange()
    change.climb = Double(climb)
    change.descent = Double(descent)
    change.climbVariance = Double(climbVariance)
    change.descentVariance = Double(descentVariance)
    change.resolution = Double(climbResolution)
    return change
  }

  mutating func add(_ change: AltitudeChange) {
    climb += Float(change.climb)
    descent += Float(change.descent)
    climbVariance += Float(change.climbVariance)
    descentVariance += Float(change.descentVariance)
    climbResolution = max(climbResolution, Float(change.resolution))
  }

  /// Takes in the run that follows, and the label that then has the majority; a rest of at least
  /// `firmRest` seconds stays one.
  mutating func absorb(_ next: TimelineRun, firmRest: Double) {
    let isFirm = label == .rest && Double(restSeconds) >= firmRest
    let regions = [self, next].filter { $0.label == .rest }.compactMap { $0.region }
    let all = [self, next].compactMap { $0.region }
    votes += next.votes
    end = next.end
    distance += next.distance
    steps += next.steps
    if let change = next.altitudeChange { add(change) }
    if isFirm || restSeconds >= movingSeconds {
      label = .rest
      // Where the person went in passing is not where they rested.
      region = Self.union(regions.isEmpty ? all : regions)
    } else {
      label = .moving(mode)
      region = Self.union(all)
    }
  }

  private static func union(_ regions: [TimelineRegion]) -> TimelineRegion? {
    regions.dropFirst().reduce(regions.first) { $0?.united(with: $1) }
  }
}

/// A point on the Earth, degrees.
struct TimelinePoint: Sendable {
  var latitude: Double
  var longitude: Double

  /// The point of `estimate`, or nil when it isn't on the Earth or its radius says nothing.
  init?(_ estimate: LocationEstimate) {
    guard abs(estimate.latitude) <= 90, abs(estimate.longitude) <= 360,
      estimate.radius68 >= 0, estimate.radius68 <= 1e7
    else { return nil }
    latitude = estimate.latitude
    longitude = estimate.longitude
  }

  init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Metres east and north of `origin`, in its tangent plane; good to 0.1 % within 50 km.
  func offset(from origin: TimelinePoint) -> SIMD2<Double> {
    SIMD2(WGS84.wrapped(longitude - origin.longitude), latitude - origin.latitude)
      * WGS84.metresPerDegree(latitude: (latitude + origin.latitude) / 2)
  }

  /// Metres between the two points; good to 0.1 % within 50 km.
  func distance(to other: TimelinePoint) -> Double {
    let offset = other.offset(from: self)
    return (offset * offset).sum().squareRoot()
  }
}

/// Where a run was: weighted mean, scatter and bounding box, in metres around its first location.
struct TimelineRegion: Sendable {
  private(set) var origin: TimelinePoint
  /// The sum of 1/radius² over the locations.
  private var weight = 0.0
  private var count = 0.0
  private var mean: SIMD2<Double> = .zero
  /// The weighted sum of squared distances from the mean.
  private var scatter = 0.0
  private var lowest: SIMD2<Float> = .zero
  private var highest: SIMD2<Float> = .zero

  /// The region of the first location.
  init(_ point: TimelinePoint, radius: Double) {
    origin = point
    add(point, radius: radius, widens: false)
  }

  /// Takes in one location; it `widens` the bounding box only when it is good enough.
  mutating func add(_ point: TimelinePoint, radius: Double, widens: Bool) {
    let position = point.offset(from: origin)
    // A claim below one metre would let single fixes rule the mean.
    let w = 1 / max(radius * radius, 1)
    weight += w
    count += 1
    let difference = position - mean
    mean += difference * (w / weight)
    scatter += w * (difference * (position - mean)).sum()
    if widens { widen(by: SIMD2<Float>(position), SIMD2<Float>(position)) }
  }

  private mutating func widen(by low: SIMD2<Float>, _ high: SIMD2<Float>) {
    lowest = pointwiseMin(lowest, low)
    highest = pointwiseMax(highest, high)
  }

  /// Both regions together (Chan, Golub, LeVeque 1983, for the scatter).
  func united(with other: TimelineRegion) -> TimelineRegion {
    var result = self
    let shift = other.origin.offset(from: origin)
    let difference = other.mean + shift - mean
    result.weight += other.weight
    result.count += other.count
    result.mean += difference * (other.weight / result.weight)
    result.scatter +=
      other.scatter + (difference * difference).sum() * weight * other.weight / result.weight
    result.widen(
      by: other.lowest + SIMD2<Float>(shift), other.highest + SIMD2<Float>(shift))
    return result
  }

  /// The weighted mean of the locations.
  var centre: TimelinePoint {
    let degrees = mean / WGS84.metresPerDegree(latitude: origin.latitude)
    return TimelinePoint(
      latitude: min(max(origin.latitude + degrees.y, -90), 90),
      longitude: WGS84.wrapped(origin.longitude + degrees.x))
  }

  /// The radius that holds 0.68 of a circular normal distribution with the locations' scatter, or
  /// the locations' own claim when that is larger.
  var radius68: Double {
    // P(r < k·sd) = 1 − exp(−k²/2) = 0.68, and the scatter is the variance of both axes.
    let perAxis = scatter / weight / 2
    return max((perAxis * -2 * log(0.32)).squareRoot(), (count / weight).squareRoot())
  }

  /// The distance from `point` to the farthest corner of the bounding box, less the mean radius
  /// that the locations claim, metres.
  func farthestDistance(from point: TimelinePoint) -> Double {
    let shift = point.offset(from: origin)
    let low = SIMD2<Double>(lowest) - shift
    let high = SIMD2<Double>(highest) - shift
    let reach = pointwiseMax(low * low, high * high)
    return reach.sum().squareRoot() - (count / weight).squareRoot()
  }
}

extension TimelineLabel: StateElement {
  static let blank = TimelineLabel.rest

  mutating func pass(through archive: inout StateArchive) {
    var (isMoving, mode): (Bool, Activity?) = (self != .rest, nil)
    if case .moving(let own) = self { mode = own }
    archive.pass(&isMoving)
    archive.pass(caseOf: &mode)
    if archive.isReading { self = isMoving ? .moving(mode) : .rest }
  }
}

extension TimelineRun: StateElement {
  static var blank: TimelineRun { TimelineRun(start: .blank, label: .rest) }

  mutating func pass(through archive: inout StateArchive) {
    archive.pass(&start)
    archive.pass(&end)
    archive.pass(&distance)
    archive.pass(&steps)
    archive.pass(&votes)
    archive.pass(&region)
    archive.pass(&label)
    archive.pass(&climb)
    archive.pass(&descent)
    archive.pass(&climbVariance)
    archive.pass(&descentVariance)
    archive.pass(&climbResolution)
  }
}

extension TimelinePoint: StateElement {
  static let blank = TimelinePoint(latitude: 0, longitude: 0)

  mutating func pass(through archive: inout StateArchive) {
    archive.pass(&latitude)
    archive.pass(&longitude)
  }
}

extension TimelineRegion: StateElement {
  static let blank = TimelineRegion(.blank, radius: 1)

  mutating func pass(through archive: inout StateArchive) {
    archive.pass(&origin)
    archive.pass(&weight)
    archive.pass(&count)
    archive.pass(&mean)
    archive.pass(&scatter)
    archive.pass(&lowest)
    archive.pass(&highest)
  }
}
