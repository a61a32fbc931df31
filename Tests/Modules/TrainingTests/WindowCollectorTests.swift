import Foundation
import LocomotionActivityRecognition
import LocomotionRecordings
import LocomotionSensing
import LocomotionTraining
import TestSupport
import Testing

struct WindowCollectorTests {
  private let folder = ScratchFolder()

  /// A data set of one recording at 100 Hz on disk, in place of the one before.
  private func makeDataset(
    labels: String, seconds: Double = 60, skipping gap: Range<Double>? = nil,
    fixes: String? = nil, unit: Double = 1, ratesAt hasRates: ((Double) -> Bool)? = nil
  ) throws -> LabelledDataset {
    var generator = SplitMix64(seed: 31)
    var text = "t,ax,ay,az\(hasRates == nil ? "" : ",gx,gy,gz")\n"
    for index in 0..<Int(seconds * 100) {
      let t = Double(index) / 100
      let noise = generator.nextNormal()
      if gap?.contains(t) == true { continue }
      text += "\(t),\(0.1 * noise / unit),\(noise / unit),\((9.8 + noise) / unit)"
      if let hasRates { text += hasRates(t) ? ",\(noise),0,\(-noise)" : ",,," }
      text += "\n"
    }
    try folder.write(text, to: "r.csv")
    try folder.write("recording,subject,start,end,label\n" + labels, to: "labels.csv")
    if let fixes {
      try folder.write("t,lat,lon,alt,hacc,speed,course\n" + fixes, to: "r.gps.csv")
    }
    return try LabelledDataset(folder: folder.path)
  }

  private func collected(
    _ dataset: LabelledDataset, _ collector: WindowCollector = .init()
  ) throws -> (set: TrainingSet, report: WindowCollector.Report) {
    var collector = collector
    let report = try collector.collect(dataset)
    return (collector.set, report)
  }

  @Test func windowsLieFullyInsideOneInterval() throws {
    let labels = "r,anna,10,30,walking\nr,anna,30,36,running\n"
    let (set, report) = try collected(makeDataset(labels: labels))
    // 20 s hold 2000 samples: starts at 0, 256, … 1536, seven; 6 s hold one.
    #expect(set.activities.count { $0 == .walking } == 7)
    #expect(set.activities.count { $0 == .running } == 1)
    #expect(report.windows == 8)
    for row in 0..<set.count {
      let interval: ClosedRange<Double> =
        set.activities[row] == .walking ? 10...30 : 30...36
      #expect(interval.contains(set.ends[row].seconds))
      // In whole nanoseconds: 33.84 − 3.84 isn't 30 in binary.
      let start = set.ends[row].advanced(byNanoseconds: -3_840_000_000)
      #expect(interval.contains(start.seconds))
    }
    #expect(set.origin(ofRow: 0).person == "anna")
    #expect(set.origin(ofRow: 0).recording == "r")
  }

  /// Windows end at 13.84, 16.40, 18.96, 21.52, 24.08, 26.64 and 29.20 s; the rates are of the
  /// 5.12 s before, as far as those are labelled.
  @Test func aRecordingInAnotherUnitIsLeftOut() throws {
    let labels = "r,anna,10,30,walking\n"
    let (set, report) = try collected(makeDataset(labels: labels, unit: 9.80665))
    #expect(set.count == 0 && report.recordingsWithoutGravity == 1 && report.recordings == 0)
    #expect(try collected(makeDataset(labels: labels)).report.recordingsWithoutGravity == 0)
  }

  @Test func onlyWindowsWithRatesThroughoutHaveRotationFeatures() throws {
    let labels = "r,anna,10,30,walking\n"
    let partly = try makeDataset(labels: labels, ratesAt: { !(15.3..<19.3).contains($0) })
    let set = try collected(partly, .init(augmentation: .standard)).set
    let evaluated = (0..<set.count).filter { set.origin(ofRow: $0).isAsRecorded }
    let described = evaluated.map { set.rotation(ofRow: $0) != nil }
    #expect(described == [false, false, false, false, false, true, true])
    #expect(set.count > 7)
    let copies = (0..<set.count).filter { !evaluated.contains($0) }
    #expect(copies.allSatisfy { set.rotation(ofRow: $0) == nil })
    #expect(try collected(makeDataset(labels: labels)).set.rotationFeatures.isEmpty)
    let whole = try collected(makeDataset(labels: labels, ratesAt: { _ in true })).set
    let power = try #require(RotationFeatureExtractor.schema.index(of: "rotation.logPower"))
    #expect(whole.rotation(ofRow: 0) == nil)
    for row in 1..<whole.count {
      let features = Array(try #require(whole.rotation(ofRow: row)))
      // Noise of 1 rad²/s² on two axes; a cell is the mean of two samples, which halves it.
      #expect(abs(features[power]) < 0.3)
    }
  }

  @Test func aWindowHasTheNewestSpeedBeforeItsEnd() throws {
    // Windows end at 13.84, 16.40, 18.96, 21.52, 24.08, 26.64 and 29.20 s.
    let fixes = """
      9.0,47,8,,5,1.25,
      16.0,47,8,,5,1.5,
      17.0,47,8,,5,,
      18.0,47,8,,5,2.5,

      """
    let labels = "r,anna,10,30,walking\n"
    let silent = try collected(makeDataset(labels: labels)).set
    #expect(silent.speeds == Array(repeating: nil, count: 7))
    let set = try collected(makeDataset(labels: labels, fixes: fixes)).set
    // The fix at 17 s has no speed; that of 18 s is older than eight seconds in the end.
    #expect(set.speeds == [1.25, 1.5, 2.5, 2.5, 2.5, nil, nil])
    #expect(set.rows([1, 5]).speeds == [1.5, nil])
    var twice = set
    twice.append(contentsOf: set)
    #expect(twice.speeds == set.speeds + set.speeds)
  }

  @Test func labelsWithoutAnActivityAreSkipped() throws {
    let (set, report) = try collected(makeDataset(labels: "r,anna,10,30,dancing\n"))
    #expect(set.count == 0)
    #expect(report.recordings == 0)
  }

  @Test func noWindowCrossesAGap() throws {
    let set = try collected(makeDataset(labels: "r,anna,0,60,walking\n", skipping: 20..<25)).set
    for row in 0..<set.count {
      let end = set.ends[row].seconds
      #expect(end <= 20 || end - 3.84 >= 25)
    }
  }

  @Test func augmentedCopiesAreMarkedAndReproducible() throws {
    let dataset = try makeDataset(labels: "r,anna,10,30,walking\n")
    let collector = WindowCollector(augmentation: .standard)
    let (set, report) = try collected(dataset, collector)
    #expect(report.windows == 7)
    #expect(report.augmentedWindows == set.count - 7)
    let variants = Set(set.origins.map(\.variant))
    #expect(
      variants == [
        "", "gait", "soft walk", "slow walk", "smooth walk", "hand", "slow sensor",
        "very slow sensor", "swung", "swung hard",
      ])
    #expect(try collected(dataset, collector).set == set)
    let other = WindowCollector(augmentation: .standard, seed: 2)
    #expect(try collected(dataset, other).set != set)
    // The originals don't depend on the copies.
    let plain = try collected(dataset).set
    #expect(set.filter { _, origin in origin.isAsRecorded } == plain)
  }

  @Test func aShortStretchIsMirroredForTrainingOnly() throws {
    let dataset = try makeDataset(labels: "r,anna,10,13,walking\nr,anna,20,21,walking\n")
    let (set, report) = try collected(dataset)
    #expect(report.windows == 0 && report.augmentedWindows == 1)
    #expect(set.origins.map(\.variant) == ["mirrored"])
    #expect(!set.origin(ofRow: 0).isAsRecorded)
  }

  @Test func stairsAreTrainedOnAsWalkingAndNotEvaluated() throws {
    let (set, report) = try collected(makeDataset(labels: "r,anna,10,30,stairs\n"))
    #expect(report.windows == 0 && report.augmentedWindows == 7)
    #expect(set.activities.allSatisfy { $0 == .walking })
    #expect(set.origins.map(\.variant) == ["stairs"])
  }
}

struct RealRecordingsTests {
  /// Twelve people of two sets, sitting, walking, running, cycling and driving.
  @Test(
    .enabled(
      if: TestFiles.datasets != nil, "the recordings are absent: set LOCOMOTION_DATASETS"))
  func unseenPeopleOfRealSetsAreClassified() throws {
    let folder = try #require(TestFiles.datasets)
    var collector = WindowCollector()
    for name in ["ml4qs_mika", "difronzo"] {
      let dataset = try LabelledDataset(folder: folder.appendingPathComponent(name).path)
      try collector.collect(dataset)
    }
    let set = collector.set
    #expect(set.countsBySubject.count == 12)
    let heldOut = try HingeRidgeTrainer().heldOutScores(on: set, leavingOut: .subject)
    let probabilities = heldOut.crossFittedProbabilities(on: set, balance: WindowBalance())
    var evaluation = ActivityEvaluation()
    for window in heldOut.evaluatedWindows(of: set) {
      evaluation.add(
        truth: set.activities[window], answer: probabilities[window].answer,
        probabilities: probabilities[window])
    }
    #expect(try #require(evaluation.accuracy) >= 0.94)
    #expect(try #require(evaluation.macroF1) >= 0.92)
  }
}

struct AugmentationTests {
  private let rate = 100.0
  private let gravity = SIMD3<Float>(0, 0, 9.8125)

  /// The signal after changes of known strength.
  private func apply(
    _ steps: AugmentationPlan.Step..., to samples: [SIMD3<Float>], seed: UInt64 = 0
  ) -> [SIMD3<Float>] {
    AugmentationPlan.Variant(name: "", steps: steps)
      .applied(to: samples, rateHertz: rate, seed: seed)
  }

  /// A sine of the given frequency on the x axis over gravity on z.
  private func sine(_ hertz: Double, count: Int = 1000, amplitude: Float = 2) -> [SIMD3<Float>] {
    (0..<count).map { index in
      gravity
        + SIMD3(amplitude * Float(sin(2 * Double.pi * hertz * Double(index) / rate)), 0, 0)
    }
  }

  private func mean(_ samples: [SIMD3<Float>]) -> SIMD3<Double> {
    samples.reduce(into: SIMD3<Double>.zero) { $0 += SIMD3<Double>($1) } / Double(samples.count)
  }

  /// The root mean square of the deviation from the mean, all axes together.
  private func deviation(_ samples: [SIMD3<Float>]) -> Double {
    let mean = mean(samples)
    let sum = samples.reduce(0.0) {
      let d = SIMD3<Double>($1) - mean
      return $0 + (d * d).sum()
    }
    return (sum / Double(samples.count)).squareRoot()
  }

  @Test(arguments: [0.6, 1.5]) func amplitudeScalesTheMotionAndKeepsGravity(factor: Double) {
    let original = sine(2)
    let changed = apply(.amplitude(factor...factor), to: original)
    // Float rounding of numbers below 16.
    #expect(abs(deviation(changed) - factor * deviation(original)) <= 1e-5)
    #expect(abs(mean(changed) - mean(original)).max() <= 1e-5)
  }

  @Test func noiseHasItsStandardDeviationAndZeroMean() {
    let rest = [SIMD3<Float>](repeating: gravity, count: 20_000)
    let changed = apply(.noise(0.2...0.2), to: rest, seed: 7)
    // 60,000 numbers: the deviation's standard error is 0.2 √3 / √(2 · 60,000) = 0.001, the
    // mean's 0.2 / √20,000 = 0.0014; four of them.
    #expect(abs(deviation(changed) - 0.2 * 3.0.squareRoot()) <= 0.004)
    #expect(abs(mean(changed) - SIMD3<Double>(gravity)).max() <= 0.006)
  }

  /// A pendulum of ± 0.5 rad at 1 Hz, 0.6 m from its joint: the centripetal acceleration is half of
  /// 0.6 m (0.5 · 2π/s)² in the mean, which a wandering phase changes by 0.5 %.
  @Test func swingingAddsTheCentripetalAcceleration() {
    let rest = [SIMD3<Float>](repeating: gravity, count: 20_000)
    let degrees = 90 / Double.pi
    let changed = apply(
      .swinging(degrees: degrees...degrees, metres: 0.6...0.6, hertz: 1...1), to: rest, seed: 7)
    #expect(changed.count == rest.count)
    let along = changed.reduce(0.0) { $0 + Double($1.z) } / Double(changed.count)
    // Gravity is turned: the mean of cos(0.5 sin x) is the Bessel function J₀(0.5).
    let expected = 0.9385 * 9.8125 + 0.3 * (0.5 * 2 * Double.pi) * (0.5 * 2 * Double.pi)
    #expect(abs(along - expected) <= 0.03)
    #expect(abs(mean(changed).x) <= 0.1 && abs(mean(changed).y) <= 0.1)
  }

  /// Rotations by small angles keep the norm up to half the squared angle.
  @Test func turningTiltsThePhoneAndKeepsTheNorm() {
    let rest = [SIMD3<Float>](repeating: gravity, count: 20_000)
    let turning = AugmentationPlan.Step.turning(3...3)
    let changed = apply(turning, to: rest, seed: 7)
    #expect(changed.count == rest.count)
    let tilts = changed.map { Double(($0.x * $0.x + $0.y * $0.y).squareRoot() / $0.z) }
    // 67 draws about two axes of 3° or 0.052: the largest of them is below 5 of these.
    #expect(tilts.max() ?? 0 > 0.052 && tilts.max() ?? 0 < 0.27)
    for (value, tilt) in zip(changed, tilts) {
      let norm = Double((value * value).sum().squareRoot())
      #expect(norm >= 9.8124 && norm <= 9.8125 * (1 + 0.51 * tilt * tilt) + 1e-4)
    }
    // The rotation is slow: at most the steepest slope between two draws 8 σ apart.
    let steps = zip(changed, changed.dropFirst()).map { abs($1 - $0).max() }
    #expect(steps.max() ?? 0 <= Float(8 * 0.0524 * 9.8125 * 1.5 / 300))
    #expect(changed == apply(turning, to: rest, seed: 7))
    #expect(changed != apply(turning, to: rest, seed: 8))
  }

  @Test func saturationClipsEveryAxisAndKeepsValuesInside() {
    let samples: [SIMD3<Float>] = [[30, -30, 5], [1, 2, 3]]
    let changed = apply(.saturation(limit: 19.6133), to: samples)
    #expect(changed == [[19.6133, -19.6133, 5], [1, 2, 3]])
  }

  @Test func looseCarryingHalvesTheAmplitudeAtItsCutoff() {
    // Half the power per pass is half the amplitude after two; away from the ends, where the
    // transient has decayed.
    let changed = apply(.looseCarrying(5...5), to: sine(5, count: 2000))
    let ratio = deviation(Array(changed[500..<1500])) / deviation(sine(5, count: 1000))
    #expect(abs(ratio - 0.5) <= 1e-4)
  }

  @Test func looseCarryingHasZeroPhaseAndKeepsRest() {
    let rest = [SIMD3<Float>](repeating: gravity, count: 50)
    #expect(apply(.looseCarrying(5...5), to: rest) == rest)
    // An impulse in the middle stays symmetric.
    var impulse = [SIMD3<Float>](repeating: .zero, count: 401)
    impulse[200] = [1, 0, 0]
    let changed = apply(.looseCarrying(5...5), to: impulse)
    for offset in 1...20 {
      #expect(abs(changed[200 - offset].x - changed[200 + offset].x) <= 1e-6)
    }
  }

  @Test(arguments: [25.0, 50]) func aSlowerSensorKeepsSlowMotionAndItsOwnSamples(hertz: Double) {
    let original = sine(1)
    let changed = apply(.samplingRate([hertz]), to: original)
    #expect(changed.count == original.count)
    let step = Int(rate / hertz)
    for index in stride(from: 0, to: 990, by: step) {
      #expect(abs(changed[index] - original[index]).max() <= 1e-6)
    }
    // The error of linear interpolation is at most h² max|f''| / 8, with f'' = (2π)² · 2.
    let bound = Float(39.48 * 2 / (hertz * hertz) / 8) + 1e-5
    #expect(zip(changed, original).prefix(990).allSatisfy { abs($0 - $1).max() <= bound })
  }

  @Test(arguments: [0.85, 1.15, 2]) func rhythmMultipliesTheFrequency(factor: Double) {
    let original = sine(1, count: 3000)
    let changed = apply(.rhythm(factor...factor), to: original)
    #expect(changed.count == Int(2999 / factor) + 1)
    let expected = sine(factor, count: changed.count)
    // Again h² max|f''| / 8 with h = 0.01 s.
    let bound: Float = 39.48 * 2 * 1e-4 / 8 + 1e-4
    #expect(zip(changed, expected).allSatisfy { abs($0 - $1).max() <= bound })
  }

  @Test func changesApplyInOrderEachWithItsOwnSeed() {
    let original = sine(2, count: 300)
    let both = apply(.amplitude(3...3), .saturation(limit: 4), to: original, seed: 5)
    #expect(both == apply(.saturation(limit: 4), to: apply(.amplitude(3...3), to: original)))
    let rest = [SIMD3<Float>](repeating: .zero, count: 4000)
    let noisy = apply(.noise(1...1), .noise(1...1), to: rest, seed: 5)
    // Independent noises add their variances: √2, not 2; standard error 1 %.
    #expect(abs(deviation(noisy) / 3.0.squareRoot() - 2.0.squareRoot()) <= 0.06)
  }

  @Test(arguments: [
    AugmentationPlan.Step.amplitude(2...2), .noise(1...1), .saturation(limit: 1),
    .looseCarrying(3...3), .samplingRate([25]), .rhythm(0.9...0.9),
  ]) func shortSignalsSurvive(change: AugmentationPlan.Step) {
    #expect(apply(change, to: []).isEmpty)
    let one = apply(change, to: [gravity])
    #expect(one.count == 1)
    #expect((one[0].x + one[0].y + one[0].z).isFinite)
  }

  @Test func aFactorOfZeroStopsTheProgram() async {
    await #expect(processExitsWith: .failure) {
      _ = AugmentationPlan.Variant(name: "", steps: [.rhythm(0...0)])
        .applied(to: [.zero], rateHertz: 100, seed: 0)
    }
  }
}

extension SIMD3 where Scalar: FloatingPoint {
  fileprivate func max() -> Scalar { Swift.max(x, y, z) }
}

/// The component-wise magnitude.
private func abs<Scalar: FloatingPoint>(_ v: SIMD3<Scalar>) -> SIMD3<Scalar> {
  v.replacing(with: -v, where: v .< 0)
}
