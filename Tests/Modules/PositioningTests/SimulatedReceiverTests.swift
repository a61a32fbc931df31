import LocomotionPositioning
import LocomotionSensing
import SensorSimulator
import Testing

/// Simulated receivers that scatter, drag and leave things out, against the true path.
///
/// The bounds are a little above what was measured when they were written.
@Suite struct SimulatedReceiverTests {
  /// The fixes of a recording, and the truth at each.
  private struct Track {
    var fixes: [LocationFix] = []
    var places: [(latitude: Double, longitude: Double)] = []
    var moves: [Bool] = []
    /// The length of the true path, metres.
    var length = 0.0

    init(_ scenario: Scenario, _ faults: [SensorFault], seed: UInt64) {
      let recording = scenario.recording()
      let truth = recording.truth()
      let start = recording.span.lowerBound
      var injector = FaultInjector(faults, seed: seed, start: start)
      for batch in recording.batches(everySeconds: 60) { fixes += injector.damaged(batch).fixes }
      fixes.removeAll { fix in
        let seconds = fix.timestamp.seconds(since: start)
        return seconds < 0 || Int(seconds) + 1 >= truth.count
      }
      for fix in fixes {
        let seconds = fix.timestamp.seconds(since: start)
        let (a, b) = (truth[Int(seconds)], truth[Int(seconds) + 1])
        let part = seconds - Double(Int(seconds))
        places.append(
          (
            a.latitude + part * (b.latitude - a.latitude),
            a.longitude + part * (b.longitude - a.longitude)
          ))
        moves.append(a.isMoving)
      }
      length = zip(truth, truth.dropFirst()).reduce(0) { sum, pair in
        sum
          + Geodesic(
            from: (pair.0.latitude, pair.0.longitude), to: (pair.1.latitude, pair.1.longitude)
          ).distance
      }
    }

    func error(_ latitude: Double, _ longitude: Double, at index: Int) -> Double {
      Geodesic(from: places[index], to: (latitude, longitude)).distance
    }

    var rawErrors: [Double] {
      fixes.indices.map { error(fixes[$0].latitude, fixes[$0].longitude, at: $0) }
    }

    /// What a mode makes of the track.
    func result(_ mode: LocationSmoother.Mode) -> Result {
      var result = Result()
      var odometer = Odometer()
      let rows = LocationSmoother().estimates(for: fixes, mode: mode)
      for (index, row) in rows.enumerated() {
        if case .rejected = row.status { result.rejected += 1 }
        result.moving += row.moving.state == .moving ? 1 : 0
        result.wrong += row.moving.state == (moves[index] ? .moving : .stationary) ? 0 : 1
        guard let estimate = row.estimate else {
          result.errors.append(.infinity)
          continue
        }
        odometer.update(with: estimate, state: row.moving.state)
        let error = error(estimate.latitude, estimate.longitude, at: index)
        result.errors.append(error)
        result.inside += error <= estimate.radius68 ? 1 : 0
      }
      result.distance = odometer.distance
      return result
    }
  }

  private struct Result {
    var errors: [Double] = []
    var (rejected, moving, wrong, inside) = (0, 0, 0, 0)
    var distance = 0.0

    func fraction(_ count: Int) -> Double { Double(count) / Double(errors.count) }
  }

  private static func percentile95(_ errors: [Double]) -> Double {
    errors.sorted()[errors.count * 95 / 100]
  }

  /// Phones of which only the fixes count.
  private static var receiver: SimulatedPhone {
    var phone = SimulatedPhone()
    phone.sampleRate = 20
    return phone
  }

  /// Houses scatter the positions by tens of metres, and the accuracies don't tell.
  @Test func scatteredPositionsAreHeldTogetherByTheirSpeeds() {
    var (live, hindsight, raw): ([Double], [Double], [Double]) = ([], [], [])
    var inside = 0
    for seed in UInt64(1)...6 {
      let scenario = Scenario(seed: seed, phone: Self.receiver)
        .drive(.minutes(3), speed: 8, sky: .urban).stop(.seconds(30))
        .drive(.minutes(3), speed: 10, heading: 90, sky: .urban)
      let track = Track(scenario, [.scatter(deviation: 16, timeConstant: 12)], seed: seed)
      let result = track.result(.live)
      live += result.errors
      inside += result.inside
      hindsight += track.result(.smoothed).errors
      raw += track.rawErrors
    }
    let bound = Self.percentile95(raw)
    #expect(Self.percentile95(live) < 0.85 * bound)
    #expect(Self.percentile95(hindsight) < 0.7 * bound)
    #expect(Double(inside) > 0.4 * Double(live.count))
  }

  /// A receiver drags its position to the side and snaps back.
  ///
  /// Where its speed agreed, that is over two fixes later, and hindsight undoes it. Where it did
  /// not, velocities err too, and the estimate goes along for a part of the way.
  @Test(arguments: [(9.0, 75.0, true), (3, 15, true), (15, 40, false), (6, 60, false)])
  func draggedPositionsAreGivenUpAtOnce(_ seconds: Double, _ metres: Double, _ agrees: Bool) {
    for seed in UInt64(1)...4 {
      var phone = Self.receiver
      phone.accuracySpread = 0
      let scenario = Scenario(seed: seed, phone: phone)
        .drive(.minutes(5), speed: 20, turning: nil, sky: .open)
      let end = 150 + seconds
      let track = Track(
        scenario,
        [.drag(from: 150, to: end, metres: metres, bearing: 90, agrees: agrees)], seed: seed)
      let after = track.fixes.indices.filter {
        let time = track.fixes[$0].timestamp.seconds(since: scenario.start)
        return time >= end + (agrees ? 2 : 10) && time < end + 30
      }
      let live = track.result(.live).errors
      let hindsight = track.result(.smoothed).errors
      #expect(after.allSatisfy { live[$0] < 12 })
      #expect(hindsight.allSatisfy { $0 < (agrees ? 20 : 0.95 * metres) })
    }
  }

  /// Hikes as most files have them: positions and times alone, one to sixty seconds apart.
  @Test(arguments: [1.0, 2, 5, 10, 20, 30, 60], [0.8, 1.2])
  func hikesWithoutSpeedsAndAccuraciesAreHikes(_ interval: Double, _ speed: Double) {
    let scenario = Scenario(seed: UInt64(interval) + 3, phone: Self.receiver)
      .walk(.minutes(25), speed: speed, heading: 40).stand(.minutes(8))
      .walk(.minutes(30), speed: speed, heading: 100).stand(.minutes(12))
      .walk(.minutes(20), speed: speed, heading: 200)
    let track = Track(scenario, [.positionsOnly, .sparse(seconds: interval)], seed: 1)
    let result = track.result(.smoothed)
    let share = track.moves.reduce(0) { $0 + ($1 ? 1 : 0) }
    #expect(abs(result.fraction(result.moving) - result.fraction(share)) < 0.1)
    // A chord of a minute is shorter than the way.
    #expect(abs(result.distance / track.length - 1) < (interval < 60 ? 0.05 : 0.09))
    #expect(result.fraction(result.rejected) < 0.02)
  }
}
