import Foundation

/// The person's position at any instant of a scenario: one knot per second, cubic interpolation.
struct Trajectory: Sendable {
  struct Knot: Sendable {
    /// Metres east and north of the start.
    var position = SIMD2<Double>.zero
    /// Metres per second east and north.
    var velocity = SIMD2<Double>.zero
    var latitude = 0.0, longitude = 0.0
  }

  /// The state between knots.
  struct State {
    var latitude: Double, longitude: Double
    var velocity: SIMD2<Double>
    /// Along and to the left of the direction of travel, m/s².
    var acceleration: SIMD2<Double>

    var speed: Double { (velocity * velocity).sum().squareRoot() }
  }

  /// Knot k is k seconds after the start.
  private(set) var knots: [Knot] = []
  /// The second at which each leg starts, and the end of the last one.
  private(set) var legStarts: [Int] = [0]

  init(_ scenario: Scenario) {
    var random = RandomStream(seed: scenario.seed, stream: 1)
    var places: [String: SIMD2<Double>] = [:]
    knots = [Knot(latitude: scenario.latitude, longitude: scenario.longitude)]
    if let name = scenario.placeAtStart { places[name] = .zero }
    for (index, leg) in scenario.legs.enumerated() {
      let entersMoving = index > 0 && scenario.legs[index - 1].flows(into: leg)
      let leavesMoving =
        index + 1 < scenario.legs.count && leg.flows(into: scenario.legs[index + 1])
      let before = knots[knots.count - 1]
      var path = Self.path(
        of: leg, startSpeed: entersMoving ? speed(atKnot: knots.count - 1) : 0,
        leavesMoving: leavesMoving, &random)
      let target: SIMD2<Double>?
      if let name = leg.destination {
        guard let place = places[name] else {
          preconditionFailure("expected a place that mark(_:) has named, got \(name)")
        }
        target = place - before.position
      } else {
        target = nil
      }
      Self.turn(&path, heading: leg.heading, target: target)
      for knot in path.dropFirst() {
        append(Knot(position: before.position + knot.position, velocity: knot.velocity))
      }
      if !leavesMoving { knots[knots.count - 1].velocity = .zero }
      legStarts.append(knots.count - 1)
      if let name = leg.placeAtEnd { places[name] = knots[knots.count - 1].position }
    }
  }

  /// The whole scenario's length in seconds.
  var duration: Double { Double(knots.count - 1) }

  private mutating func append(_ knot: Knot) {
    let last = knots[knots.count - 1]
    let step = Self.degrees(knot.position - last.position, at: last.latitude)
    var knot = knot
    knot.latitude = last.latitude + step.y
    knot.longitude = last.longitude + step.x
    knots.append(knot)
  }

  /// Degrees of (longitude, latitude) that correspond to metres (east, north) on WGS 84.
  static func degrees(_ metres: SIMD2<Double>, at latitude: Double) -> SIMD2<Double> {
    let eccentricity = 0.006_694_379_990_14
    let sine = sin(latitude * .pi / 180)
    let root = (1 - eccentricity * sine * sine).squareRoot()
    let normal = 6_378_137 / root
    let meridian = normal * (1 - eccentricity) / (root * root)
    let perRadian = SIMD2(normal * cos(latitude * .pi / 180), meridian)
    return metres / perRadian * (180 / .pi)
  }

  /// A leg from the origin, before its rotation: heading near 0, one knot per second.
  private static func path(
    of leg: Leg, startSpeed: Double, leavesMoving: Bool, _ random: inout RandomStream
  ) -> [Knot] {
    let seconds = Int(leg.duration)
    guard leg.speed > 0 else { return Array(repeating: Knot(), count: seconds + 1) }
    let substeps = 10
    let interval = 1 / Double(substeps)
    var speedDrift = GaussMarkov(&random)
    var headingDrift = GaussMarkov(&random)
    let isVehicle = leg.motion.isVehicle
    let largestLateral = leg.motion == .rail ? 0.6 : isVehicle ? 2.2 : 1.5
    var (speed, heading, corner) = (startSpeed, 0.0, 0.0)
    var untilTurn = leg.turnInterval.map { $0 * random.uniform(0.5...1.5) } ?? .infinity
    var position = SIMD2<Double>.zero
    var knots = [Knot(velocity: SIMD2(0, startSpeed))]
    for step in 1...(seconds * substeps) {
      let variation = isVehicle ? 0.08 : leg.motion == .bicycle ? 0.08 : 0.02
      let target =
        leg.speed
        * (1 + variation * speedDrift.advance(interval, timeConstant: 15, &random))
      let change = leg.acceleration * interval
      speed = min(max(target, speed - change), speed + change)
      if !leavesMoving {
        speed = min(speed, leg.acceleration * (leg.duration - Double(step) * interval))
      }
      untilTurn -= interval
      if untilTurn <= 0 {
        untilTurn = (leg.turnInterval ?? .infinity) * random.uniform(0.5...1.5)
        // Streets alternately deviate from the direction of the destination and return to it.
        corner = corner == 0 ? random.uniform(0.5...1.4) * (random.happens(0.5) ? 1 : -1) : 0
      }
      let turnRate = min(0.7, largestLateral / max(speed, 0.5))
      heading += min(max(corner - heading, -turnRate * interval), turnRate * interval)
      let drift =
        (isVehicle ? 0.01 : 0.05)
        * headingDrift.advance(interval, timeConstant: 8, &random)
      let velocity = speed * SIMD2(sin(heading + drift), cos(heading + drift))
      position += velocity * interval
      if step % substeps == 0 { knots.append(Knot(position: position, velocity: velocity)) }
    }
    return knots
  }

  /// Rotates and, for a target, scales a path about its first knot, to the requested end.
  private static func turn(_ path: inout [Knot], heading: Double, target: SIMD2<Double>?) {
    let end = path[path.count - 1].position
    let square = (end * end).sum()
    guard square > 1e-6 else { return }
    let length = square.squareRoot()
    let wanted =
      target ?? length * SIMD2(sin(heading * .pi / 180), cos(heading * .pi / 180))
    // As complex numbers: wanted / end.
    let turn = SIMD2((wanted * end).sum(), wanted.y * end.x - wanted.x * end.y) / square
    func turned(_ v: SIMD2<Double>) -> SIMD2<Double> {
      SIMD2(v.x * turn.x - v.y * turn.y, v.x * turn.y + v.y * turn.x)
    }
    for index in path.indices {
      path[index].position = turned(path[index].position)
      path[index].velocity = turned(path[index].velocity)
    }
  }

  /// The speed at a knot, or at the last one beyond the end.
  func speed(atKnot knot: Int) -> Double {
    let velocity = knots[min(knot, knots.count - 1)].velocity
    return (velocity * velocity).sum().squareRoot()
  }

  /// The state `seconds` after the start.
  func state(at seconds: Double) -> State {
    let clamped = min(max(seconds, 0), duration)
    let index = min(Int(clamped), max(0, knots.count - 2))
    guard index + 1 < knots.count else {
      return State(
        latitude: knots[0].latitude, longitude: knots[0].longitude, velocity: .zero,
        acceleration: .zero)
    }
    let (left, right) = (knots[index], knots[index + 1])
    let t = clamped - Double(index)
    // Cubic Hermite: value and slope at both knots, which are one second apart.
    let chord = right.position - left.position
    let second = 3 * chord - 2 * left.velocity - right.velocity
    let third = left.velocity + right.velocity - 2 * chord
    let offset = t * (left.velocity + t * (second + t * third))
    let velocity = left.velocity + t * (2 * second + 3 * t * third)
    let degrees = Self.degrees(offset, at: left.latitude)
    let force =
      (1 - t) * acceleration(at: index) + t * acceleration(at: index + 1)
    return State(
      latitude: left.latitude + degrees.y, longitude: left.longitude + degrees.x,
      velocity: velocity, acceleration: force)
  }

  /// The acceleration along and to the left of the direction of travel at a knot, by central
  /// differences.
  func acceleration(at knot: Int) -> SIMD2<Double> {
    let index = min(knot, knots.count - 1)
    let (before, after) = (max(index - 1, 0), min(index + 1, knots.count - 1))
    let change =
      (knots[after].velocity - knots[before].velocity) / Double(max(after - before, 1))
    var direction = knots[index].velocity
    if (direction * direction).sum() < 0.04 {
      direction = knots[after].velocity + knots[before].velocity
    }
    let square = (direction * direction).sum()
    guard square > 1e-6 else { return .zero }
    direction /= square.squareRoot()
    return SIMD2((change * direction).sum(), change.y * direction.x - change.x * direction.y)
  }
}
