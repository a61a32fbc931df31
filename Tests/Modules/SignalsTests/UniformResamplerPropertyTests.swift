import LocomotionSignals
import TestSupport
import Testing

@Suite struct UniformResamplerPropertyTests {
  /// A stream with occasional faults of every kind in timestamps and values.
  struct FaultyStream {
    var generator: SplitMix64
    var time: Int64 = 0

    mutating func next() -> TimedSample {
      TimedSample(nextTime(), nextValue())
    }

    private mutating func nextTime() -> Int64 {
      switch Int.random(in: 0..<1_000, using: &generator) {
      case 0..<500: time += 10_000_000
      case 500..<850: time += Int64.random(in: 1...30_000_000, using: &generator)
      case 850..<900: break
      case 900..<930: time -= Int64.random(in: 1...30_000_000, using: &generator)
      case 930..<970: time += Int64.random(in: 249_999_990...250_000_010, using: &generator)
      case 970..<975: time += Int64.random(in: 0...100_000_000_000, using: &generator)
      case 975..<980: time -= Int64.random(in: 0...100_000_000_000, using: &generator)
      case 980: time = Int64.random(in: .min / 3 ... .max / 3, using: &generator)
      case 981..<990: return Int64.random(in: .min ... .max, using: &generator)
      default:
        let extremes: [Int64] = [
          .min, .max, Timestamp.limit, -Timestamp.limit, Timestamp.limit - 1, 1 - Timestamp.limit,
        ]
        return extremes[Int.random(in: 0..<6, using: &generator)]
      }
      return time
    }

    private mutating func nextValue() -> SIMD3<Float> {
      var value = walk(Double(time % 1_000_000_000_000) * 1e-9)
      let axis = Int.random(in: 0..<3, using: &generator)
      switch Int.random(in: 0..<100, using: &generator) {
      case 0: value[axis] = .nan
      case 1: value[axis] = .infinity
      case 2: value[axis] = -.infinity
      case 3: value[axis] = Float(bitPattern: UInt32.random(in: 0 ... .max, using: &generator))
      case 4: value[axis] = Float.random(in: -1_001...1_001, using: &generator)
      default: break
      }
      return value
    }
  }

  @Test func aMillionFaultySamplesAreAllCounted() {
    var stream = FaultyStream(generator: SplitMix64(seed: 21))
    var resampler = UniformResampler(settings: .withoutBridges, capacity: 64)
    var verdicts: [UniformResampler.Verdict: Int] = [:]
    for index in 0..<1_000_000 {
      let sample = stream.next()
      let before = resampler.nextCell
      let verdict = resampler.take(sample)
      verdicts[verdict, default: 0] += 1
      let counts = resampler.counts
      let byReason = IntakeCounts.DropReason.allCases.reduce(0) { $0 + counts.dropped(for: $1) }
      guard counts.received == index + 1, counts.received == counts.kept + counts.dropped,
        counts.dropped == byReason, counts.kept >= 0, counts.saturated >= 0,
        counts.saturated <= counts.kept
      else {
        Issue.record("after sample \(index), \(sample): \(counts)")
        return
      }
      guard verdict == .continues || verdict == .begins else { continue }
      // In the worst case a step of the longest gap completes 26 cells.
      let completed = verdict == .begins ? resampler.count : Int(resampler.nextCell - before)
      guard (0...26).contains(completed) else {
        Issue.record("\(completed) cells after sample \(index), \(sample)")
        return
      }
      let cells = resampler.latest(completed)
      // A mean of accepted values is within their range, but for rounding.
      guard cells.allSatisfy({ $0.w.isFinite && $0.w <= 1_733 && abs($0.x) <= 1_001 }) else {
        Issue.record("\(cells) after sample \(index), \(sample)")
        return
      }
    }
    // Every verdict occurred: the fuzzing has full coverage.
    let reasons = IntakeCounts.DropReason.allCases.filter { $0 != .isolated }
    let drops = reasons.map(UniformResampler.Verdict.dropped)
    for verdict in [.continues, .begins, .held] + drops {
      #expect((verdicts[verdict] ?? 0) > 100, "\(verdict)")
    }
    #expect(resampler.counts.dropped(for: .isolated) > 100)
    #expect(resampler.counts.gaps > 100)
    #expect(resampler.counts.clockResets > 100)
    #expect(resampler.counts.saturated > 100)
  }

  @Test(arguments: 0..<10 as Range<UInt64>) func aResamplerIsAStage(seed: UInt64) {
    var stream = FaultyStream(generator: SplitMix64(seed: seed), time: 1_763_596_800_000_000_000)
    let samples = (0..<3_000).map { _ in stream.next() }
    let broken = checkStage(Resampling(), samples, into: [Int64]()) {
      for sample in $1 {
        $0.append(sample)
        $2.append($0.resampler.nextCell)
      }
    }
    #expect(broken == [])
  }

  @Test func aLaterStartGivesTheSameCells() throws {
    for hertz in UniformResamplerAccuracyTests.rates {
      let samples = walk(hertz: hertz, from: 4_321_987, seconds: 2)
      let whole = try #require(Resampling(samples).stretches.first)
      for start in 1..<samples.count / 2 {
        let late = try #require(Resampling(Array(samples[start...])).stretches.first)
        #expect(late.firstCell == (samples[start].nanoseconds + 9_999_999) / 10_000_000)
        #expect(late == whole.from(late.firstCell), "\(hertz) Hz from sample \(start)")
      }
    }
  }

  @Test func theCapacityChangesNoCell() {
    let samples = walk(hertz: 104, seconds: 3)
    let expected = Resampling(samples)
    for capacity in [1, 3, 200] {
      var resampler = UniformResampler(settings: .withoutBridges, capacity: capacity)
      for sample in samples { _ = resampler.take(sample) }
      #expect(resampler.nextCell == expected.resampler.nextCell)
      #expect(resampler.counts == expected.counts)
      #expect(resampler.cells == Array(expected.stretches[0].cells.suffix(capacity)))
    }
  }
}
