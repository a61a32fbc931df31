import CLocomotionMath
import LocomotionSignals
import TestSupport
import Testing

@Suite struct VectorFunctionTests {
  /// Two units in the last place of the result: one rounding of a polynomial's last sum and half of
  /// one of each term before.
  @Test func exponentialsAndLogarithmsAreWithinTwoUlp() {
    var random = SplitMix64(seed: 1)
    var worst = 0.0
    func compare(_ value: Float, _ exact: Double) {
      worst = max(worst, abs(Double(value) - exact) / Double(Float(exact).ulp))
    }
    for _ in 0..<20_000 {
      let x = Float(170 * random.nextUniform() - 86)
      let exponentials = exp(SIMD4(x, -x / 2, x / 64, x / 4096))
      let positive = Float(exp(Double(x)))
      let logarithms = log(SIMD4(positive, 1 + x / 128, 1 + x / 8192, 3))
      for (lane, value) in [x, -x / 2, x / 64, x / 4096].enumerated() {
        compare(exponentials[lane], exp(Double(value)))
      }
      for (lane, value) in [positive, 1 + x / 128, 1 + x / 8192, 3].enumerated() {
        compare(logarithms[lane], log(Double(value)))
      }
    }
    #expect(worst <= 2)
  }

  @Test func exponentialAndLogarithmAreFiniteForInvalidArguments() {
    let odd = SIMD4<Float>(-.infinity, .infinity, .nan, -1e30)
    for lane in 0..<4 {
      #expect(exp(odd)[lane].isFinite)
      #expect(log(odd)[lane].isFinite)
    }
  }

  @Test func chooseSelectsEachLaneIndependently() {
    let (x, y) = (SIMD4<Float>(1, 2, .nan, -0.5), SIMD4<Float>(2, 1, 3, -0.5))
    #expect(larger(x, y) == SIMD4(2, 2, 3, -0.5))
    #expect(smaller(x, y) == SIMD4(1, 1, 3, -0.5))
    #expect(known(x) == SIMD4(1, 2, 0, -0.5))
    #expect(knownLanes(of: x) == 0b1011)
    #expect(choose(x, over: y, SIMD4(repeating: 1), .zero) == SIMD4(0, 1, 0, 0))
    #expect(above(x, y) == SIMD4(0, -1, 0, 0))
    #expect(root(SIMD4(0, 2, 1e30, 9)) == SIMD4(0, Float(2).squareRoot(), 1e15, 3))
  }

  @Test func bytesAreTruncatedValues() {
    let first = SIMD4<Float>(0.2, -63.99, 126.5, -127.9)
    let four = (0..<4).map { first + Float($0) * 0.1 }
    let found = bytes(four[0], four[1], four[2], four[3])
    for k in 0..<16 { #expect(Float(found[k]) == four[k / 4][k % 4].rounded(.towardZero)) }
  }

  @Test func bytesSaturate() {
    let found = bytes(
      SIMD4(128, -129, 1e9, -1e9), SIMD4(127.9, -128.9, 300, -300), .zero, SIMD4(255, 256, -256, 1))
    #expect(
      found == SIMD16(127, -128, 127, -128, 127, -128, 127, -128, 0, 0, 0, 0, 127, 127, -128, 1))
  }

  @Test func bytesAreComparedIndependently() {
    let x = SIMD16<Int8>(0, 1, -2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, -128, 127, 0)
    let y = SIMD16<Int8>(repeating: 3)
    let found = above(x, y)
    #expect((0..<16).allSatisfy { found[$0] == (x[$0] > 3 ? 255 : 0) })
    #expect(places(in: x, of: y, SIMD16(repeating: -128)) == 1 << 3 | 1 << 13)
    #expect(places(in: x, of: x, y) == .max)
    let least = smaller(SIMD16<UInt8>(truncatingIfNeeded: x), SIMD16(repeating: 200))
    #expect((0..<16).allSatisfy { least[$0] == min(UInt8(bitPattern: x[$0]), 200) })
  }

  @Test func ascentCountsLanesUpToAValue() {
    let lanes = SIMD8<Float>(-2, -1, -1, 0, 3, 3.5, .infinity, .infinity)
    for (x, count) in [(-2.5, 0), (-2, 1), (-1, 3), (2, 4), (3.5, 6), (.infinity, 8)]
      as [(Float, Int32)]
    {
      #expect(ascent(of: lanes, to: x) == count)
    }
  }

  @Test func shufflesMoveLanesAsNamed() {
    let (x, y) = (SIMD4<Float>(0, 1, 2, 3), SIMD4<Float>(4, 5, 6, 7))
    #expect(alternatingFirst(x, y) == SIMD4(0, 4, 1, 5))
    #expect(alternatingLast(x, y) == SIMD4(2, 6, 3, 7))
    #expect(firstHalves(x, y) == SIMD4(0, 1, 4, 5))
    #expect(lastHalves(x, y) == SIMD4(2, 3, 6, 7))
    #expect(evens(x, y) == SIMD4(0, 2, 4, 6))
    #expect(odds(x, y) == SIMD4(1, 3, 5, 7))
    #expect(later(x, before: y) == SIMD4(1, 2, 3, 4))
  }

  /// A run equals its samples appended one by one, and ends before the first that doesn't continue
  /// it.
  @Test func appendingARunEqualsAppendingItsSamples() {
    var random = SplitMix64(seed: 3)
    var series = SensorBatch.Series()
    var time: Int64 = 0
    for index in 0..<2_000 {
      time += index % 97 == 96 ? 400_000_000 : Int64(4e6 + 12e6 * random.nextUniform())
      if index % 131 == 130 { time -= 30_000_000 }
      series.append(
        x: index % 173 == 172 ? .nan : Float(10 * random.nextUniform()),
        y: Float(10 * random.nextUniform()), z: Float(10 * random.nextUniform()),
        at: Timestamp(nanoseconds: time))
    }
    let empty = UniformResampler(settings: .withoutBridges, capacity: 64)
    var (single, runs) = (empty, empty)
    func take(_ index: Int, into resampler: inout UniformResampler) {
      _ = resampler.take(
        x: series.x[index], y: series.y[index], z: series.z[index], at: series.timestamps[index])
    }
    var next = 0
    while next < series.count {
      let taken = runs.appendRun(
        of: series, from: next,
        before: series.timestamps[next].advanced(byNanoseconds: 300_000_000))
      if taken == 0 { take(next, into: &runs) }
      for _ in 0..<max(1, taken) {
        take(next, into: &single)
        next += 1
      }
      #expect(archived(runs) == archived(single))
    }
  }
}
