import Foundation
import LocomotionSensing
import SensorSimulator
import Testing

@Suite struct AccelerationTests {
  private func span(
    _ scenario: Scenario, from: Double = 0, to: Double = .infinity
  ) -> Span3 {
    let recording = scenario.recording()
    return Span3(recording.wholeBatch(), since: scenario.start, from: from, to: to)
  }

  @Test(arguments: Carrying.allCases)
  func atRestTheMeanIsGravityInAnyOrientation(carrying: Carrying) {
    var directions: [(Double, Double, Double)] = []
    for seed in 1...6 as ClosedRange<UInt64> {
      let still = span(Scenario(seed: seed).stand(.seconds(30), carrying: carrying))
      // Offsets of 0.05 per axis and a gain error of 0.5 %, at 4 deviations.
      #expect(abs(mean(still.norms) - 9.80665) < 4 * (0.05 + 0.005 * 9.8))
      directions.append((mean(still.x), mean(still.y), mean(still.z)))
    }
    if carrying != .table {
      let spread = variance(directions.map(\.0)) + variance(directions.map(\.1))
      #expect(spread > 9)
    }
  }

  @Test(arguments: [78.0, 96, 112, 128])
  func aWalkInABagPeaksAtTheStepRate(cadence: Double) {
    for seed in 1...3 as ClosedRange<UInt64> {
      let scenario = Scenario(seed: seed).walk(
        .seconds(32), cadence: cadence, speed: 0.8 * cadence / 60, carrying: .bag)
      let walk = span(scenario, from: 6, to: 26)
      let rates = scenario.recording().truth()[6..<26].compactMap(\.cadenceStepsPerMinute)
      // The window resolves 0.1 Hz; step times scatter by 2 %.
      let peak = walk.peak(of: walk.vertical, in: 0.6...4)
      #expect(abs(peak - mean(rates) / 60) < 0.06)
    }
  }
}

@Suite struct DeterminismTests {
  private func scenario(seed: UInt64) -> Scenario {
    var phone = SimulatedPhone()
    phone.hasGyroscope = true
    return Scenario(seed: seed, phone: phone)
      .rest(.seconds(20), handlingsPerHour: 300)
      .walk(.seconds(40), heading: 70)
      .run(.seconds(20))
      .ride(.seconds(20))
      .sampling(rate: 50)
      .drive(.seconds(40))
      .stop(.seconds(10))
      .train(.seconds(30))
  }

  @Test func sameSeedGivesTheSameEventsAndOthersDiffer() {
    let first = scenario(seed: 5).recording()
    let again = scenario(seed: 5).recording()
    let other = scenario(seed: 6).recording()
    #expect(first.wholeBatch() == again.wholeBatch())
    #expect(first.truth() == again.truth())
    #expect(first.wholeBatch().accelerations != other.wholeBatch().accelerations)
    #expect(first.wholeBatch().fixes != other.wholeBatch().fixes)
    #expect(first.steps != other.steps)
  }

  @Test(arguments: [20.0, 50, 104, 200, 500])
  func samplesKeepTheirRate(rate: Double) {
    var phone = SimulatedPhone()
    phone.sampleRate = rate
    let recording = Scenario(seed: 1, phone: phone).walk(.seconds(30)).recording()
    let times = recording.wholeBatch().accelerations.timestamps
    #expect(abs(times.count - Int(30 * rate)) <= 1)
    let intervals = zip(times.dropFirst(), times).map { $0.seconds(since: $1) * rate }
    #expect(intervals.allSatisfy { $0 > 0 })
    #expect(abs(mean(intervals) - 1) < 0.01)
    // Two independent jitters of 2 % make an interval deviate by 2.8 %; n ≥ 600.
    #expect(abs(variance(intervals).squareRoot() - 0.0283) < 0.004)
  }
}

@Suite struct FaultTests {
  private let recording = Scenario(seed: 1).walk(.minutes(2)).recording()

  private func damaged(_ faults: SensorFault...) -> SensorBatch {
    var injector = FaultInjector(faults, seed: 7, start: recording.span.lowerBound)
    return injector.damaged(recording.wholeBatch())
  }

  @Test func withoutFaultsNothingChanges() {
    #expect(damaged() == recording.wholeBatch())
  }

  @Test func theSameSeedGivesTheSameFaults() {
    let faults: [SensorFault] = [.swaps(probability: 0.1), .duplicates(probability: 0.1)]
    var first = FaultInjector(faults, seed: 3, start: recording.span.lowerBound)
    var again = FaultInjector(faults, seed: 3, start: recording.span.lowerBound)
    var other = FaultInjector(faults, seed: 4, start: recording.span.lowerBound)
    let whole = recording.wholeBatch()
    let damage = first.damaged(whole)
    #expect(damage == again.damaged(whole))
    #expect(damage != other.damaged(whole))
  }

  @Test func notANumberFaultsHaveTheirProbability() {
    let series = damaged(.notANumber(probability: 0.1)).accelerations
    let bad = (0..<series.count).filter {
      !(series.x[$0].isFinite && series.y[$0].isFinite && series.z[$0].isFinite)
    }
    // 12,000 draws of 0.1: 1200 ± 33.
    #expect(abs(bad.count - 1200) < 130)
  }
}

@Suite struct FixTests {
  /// Errors of several phones at rest for six hours each.
  private func series(_ sky: SkyView) -> [[(fix: LocationFix, east: Double, north: Double)]] {
    var phone = SimulatedPhone()
    phone.sampleRate = 1
    return (1...6 as ClosedRange<UInt64>).map { seed in
      errors(Scenario(seed: seed, phone: phone).rest(.hours(6), sky: sky).recording())
    }
  }

  @Test(arguments: [SkyView.open, .urban, .indoor])
  func errorsHaveTheDeviationOfTheirSky(sky: SkyView) {
    let all = series(sky).flatMap { $0 }
    let rms = mean(all.map { ($0.east * $0.east + $0.north * $0.north) / 2 }).squareRoot()
    // The deviation varies by 25 %: √E[exp(0.5 b)] = exp(0.0625). Six times six hours of two axes
    // have 12 · 21,600 / 2τ independent values, at least 1080: 2.2 % of the deviation; its
    // variation adds 1.5 %. Bound: 3 deviations.
    #expect(abs(rms / (sky.positionDeviation * exp(0.0625)) - 1) < 0.08)
  }

  @Test(arguments: [SkyView.open, .urban, .indoor])
  func theReportedRadiusIsRightOnAverage(sky: SkyView) {
    #expect(abs(mean(series(sky).map { mean($0.map(inside)) }) - 0.68) < 0.04)
  }

  private func inside(_ item: (fix: LocationFix, east: Double, north: Double)) -> Double {
    let radius = item.fix.horizontalAccuracy ?? 0
    return item.east * item.east + item.north * item.north <= radius * radius ? 1 : 0
  }
}

@Suite struct TruthTests {
  @Test func speedIsTheSlopeOfPosition() {
    let recording = Scenario(seed: 1).walk(.minutes(5), heading: 70).drive(.minutes(10), speed: 12)
      .stop(.seconds(30)).train(.minutes(5)).recording()
    let start = recording.span.lowerBound
    let between = stride(from: 500, to: 1_229_000, by: 777).map {
      start.advanced(byNanoseconds: $0 * 1_000_000)
    }
    // And across each of the seconds, where one piece of the path ends.
    let ends = recording.truth().map { $0.timestamp.advanced(byNanoseconds: -500_000) }
    for time in between + ends {
      let now = recording.position(at: time)
      let later = recording.position(at: time.advanced(byNanoseconds: 1_000_000))
      let moved = metres(
        from: (now.latitude, now.longitude), to: (later.latitude, later.longitude))
      // Degrees resolve 2 nm; half a millisecond of at most 6 m/s² of curvature.
      #expect(abs(moved.east / 0.001 - now.east) < 0.02)
      #expect(abs(moved.north / 0.001 - now.north) < 0.02)
    }
  }

  @Test func stepsMatchTheCadence() {
    let recording = Scenario(seed: 6).rest(.minutes(1)).walk(.minutes(10), cadence: 108)
      .run(.minutes(5), cadence: 170).stop(.minutes(1)).recording()
    let truth = recording.truth()
    #expect(truth.flatMap(\.steps) == recording.steps)
    #expect(truth[..<60].allSatisfy { $0.steps.isEmpty && $0.cadenceStepsPerMinute == nil })
    #expect(truth[960...].allSatisfy { $0.steps.isEmpty && $0.cadenceStepsPerMinute == nil })
    // The drift of 1 % over 30 s averages to 0.3 % over ten minutes.
    let walk = truth[60..<660].map(\.steps.count).reduce(0, +)
    #expect(abs(Double(walk) - 1080) < 1080 * 0.012)
    let run = truth[660..<960].map(\.steps.count).reduce(0, +)
    #expect(abs(Double(run) - 850) < 850 * 0.012)
    // Rates of seconds add up to the steps.
    let sum = truth.compactMap(\.cadenceStepsPerMinute).reduce(0, +) / 60
    #expect(abs(sum - Double(recording.steps.count)) < 4)
    #expect(zip(recording.steps, recording.steps.dropFirst()).allSatisfy { $0 < $1 })
  }
}

/// The samples of one span, with the mean as the direction of gravity.
struct Span3 {
  var times: [Double] = []
  var x: [Double] = [], y: [Double] = [], z: [Double] = []

  /// The accelerations of `batch` from `from` to `to`, seconds since `start`.
  init(_ batch: SensorBatch, since start: Timestamp, from: Double = 0, to: Double = .infinity) {
    let series = batch.accelerations
    for index in 0..<series.count {
      let time = series.timestamps[index].seconds(since: start)
      guard time >= from, time < to else { continue }
      times.append(time)
      x.append(Double(series.x[index]))
      y.append(Double(series.y[index]))
      z.append(Double(series.z[index]))
    }
  }

  var norms: [Double] {
    times.indices.map { (x[$0] * x[$0] + y[$0] * y[$0] + z[$0] * z[$0]).squareRoot() }
  }

  /// The component along the mean, the mean removed.
  var vertical: [Double] {
    let (mx, my, mz) = (mean(x), mean(y), mean(z))
    let norm = (mx * mx + my * my + mz * mz).squareRoot()
    return times.indices.map { (x[$0] * mx + y[$0] * my + z[$0] * mz) / norm - norm }
  }

  /// The frequency in `band` at which a Hann-windowed direct transform of `signal` is largest.
  func peak(of signal: [Double], in band: ClosedRange<Double>) -> Double {
    let length = times[times.count - 1] - times[0]
    var best = (frequency: band.lowerBound, power: 0.0)
    for frequency in stride(from: band.lowerBound, through: band.upperBound, by: 0.1 / length) {
      var (real, imaginary) = (0.0, 0.0)
      for index in times.indices {
        let fraction = (times[index] - times[0]) / length
        let value = signal[index] * (1 - cos(2 * .pi * fraction))
        real += value * cos(2 * .pi * frequency * times[index])
        imaginary += value * sin(2 * .pi * frequency * times[index])
      }
      let power = real * real + imaginary * imaginary
      if power > best.power { best = (frequency, power) }
    }
    return best.frequency
  }
}

func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }

func variance(_ values: [Double]) -> Double {
  let centre = mean(values)
  return mean(values.map { ($0 - centre) * ($0 - centre) })
}

/// East and north of `to` from `from`, metres, on WGS 84 near `from`.
func metres(
  from: (latitude: Double, longitude: Double), to: (latitude: Double, longitude: Double)
) -> (east: Double, north: Double) {
  let latitude = 0.5 * (from.latitude + to.latitude) * .pi / 180
  let root = (1 - 0.006_694_379_990_14 * sin(latitude) * sin(latitude)).squareRoot()
  let normal = 6_378_137 / root
  let meridian = normal * (1 - 0.006_694_379_990_14) / (root * root)
  return (
    (to.longitude - from.longitude) * .pi / 180 * normal * cos(latitude),
    (to.latitude - from.latitude) * .pi / 180 * meridian
  )
}

/// The fixes' errors, metres east and north.
func errors(_ recording: SimulatedRecording) -> [(fix: LocationFix, east: Double, north: Double)] {
  recording.batches(everySeconds: 60).flatMap(\.fixes).map { fix in
    let truth = recording.position(at: fix.timestamp)
    let error = metres(
      from: (truth.latitude, truth.longitude), to: (fix.latitude, fix.longitude))
    return (fix, error.east, error.north)
  }
}
