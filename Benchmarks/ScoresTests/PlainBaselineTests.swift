import BenchmarkScores
import LocomotionPositioning
import LocomotionSensing
import Testing

struct PlainBaselineTests {
  private let script = TrackScript()

  // MARK: Raw fixes

  private let baselines: [any LocationBaseline] =
    [RawFixes()] + LocationEvaluation.Baselines.all.tracks

  @Test func rawFixesAreUnchanged() {
    let fixes = [
      script.fix(0, east: 3, accuracy: 7, speed: 0.5), script.fix(1, accuracy: nil, speed: 0.51),
      script.fix(2),
    ]
    let points = RawFixes().points(for: fixes)
    #expect(points.map { $0?.latitude } == fixes.map { $0.latitude })
    #expect(points.map { $0?.radius68 } == [7, nil, 10])
    #expect(points.map { $0?.movingState } == [.stationary, .moving, .stationary])
  }

  @Test func invalidPositionsHaveNoPointInAnyBaseline() {
    let bad = [(0.0, 0.0), (91, 5), (.nan, 5), (5, .infinity), (5, 400)].enumerated().map {
      LocationFix(
        timestamp: TrackScript.time(1 + Double($0)), latitude: $1.0, longitude: $1.1,
        horizontalAccuracy: 5, speed: 2)
    }
    let fixes = [script.fix(0, speed: 2)] + bad + [script.fix(10, speed: 2)]
    for baseline in baselines where !(baseline is LocationTrackerThresholds) {
      let points = baseline.points(for: fixes)
      #expect(points.map { $0 != nil } == [true] + bad.map { _ in false } + [true])
    }
    let reports = LocationTrackerThresholds().points(for: fixes)
    #expect(reports.allSatisfy { $0?.latitude == fixes[0].latitude })
  }

  @Test func everyBaselineGivesOneFinitePointPerFix() {
    let fixes = (0..<300).map { (k: Int) -> LocationFix in
      let accuracy: Double? = k % 7 == 0 ? nil : Double(1 + k % 50)
      let speed: Double? = k % 5 == 0 ? nil : Double(k % 9)
      let course: Double? = k % 3 == 0 ? nil : Double(k % 360)
      return script.fix(
        Double(k / 2), east: Double(k * k % 977), north: Double(k * 31 % 89), accuracy: accuracy,
        speed: speed, course: course)
    }
    for baseline in baselines {
      #expect(baseline.points(for: []).isEmpty)
      let points = baseline.points(for: fixes)
      #expect(points.count == fixes.count)
      for point in points.compactMap({ $0 }) {
        #expect(abs(point.latitude) <= 90 && point.longitude.isFinite)
        #expect(point.radius68.map { $0.isFinite && $0 >= 0 } ?? true)
      }
    }
    #expect(Set(baselines.map(\.name)).count == 9)
  }

  // MARK: Median of five

  @Test func medianKeepsLinesAndRemovesTwoSpikes() {
    var fixes = (0..<20).map { script.fix(Double($0), north: 10 * Double($0)) }
    let line = fixes
    fixes[7] = script.fix(7, east: 500, north: 70)
    fixes[9] = script.fix(9, east: -300, north: 90)
    let points = MedianOfFive().points(for: fixes)
    for (index, point) in points.enumerated() {
      guard let point else {
        Issue.record("no point at \(index)")
        continue
      }
      // A parallel curves away from the plane: 2 cm at 500 m.
      let wanted = line[index]
      #expect(abs(point.latitude - wanted.latitude) < 3e-7, "\(index)")
      #expect(abs(script.position(point).x) < 0.1, "\(index)")
    }
  }

  @Test func theMedianWindowIsCentred() {
    let fixes = [0.0, 50, 0, 0, 0].enumerated().map { script.fix(Double($0), north: $1) }
    let points = MedianOfFive().points(for: fixes).compactMap { $0.map { script.position($0).y } }
    // The first is unchanged, the second is the median of three.
    #expect(points.count == 5 && points.allSatisfy { abs($0) < 1e-6 })
    let edge = [50.0, 0, 0].enumerated().map { script.fix(Double($0), north: $1) }
    let first = MedianOfFive().points(for: edge)[0].map { script.position($0).y }
    #expect(first.map { abs($0 - 50) < 1e-6 } ?? false)
  }

  @Test func medianCrossesTheAntimeridian() {
    let longitudes = [179.998, 179.999, -180, -179.999, -179.998]
    let fixes = longitudes.enumerated().map {
      LocationFix(timestamp: TrackScript.time(Double($0)), latitude: 10, longitude: $1)
    }
    let middle = MedianOfFive().points(for: fixes)[2]
    #expect(middle.map { abs(abs($0.longitude) - 180) < 1e-9 } ?? false)
  }

  // MARK: Acceptance rules

  @Test(
    arguments: [
      (19.9, 1.1, true), (20, 5, false), (19.9, 1, false), (5, 100, false), (5, 99.9, true),
      (nil, 5, true), (5, nil, false), (5, 0, false),
    ] as [(Double?, Double?, Bool)])
  func cleaningIsStrictOnBothSides(accuracy: Double?, speed: Double?, keeps: Bool) {
    let fix = script.fix(0, accuracy: accuracy, speed: speed)
    #expect(CyfaceCleaning.keeps(fix) == keeps)
    #expect((CyfaceCleaning().points(for: [fix])[0] != nil) == keeps)
  }

  @Test func trackerReportsAfter15MetresAndMoreThan15Seconds() {
    let fixes = [
      script.fix(0, accuracy: 30), script.fix(1, accuracy: 25), script.fix(10, east: 500),
      script.fix(16, east: 500), script.fix(16.5, east: 14.9), script.fix(17, east: 15.1),
      script.fix(40, east: 900, accuracy: 25.1), script.fix(41, east: 900, accuracy: nil),
      script.fix(42, east: 1_000),
    ]
    let east = LocationTrackerThresholds().points(for: fixes).map { $0.map(script.position)?.x }
    let expected = [nil, 0, 0, 0, 0, 15.1, 15.1, 15.1, 1_000]
    for (found, wanted) in zip(east, expected) {
      #expect((found == nil) == (wanted == nil) && abs((found ?? 0) - (wanted ?? 0)) < 1e-6)
    }
  }
}
