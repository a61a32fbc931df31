import Foundation
import LocomotionActivityRecognition
import TestSupport
import Testing

/// The course of fixes, and what is measured of it, where the results are known.
@Suite struct TrackFeatureTests {
  /// Metres per degree of the sphere that courses are measured on.
  private static let degree = 6_371_008.8 * Double.pi / 180

  private static func fix(
    _ seconds: Double, east: Double, north: Double = 0, speed: Double? = nil,
    accuracy: Double? = 5
  ) -> LocationFix {
    LocationFix(
      timestamp: .at(seconds),
      latitude: north / degree, longitude: east / degree, horizontalAccuracy: accuracy,
      speed: speed)
  }

  private static func features(of history: TrackHistory) -> (String) -> Float {
    var extractor = TrackFeatureExtractor()
    extractor.extract(from: history)
    let features = extractor.features
    return { features[TrackFeatureExtractor.schema.index(of: $0) ?? 0] }
  }

  private static func history(_ fixes: [LocationFix]) -> TrackHistory {
    var history = TrackHistory()
    for fix in fixes { _ = history.append(fix) }
    return history
  }

  @Test(arguments: [1, 5, 12, 60] as [Double])
  func steadyMotionHasOneSpeedAtEveryPeriod(period: Double) {
    let fixes = stride(from: 0, through: 600, by: period).map { Self.fix($0, east: 8 * $0) }
    let history = Self.history(fixes)
    #expect(history.steps.count == Int(600 / max(5, period)))
    let feature = Self.features(of: history)
    for part in ["recent", "leg"] {
      #expect(feature("\(part).movingShare") == 1)
      for name in ["logSpeed10", "logSpeed50", "logSpeed95", "logHighest", "logPace"] {
        #expect(abs(feature("\(part).\(name)") - Float(2.0794415)) < 1e-3, "\(part).\(name)")
      }
      #expect(abs(feature("\(part).straightness") - 1) < 1e-4)
      for name in ["speedVariation", "speedChange", "turn", "turnPerWay", "sideways"] {
        #expect(abs(feature("\(part).\(name)")) < 2e-3, "\(part).\(name)")
      }
    }
    #expect(feature("leg.corners") == 0)
  }

  @Test func aSquareHasACornerPerSide() {
    // 40 m a side, 4 m/s: a corner every second step of five seconds.
    var fixes: [LocationFix] = []
    for second in 0...400 {
      let (side, rest) = (4 * second / 40 % 4, Double(4 * second % 40))
      let (east, north) = [(rest, 0), (40, rest), (40 - rest, 40), (0, 40 - rest)][side]
      fixes.append(Self.fix(Double(second), east: east, north: north))
    }
    let feature = Self.features(of: Self.history(fixes))
    #expect(feature("leg.corners") == 6)
    #expect(abs(feature("leg.turn") - .pi / 4) < 0.02)
    #expect(abs(feature("leg.largeTurn") - .pi / 2) < 0.01)
    #expect(feature("leg.straightness") < 0.05)
  }

  @Test func stationsAreSpacedByTheWayBetweenThem() {
    // 100 s at 10 m/s, 30 s of rest.
    let fixes = (0...1_300).map { second in
      let (lap, rest) = second.quotientAndRemainder(dividingBy: 130)
      return Self.fix(Double(second), east: Double(1_000 * lap + 10 * min(100, rest)))
    }
    let feature = Self.features(of: Self.history(fixes))
    #expect(abs(feature("leg.logSpacing") - Float(6.9077554)) < 0.01)
    #expect(abs(feature("leg.movingShare") - 100 / 130) < 0.01)
    #expect(feature("leg.unsteadiness") < 0.01)
  }

  @Test func aRideBeginsALegAndAWalkEndsIt() {
    var (fixes, east) = ([LocationFix](), 0.0)
    for second in 0...900 {
      // A walk, a ride with a light of 30 s, a walk.
      let speed = second < 300 || second >= 700 ? 1.3 : (450..<480).contains(second) ? 0 : 9
      east += speed
      fixes.append(Self.fix(Double(second), east: east))
    }
    var history = TrackHistory()
    var legs: [Int] = []
    for fix in fixes where history.append(fix) != nil {
      if legs.last != history.legBegin { legs.append(history.legBegin) }
    }
    #expect(legs.count == 3)
    #expect(zip(legs, [0, 60, 140]).allSatisfy { abs($0 - $1) <= 1 })
  }

  @Test func speedsThatContradictThePositionsAreNotBelieved() {
    let zero = Self.history((0...100).map { Self.fix(Double($0), east: 40 * Double($0), speed: 0) })
    #expect(!zero.hasConsistentSpeeds)
    #expect(abs(Self.features(of: zero)("leg.logSpeed50") - Float(3.6888795)) < 1e-3)
    let right = Self.history(
      (0...100).map { Self.fix(Double($0), east: 40 * Double($0), speed: 39) })
    #expect(right.hasConsistentSpeeds)
    #expect(abs(Self.features(of: right)("leg.logSpeed50") - Float(3.6635616)) < 1e-3)
  }

  @Test func degenerateFixesGiveFiniteFeatures() {
    var random = SplitMix64(seed: 3)
    var history = TrackHistory()
    var extractor = TrackFeatureExtractor()
    var time = 0.0
    for index in 0..<5_000 {
      time += [0, 0, 1, 5, 60, -3, -100, 4_000][Int(random.nextUniform() * 7.99)]
      var fix = Self.fix(
        time, east: 1e7 * random.nextNormal(), north: 4e6 * random.nextNormal(),
        speed: index % 3 == 0 ? 1e6 : nil, accuracy: index % 5 == 0 ? 3_000 : nil)
      if index % 7 == 0 { fix.latitude = .nan }
      if index % 11 == 0 { fix.longitude = .infinity }
      if index % 13 == 0 { fix.speed = .nan }
      guard let seconds = history.append(fix) else { continue }
      #expect(seconds >= 4.8)
      extractor.extract(from: history)
      #expect(extractor.features.allSatisfy { $0.isFinite })
    }
  }

  @Test func aCourseHoldsHalfAnHourAndNoMore() {
    var history = TrackHistory()
    for second in 0..<20_000 {
      _ = history.append(Self.fix(Double(second), east: Double(second)))
      #expect(history.steps.count <= 512)
    }
    #expect(history.count == 3_999)
    #expect(history.steps.count >= 360)
    #expect(history.legStart == 0)
  }

  @Test func aCourseIsAStage() {
    let fixes = (0..<4_000).map { second in
      let time = Double(second)
      let east: Double = 3 * time + 40 * sin(time / 50)
      return Self.fix(time, east: east, speed: Double(second % 5))
    }
    let broken = checkStage(TrackHistory(), fixes, into: [Float]()) {
      for fix in $1 { $2.append($0.append(fix) ?? -1) }
    }
    #expect(broken == [])
  }
}
