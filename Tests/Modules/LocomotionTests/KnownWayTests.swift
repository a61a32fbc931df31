import Foundation
import Locomotion
import TestSupport
import Testing

/// Ways of known length, and what a timeline makes of the fixes that recorders keep of them.
@Suite struct KnownWayTests {
  /// A kind of way, with the largest error of its length, in percent, by rule of recording.
  ///
  /// `python3 Benchmarks/peers/lengths.py` prints the errors of more draws.
  @Test(arguments: [
    (Way.streets, Way.Rule.every(1), 2.0), (.streets, .every(5), 2), (.streets, .atTurns, 2),
    (.streets, .farther(10), 2), (.streets, .every(30), 4), (.streets, .every(60), 8),
    (.road, .every(1), 2), (.road, .every(5), 2), (.road, .atTurns, 2), (.road, .every(30), 4),
    (.road, .every(60), 6),
    (.hairpins, .every(1), 6), (.hairpins, .every(5), 6), (.hairpins, .atTurns, 6),
    (.hairpins, .every(30), 12), (.hairpins, .every(60), 15),
    (.straight, .every(1), 5), (.straight, .every(5), 5), (.straight, .every(30), 3),
    (.laps, .every(1), 3), (.laps, .every(5), 3),
  ]) func theLengthIsRightByEveryRule(kind: Way, rule: Way.Rule, limit: Double) throws {
    let trips = expectLength(of: kind.gone(pauses: 0, seed: 7), rule, within: limit)
    #expect(trips.count == 1)
  }

  @Test(arguments: [Way.streets, .road, .hairpins]) func aPauseWithoutPointsAddsNoWay(
    kind: Way
  ) throws {
    let way = kind.gone(pauses: 8, seed: 3)
    for rule in [Way.Rule.moving(1), .moving(5)] {
      expectLength(of: way, rule, within: kind == .hairpins ? 6 : 3)
    }
  }

  /// Where two counts of a pause met, a walk was two thirds too long.
  @Test(arguments: [4, 16, 19, 20, 21, 22, 40]) func noIntervalHasALengthOfItsOwn(
    interval: Int
  ) throws {
    expectLength(of: Way.road.gone(pauses: 0, seed: 5), .every(interval), within: 6)
  }

  @Test func lapsOfATrackAreNoStay() throws {
    let way = Way.laps.gone(pauses: 0, seed: 1)
    let items = timeline(of: way.fixes(.every(1)))
    #expect(items.count == 1)
    #expect(items.trips.count == 1)
  }

  /// Creeping for a minute and standing for two, 27 m a minute: the fixes of a stay don't go on.
  @Test func aTrafficJamIsNoStay() throws {
    var random = SplitMix64(seed: 4)
    var fixes: [LocationFix] = []
    var x = 0.0
    for second in stride(from: 0, to: 5_400, by: 10) {
      let isJam = (1_200..<4_200).contains(second)
      let speed = isJam ? (second / 60 % 3 == 0 ? 1.35 : 0) : 14.0
      x += speed * 10
      let error = SIMD2(random.nextNormal(), random.nextNormal()) * 3
      fixes.append(
        Way.fix(
          at: Double(second), x + error.x, error.y, accuracy: 5, speed: speed, course: 90))
    }
    let items = timeline(of: fixes)
    #expect(items.trips.count == 1)
    #expect(items.count == 1)
    #expect(abs((items.trips.first?.distance ?? 0) / x - 1) < 0.06)
  }

  /// Half a metre per second, with a minute's rest every four.
  @Test func aSlowWalkWithRestsKeepsItsMetres() throws {
    var random = SplitMix64(seed: 9)
    var fixes: [LocationFix] = []
    var (x, error) = (0.0, SIMD2<Double>.zero)
    for second in 0..<4_200 {
      let walks = (900..<3_300).contains(second) && second / 60 % 4 != 0
      x += walks ? 0.5 : 0
      error = error * 0.97 + SIMD2(random.nextNormal(), random.nextNormal()) * 0.5
      if second % 5 == 0 { fixes.append(Way.fix(at: Double(second), x + error.x, error.y)) }
    }
    let trips = timeline(of: fixes).trips
    let distance = trips.reduce(0) { $0 + ($1.distance ?? 0) }
    #expect(abs(distance / x - 1) < 0.4, "\(distance) m of \(x)")
  }

  private func timeline(of fixes: [LocationFix]) -> [TimelineItem] {
    TimelineBuilder.items(of: hindsight(of: [SensorBatch(fixes.map(Event.fix))]))
  }

  /// Expects the length of a way to within so many percent, and returns the trips that it is.
  @discardableResult
  private func expectLength(
    of way: Way.Gone, _ rule: Way.Rule, within percent: Double
  ) -> [Trip] {
    let trips = timeline(of: way.fixes(rule)).trips
    let distance = trips.reduce(0) { $0 + ($1.distance ?? 0) }
    #expect(abs(distance / way.length - 1) * 100 <= percent, "\(distance) m of \(way.length)")
    return trips
  }
}

/// A kind of way.
enum Way: Sendable {
  /// A run on a street grid, a ride on a winding road, a hike in hairpins and a straight one, laps.
  case streets, road, hairpins, straight, laps

  /// Which of a fix a second a recorder keeps.
  enum Rule: Sendable {
    case every(Int)
    case farther(Double)
    /// What a line needs to stay within 3 m of all.
    case atTurns
    /// Every so many seconds, and none in pauses.
    case moving(Int)
  }

  /// The way second by second.
  struct Gone: Sendable {
    var length = 0.0
    var positions: [SIMD2<Double>] = []
    var stood: [Bool] = []

    func fixes(_ rule: Rule) -> [LocationFix] {
      kept(rule).map { Way.fix(at: Double($0), positions[$0].x, positions[$0].y) }
    }

    private func kept(_ rule: Rule) -> [Int] {
      let last = positions.count - 1
      switch rule {
      case .every(let seconds):
        return Array(stride(from: 0, to: last, by: seconds)) + [last]
      case .moving(let seconds):
        let moving = positions.indices.filter { !stood[$0] }
        return stride(from: 0, to: moving.count, by: seconds).map { moving[$0] }
      case .farther(let metres):
        var kept = [0]
        for index in positions.indices
        where distance(positions[index], positions[kept[kept.count - 1]]) >= metres {
          kept.append(index)
        }
        return kept
      case .atTurns:
        return turns()
      }
    }

    /// Douglas and Peucker, "Algorithms for the reduction of the number of points", 1973.
    private func turns() -> [Int] {
      var kept: Set = [0, positions.count - 1]
      var parts = [(0, positions.count - 1)]
      while let (first, last) = parts.popLast() {
        var farthest = (index: first, distance: 3.0)
        for index in first..<last {
          let own = distanceToLine(positions[index], positions[first], positions[last])
          if own > farthest.distance { farthest = (index, own) }
        }
        guard farthest.index > first else { continue }
        kept.insert(farthest.index)
        parts += [(first, farthest.index), (farthest.index, last)]
      }
      return kept.sorted()
    }
  }

  private var speed: Double {
    switch self {
    case .streets: 3
    case .road: 7
    case .hairpins, .straight: 1.2
    case .laps: 3.2
    }
  }

  /// Straights and turns: a length and a curvature each.
  private func moves(_ random: inout SplitMix64) -> [(length: Double, curvature: Double)] {
    func within(_ low: Double, _ high: Double) -> Double {
      low + (high - low) * random.nextUniform()
    }
    var moves: [(length: Double, curvature: Double)] = []
    var side = 1.0
    while moves.reduce(0, { $0 + $1.length }) < (self == .road ? 20_000 : 6_000) {
      switch self {
      case .streets:
        moves.append((within(60, 200), 0))
        let turn = within(0, 1)
        if turn < 0.6 { moves.append((3 * .pi, turn < 0.3 ? 1 / 6 : -1 / 6)) }
      case .road:
        moves.append((within(50, 400), 0))
        let radius = within(30, 150)
        side = within(0, 1) < 0.5 ? 1 : -1
        moves.append((radius * within(0.3, 1.4), side / radius))
      case .hairpins:
        moves.append((within(40, 120), 0))
        moves.append((5 * within(2.6, 3.1), side / 5))
        side = -side
      case .straight: moves.append((6_000, 0))
      case .laps: moves += [(84.39, 0), (36.8 * .pi, 1 / 36.8)]
      }
    }
    return moves
  }

  /// The way with the errors of a receiver: 2.5 m that last half a minute, 0.5 m with every fix.
  func gone(pauses: Int, seed: UInt64) -> Gone {
    var random = SplitMix64(seed: seed)
    var line: [SIMD2<Double>] = [.zero]
    var heading = 0.3
    for move in moves(&random) {
      let count = max(1, Int((2 * move.length).rounded()))
      let step = move.length / Double(count)
      for _ in 0..<count {
        heading += move.curvature * step / 2
        line.append(line[line.count - 1] + step * SIMD2(cos(heading), sin(heading)))
        heading += move.curvature * step / 2
      }
    }
    var gone = Gone()
    var along = 0.0
    var next = speed / 2
    var error = SIMD2(random.nextNormal(), random.nextNormal()) * 2.5
    let kept = exp(-1.0 / 30)
    func measure(_ point: SIMD2<Double>, stood: Bool) {
      error =
        kept * error + (1 - kept * kept).squareRoot() * 2.5
        * SIMD2(random.nextNormal(), random.nextNormal())
      gone.positions.append(
        point + error + 0.5 * SIMD2(random.nextNormal(), random.nextNormal()))
      gone.stood.append(stood)
    }
    let pauseEvery = pauses > 0 ? line.count / (pauses + 1) : line.count
    for (index, pair) in zip(line, line.dropFirst()).enumerated() {
      along += distance(pair.0, pair.1)
      if along >= next {
        measure(pair.1, stood: false)
        next += speed
      }
      if index % pauseEvery == pauseEvery - 1 {
        for _ in 0..<(20 + 20 * (index / pauseEvery)) { measure(pair.1, stood: true) }
      }
    }
    gone.length = along
    return gone
  }

  /// A fix at so many metres east and north of 47° N, 8° E, by the degrees of WGS 84 there.
  static func fix(
    at second: Double, _ east: Double, _ north: Double, accuracy: Double? = nil,
    speed: Double? = nil, course: Double? = nil
  ) -> LocationFix {
    LocationFix(
      timestamp: .at(second + 1_700_000_000),
      latitude: 47 + north / 111_170.8, longitude: 8 + east / 76_056,
      horizontalAccuracy: accuracy, speed: speed, course: course)
  }
}

private func distance(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> Double {
  ((a - b) * (a - b)).sum().squareRoot()
}

private func distanceToLine(
  _ point: SIMD2<Double>, _ a: SIMD2<Double>, _ b: SIMD2<Double>
) -> Double {
  let line = b - a
  let square = (line * line).sum()
  guard square > 0 else { return distance(point, a) }
  let part = min(max(((point - a) * line).sum() / square, 0), 1)
  return distance(point, a + part * line)
}
