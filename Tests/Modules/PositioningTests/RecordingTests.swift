import LocomotionPositioning
import SensorSimulator
import TestSupport
import Testing

/// Accuracy on real phones and on days with real accelerations.
///
/// The Pixel 4 drive and day 1 set the parameters, beside simulated days and scripted trips. The
/// other drive and day 2 were looked at along the way (the span over which speeds and fixes are
/// compared was settled on both drives), so they are no clean hold-out. The bounds lie a little
/// above what was measured when they were written.
@Suite(
  .enabled(if: Recording.isPresent, "the data sets are not here: set LOCOMOTION_DATASETS"),
  .serialized)
struct RealRecordingTests {
  @Test(arguments: ["20200514usmtv1_pixel4", "20200514usmtv1_pixel4xlmodded"])
  func goodFixesAreNotHarmed(_ name: String) throws {
    let recording = try Recording("gsdc_chipset/\(name)")
    let live = recording.score(.live)
    #expect(live.rmse < 1.01 * live.rawRMSE)
    #expect(live.percentile95 < 1.02 * live.rawPercentile95)
    #expect(live.maximum <= live.rawMaximum)
    #expect(live.median < 1.07 * live.rawMedian)
    #expect(live.movingError < 0.005)
    #expect(live.coverageMoving > 0.6)
    for mode in [LocationSmoother.Mode.lagged, .smoothed] {
      let score = recording.score(mode)
      #expect(score.rmse < score.rawRMSE && score.movingError < 0.002)
      #expect(score.maximum <= score.rawMaximum)
    }
  }

  @Test(arguments: ["day001", "day002"], [false, true])
  func wholeDaysAreCleanedUp(_ name: String, _ hasAccelerometer: Bool) throws {
    let recording = try Recording("days/\(name)", withAccelerometer: hasAccelerometer)
    let bounds: [(LocationSmoother.Mode, rmse: Double, p95: Double, moving: Double)] =
      hasAccelerometer
      ? [(.live, 0.47, 0.48, 0.009), (.lagged, 0.45, 0.46, 0.004), (.smoothed, 0.41, 0.45, 0.004)]
      : [(.live, 0.51, 0.54, 0.015), (.lagged, 0.48, 0.52, 0.009), (.smoothed, 0.41, 0.47, 0.009)]
    for bound in bounds {
      let score = recording.score(bound.0)
      #expect(score.rmse < bound.rmse * score.rawRMSE)
      #expect(score.percentile95 < bound.p95 * score.rawPercentile95)
      #expect(score.movingError < bound.moving)
      #expect((0.60...0.78).contains(score.coverageMoving))
      #expect((0.55...0.92).contains(score.coverageAtRest))
      #expect(score.maximum < 0.42 * score.rawMaximum)
    }
  }

  @Test func withoutAnySpeedFixesAreNotHarmedMuch() throws {
    let name = "20200514usmtv1_pixel4"
    let drive = try Recording("gsdc_chipset/\(name)", withSpeeds: false).score(.live)
    #expect(drive.rmse < 1.04 * drive.rawRMSE)
    for day in ["day001", "day002"] {
      let score = try Recording("days/\(day)", withSpeeds: false).score(.live)
      #expect(score.rmse < 0.93 * score.rawRMSE)
      #expect(score.percentile95 < 0.85 * score.rawPercentile95)
      #expect(score.movingError < 0.09)
    }
  }

  /// Positions alone, as GPX files have them, a second and more apart.
  ///
  /// An unstated accuracy is taken for 4 m, as watches have. The worst is a phone that errs by
  /// 5.5 m: it falls behind by 75 m at a light, leaps to where it is, and is not believed for 7 s.
  @Test(
    arguments: [
      "20200514usmtv1_pixel4", "20200514usmtv1_pixel4xlmodded", "20200605usmtv2_pixel4",
      "20200605usmtv2_pixel4xl",
    ], [(1.0, 1.45), (10, 1.1), (30, 1.05)])
  func positionsAloneAreFollowed(_ name: String, _ bound: (spacing: Double, ratio: Double)) throws {
    let recording = try Recording(
      "gsdc_chipset/\(name)", withSpeeds: false, withAccuracies: false, spacing: bound.spacing)
    let (live, smoothed) = (recording.score(.live), recording.score(.smoothed))
    #expect(live.rmse < bound.ratio * live.rawRMSE)
    #expect(smoothed.rmse < 1.15 * live.rawRMSE)
    #expect(live.movingError < 0.04)
  }

  /// 173 hours of phones on a table, by networks and satellites.
  @Test func whatLiesStillGoesNowhere() throws {
    let files = try Recording.names(in: "mobilitynet_gps", containing: "stationary_only")
    #expect(files.count == 16)
    for file in files {
      let fixes = try Recording.fixes("mobilitynet_gps/\(file)")
      for mode in [LocationSmoother.Mode.live, .smoothed] {
        var odometer = Odometer()
        for report in LocationSmoother().estimates(for: fixes, mode: mode) {
          if let location = report.location {
            odometer.update(with: location, state: report.moving.state)
          }
        }
        #expect(odometer.distance == 0, "\(file), \(mode) of \(fixes.count)")
      }
    }
  }
}

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
      let reports = LocationSmoother().estimates(for: fixes, mode: mode)
      for (index, report) in reports.enumerated() {
        if case .rejected = report.status { result.rejected += 1 }
        result.moving += report.moving.state == .moving ? 1 : 0
        result.wrong += report.moving.state == (moves[index] ? .moving : .stationary) ? 0 : 1
        guard let estimate = report.location else {
          result.errors.append(.infinity)
          continue
        }
        odometer.update(with: estimate, state: report.moving.state)
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
