import LocomotionSignals
import Testing

/// Damaged values and timestamps; faults of the whole clock are in `UniformResamplerClockTests`.
@Suite struct UniformResamplerFaultTests {
  /// Two seconds at 100 Hz, between the lines of the grid.
  static let stream = walk(hertz: 100, from: 3_000_000, seconds: 2)
  static let clean = Resampling(stream)

  /// Checks that `extra`, inserted after the sample at `index`, changes nothing but the counts.
  static func expectNoTrace(
    of extra: [TimedSample], after index: Int, _ comment: Comment = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) -> Resampling {
    var stream = stream
    stream.insert(contentsOf: extra, at: index + 1)
    let result = Resampling(stream)
    #expect(result.stretches == clean.stretches, comment, sourceLocation: sourceLocation)
    #expect(
      result.counts.kept == Self.stream.count, comment, sourceLocation: sourceLocation)
    #expect(
      result.counts.dropped == extra.count, comment, sourceLocation: sourceLocation)
    #expect(result.counts.received == stream.count, comment, sourceLocation: sourceLocation)
    return result
  }

  @Test func everySampleOfACleanStreamIsKept() {
    #expect(Self.clean.verdicts.first == .held)
    #expect(Self.clean.verdicts.dropFirst().first == .begins)
    #expect(Self.clean.verdicts.dropFirst(2).allSatisfy { $0 == .continues })
    var expected = IntakeCounts()
    expected.received = Self.stream.count
    expected.kept = Self.stream.count
    #expect(Self.clean.counts == expected)
  }

  @Test func noSampleAndOneSampleGiveNoCell() {
    #expect(Resampling([]).counts == IntakeCounts())
    let one = Resampling([TimedSample(5, 0, 0, 9.8)])
    #expect(one.verdicts == [.held])
    #expect(one.resampler.heldTimestamp == Timestamp(nanoseconds: 5))
    #expect(one.resampler.count == 0)
  }

  @Test func samplesInsideOneCellGiveNoCell() {
    let result = Resampling((1...9).map { TimedSample($0 * 1_000_000, 0, 0, 9.8) })
    #expect(result.stretches == [Stretch(firstCell: 1)])
    #expect(result.counts.kept == 9)
  }

  @Test(arguments: [Float.nan, .signalingNaN, .infinity, -.infinity])
  func aValueThatIsNotFiniteIsDropped(value: Float) {
    for axis in 0..<3 {
      for index in [0, 1, 57, Self.stream.count - 1] {
        var damaged = TimedSample(Self.stream[index].nanoseconds + 5_000_000, 0, 0, 9.8)
        damaged.value[axis] = value
        let result = Self.expectNoTrace(of: [damaged], after: index, "axis \(axis) of \(index)")
        #expect(result.verdicts[index + 1] == .dropped(.notFinite))
        #expect(result.counts.dropped(for: .notFinite) == 1)
      }
    }
  }

  @Test func aValueBeyondTheLargestComponentIsDropped() {
    for sign in [Float(1), -1] {
      for axis in 0..<3 {
        var damaged = TimedSample(Self.stream[30].nanoseconds + 5_000_000, 0, 0, 0)
        damaged.value[axis] = sign * Float(1_000).nextUp
        let result = Self.expectNoTrace(of: [damaged], after: 30, "axis \(axis)")
        #expect(result.counts.dropped(for: .outOfRange) == 1)
      }
    }
    let edge = Resampling([
      TimedSample(0, 1_000, -1_000, 1_000), TimedSample(20_000_000, 1_000, -1_000, 1_000),
    ])
    #expect(edge.counts.kept == 2)
    #expect(edge.stretches.first?.cells.count == 2)
  }

  static let impossibleTimes: [Int64] = [
    .min, .min + 1, -Timestamp.limit - 1, -Timestamp.limit, Timestamp.limit,
    Timestamp.limit + 1, .max - 1, .max,
  ]

  @Test(arguments: impossibleTimes)
  func anInvalidTimestampIsDropped(nanoseconds: Int64) {
    let result = Self.expectNoTrace(of: [TimedSample(nanoseconds, 0, 0, 9.8)], after: 40)
    #expect(result.verdicts[41] == .dropped(.outOfRange))
    #expect(result.counts.dropped(for: .outOfRange) == 1)
  }

  @Test func extremeTimestampsInAnyOrderNeverTrap() {
    let edge: Int64 = (1 << 62) - 1
    let times: [Int64] = [
      .min, -edge - 1, -edge, -edge + 1, -1, 0, 1, edge - 1, edge, edge + 1, .max,
    ]
    // Every order of four of them: the digits of a number to the base of their count.
    for number in 0..<11 * 11 * 11 * 11 {
      let order = [1, 11, 121, 1_331].map { times[number / $0 % 11] }
      let counts = Resampling(order.map { TimedSample($0, 1, 2, 3) }).counts
      #expect(counts.received == 4 && counts.received == counts.kept + counts.dropped)
    }
  }

  @Test func cellsAreCompletedUpToTheClocksLimits() throws {
    let edge: Int64 = (1 << 62) - 1
    for end in [-edge + 200_000_000, edge] {
      let samples = (0...20).map { index in
        TimedSample(end - 200_000_000 + Int64(index) * 10_000_000, 3, 4, 0)
      }
      let result = Resampling(samples)
      #expect(result.counts.kept == 21)
      let stretch = try #require(result.stretches.first)
      #expect(stretch.cells.count == 19)
      #expect(stretch.cells.allSatisfy { abs($0.w - 5) <= 16 * Float.ulpOfOne })
    }
  }

  @Test(arguments: [1, 2, 1_000]) func aDuplicateIsDropped(times: Int) {
    // The first sample is held.
    for index in [0, 1, 80, Self.stream.count - 1] {
      let again = TimedSample(Self.stream[index].nanoseconds, 50, 50, 50)
      let result = Self.expectNoTrace(
        of: Array(repeating: again, count: times), after: index, "after \(index)")
      #expect(result.counts.dropped(for: .duplicate) == times)
    }
  }

  @Test func aLateSampleIsDropped() {
    for lateness in [1, 9_999_999, 10_000_000, 900_000_000] as [Int64] {
      let late = TimedSample(Self.stream[150].nanoseconds - lateness, 50, 50, 50)
      let result = Self.expectNoTrace(of: [late], after: 150, "\(lateness) ns")
      #expect(result.verdicts[151] == .dropped(.outOfOrder))
      #expect(result.counts.dropped(for: .outOfOrder) == 1)
      #expect(result.counts.clockResets == 0)
    }
  }

  @Test func oneTimestampInTheFarFutureChangesNoCell() {
    for distance in [250_000_001, 1_000_000_000, 86_400_000_000_000, 1 << 61] as [Int64] {
      let outlier = TimedSample(Self.stream[150].nanoseconds + distance, 50, 50, 50)
      let result = Self.expectNoTrace(of: [outlier], after: 150, "\(distance) ns")
      #expect(result.verdicts[151] == .held)
      #expect(result.counts.dropped(for: .isolated) == 1)
      #expect(result.counts.gaps == 0)
    }
  }

  @Test func aFirstSampleInTheFarFutureChangesNoCell() {
    let outlier = TimedSample(1 << 60, 50, 50, 50)
    let result = Resampling([outlier] + Self.stream)
    #expect(result.stretches == Self.clean.stretches)
    #expect(result.counts.dropped(for: .isolated) == 1)
    #expect(result.counts.kept == Self.stream.count)
  }

  @Test func samplesWithoutNeighboursAreIsolated() {
    let sparse = (0..<10).map { TimedSample(Int64($0) * 300_000_000, 0, 0, 9.8) }
    let result = Resampling(sparse)
    #expect(result.verdicts.allSatisfy { $0 == .held })
    #expect(result.counts.dropped(for: .isolated) == 9)
    #expect(result.counts.kept == 1)
    #expect(result.resampler.count == 0)
  }

  @Test func stepsUpToTheLongestGapAreInterpolated() throws {
    for step in [249_999_999, 250_000_000] as [Int64] {
      let samples = [TimedSample(0, 0, 0, 0), TimedSample(step, 25, 0, 0)]
      let stretch = try #require(Resampling(samples).stretches.first)
      #expect(stretch.cells.count == Int(step / 10_000_000))
      #expect(abs(stretch.cells[10].x - 10.5) < 1e-5)
    }
  }

  @Test func aLongerStepIsAGap() {
    let step: Int64 = 250_000_001
    let before = Array(Self.stream.prefix(50))
    let after = walk(hertz: 100, from: before[49].nanoseconds + step, seconds: 1)
    let result = Resampling(before + after)
    #expect(result.stretches == Resampling(before).stretches + Resampling(after).stretches)
    #expect(result.verdicts[50] == .held)
    #expect(result.verdicts[51] == .begins)
    #expect(result.counts.gaps == 1)
    #expect(result.counts.kept == before.count + after.count)
  }

  @Test func keptSamplesAtTheSensorsLimitAreCounted() {
    let limit: Float = 156.1
    var stream = Self.stream
    stream[10].value.x = limit
    stream[20].value.y = -200
    stream[30].value.z = limit.nextDown
    stream[40].value.z = 1_001
    #expect(Resampling(stream).counts.saturated == 2)
    var settings = UniformResampler.Settings()
    settings.saturationLevel = 0
    #expect(Resampling(stream, settings: settings).counts.saturated == 0)
  }

  @Test func anIsolatedSampleIsNotCountedAsSaturated() {
    let outlier = TimedSample(1 << 60, 500, 500, 500)
    var result = Resampling(Array(Self.stream.prefix(50)) + [outlier])
    #expect(result.counts.saturated == 1)
    result.append(Self.stream[50])
    #expect(result.counts.dropped(for: .isolated) == 1)
    #expect(result.counts.saturated == 0)
  }
}
