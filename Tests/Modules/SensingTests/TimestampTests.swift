import Foundation
import LocomotionSensing
import TestSupport
import Testing

@Suite struct TimestampTests {
  @Test func secondsAreRoundedToTheNearestNanosecond() {
    #expect(Timestamp(seconds: 0)?.nanoseconds == 0)
    #expect(Timestamp(seconds: 1)?.nanoseconds == 1_000_000_000)
    #expect(Timestamp(seconds: -0.25)?.nanoseconds == -250_000_000)
    #expect(Timestamp(seconds: 0.4e-9)?.nanoseconds == 0)
    #expect(Timestamp(seconds: 0.6e-9)?.nanoseconds == 1)
    #expect(Timestamp(seconds: -0.6e-9)?.nanoseconds == -1)
    #expect(Timestamp(seconds: 0.999_999_999_7)?.nanoseconds == 1_000_000_000)
    #expect(Timestamp(seconds: -0.999_999_999_7)?.nanoseconds == -1_000_000_000)
  }

  @Test func secondsOnTheUnixClockAreExactToTheNanosecond() {
    // 1 763 596 800.125 s fits a Double; its product with 1e9 does not.
    #expect(Timestamp(seconds: 1_763_596_800.125)?.nanoseconds == 1_763_596_800_125_000_000)
    // The Double nearest to 1 763 596 800.1 s is 1 763 596 800.099999904632568359375 s.
    #expect(Timestamp(seconds: 1_763_596_800.1)?.nanoseconds == 1_763_596_800_099_999_905)
  }

  @Test func invalidSecondsGiveNil() {
    for seconds in [
      Double.nan, .signalingNaN, .infinity, -.infinity, .greatestFiniteMagnitude,
      -.greatestFiniteMagnitude, 4_611_686_019, -4_611_686_019,
    ] {
      #expect(Timestamp(seconds: seconds) == nil, "\(seconds) s")
    }
  }

  @Test func secondsInsideTheLimitGiveAPlausibleInstant() throws {
    // 2^62 ns = 4 611 686 018.427 387 904 s; the Doubles around it are 2^-20 s apart.
    let inside = try #require(Timestamp(seconds: 4_611_686_018.427_386))
    #expect(inside.isPlausible)
    #expect(Timestamp(seconds: 4_611_686_018.427_386 + 0x1p-20) != nil)
    #expect(Timestamp(seconds: 4_611_686_018.427_386 + 0x1p-19) == nil)
    #expect(Timestamp(seconds: -4_611_686_018.427_386 - 0x1p-19) == nil)
  }

  @Test func onlyInstantsInsideTheLimitArePlausible() {
    for (nanoseconds, expected) in [
      (Int64.min, false), (-Timestamp.limit - 1, false), (-Timestamp.limit, false),
      (-Timestamp.limit + 1, true), (0, true), (Timestamp.limit - 1, true),
      (Timestamp.limit, false), (Timestamp.limit + 1, false), (Int64.max, false),
    ] {
      #expect(Timestamp(nanoseconds: nanoseconds).isPlausible == expected, "\(nanoseconds) ns")
    }
  }

  @Test func theDifferenceOfPlausibleInstantsFitsSixtyFourBits() {
    let first = Timestamp(nanoseconds: -Timestamp.limit + 1)
    let last = Timestamp(nanoseconds: Timestamp.limit - 1)
    #expect(last.nanoseconds(since: first) == Int64.max - 1)
    #expect(first.nanoseconds(since: last) == Int64.min + 2)
  }

  @Test func differencesSaturate() {
    let (first, last) = (Timestamp(nanoseconds: .min), Timestamp(nanoseconds: .max))
    #expect(last.nanoseconds(since: first) == .max)
    #expect(first.nanoseconds(since: last) == .min)
    #expect(Timestamp(nanoseconds: 0).nanoseconds(since: first) == .max)
    #expect(Timestamp(nanoseconds: -1).nanoseconds(since: first) == .max)
    #expect(Timestamp(nanoseconds: -2).nanoseconds(since: last) == .min)
    #expect(Timestamp(nanoseconds: -1).nanoseconds(since: last) == .min)
    #expect(last.nanoseconds(since: last) == 0)
    #expect(first.nanoseconds(since: first) == 0)
    #expect(last.seconds(since: first).isFinite)
  }

  @Test func advancingSaturates() {
    #expect(Timestamp(nanoseconds: .max).advanced(byNanoseconds: 1).nanoseconds == .max)
    #expect(Timestamp(nanoseconds: .min).advanced(byNanoseconds: -1).nanoseconds == .min)
    #expect(Timestamp(nanoseconds: .max).advanced(byNanoseconds: .min).nanoseconds == -1)
    #expect(Timestamp(nanoseconds: .min).advanced(byNanoseconds: .max).nanoseconds == -1)
    #expect(Timestamp(nanoseconds: 5).advanced(byNanoseconds: -7).nanoseconds == -2)
  }

  @Test func nanosecondsRoundTripThroughSecondsForFortyEightDays() {
    var generator = SplitMix64(seed: 1)
    let end: Int64 = (1 << 22) * 1_000_000_000
    for _ in 0..<100_000 {
      let timestamp = Timestamp(nanoseconds: .random(in: -end...end, using: &generator))
      #expect(Timestamp(seconds: timestamp.seconds) == timestamp)
    }
  }

  @Test func secondsOnTheUnixClockRoundTripThroughNanoseconds() throws {
    var generator = SplitMix64(seed: 2)
    for _ in 0..<100_000 {
      let seconds = Double.random(in: 8_388_608..<4_000_000_000, using: &generator)
      #expect(try #require(Timestamp(seconds: seconds)).seconds == seconds)
    }
  }

  @Test func secondsSinceAnInstantAreExactWhateverTheClocksZero() {
    let first = Timestamp(nanoseconds: 1_763_596_800_000_000_001)
    let last = Timestamp(nanoseconds: 1_763_596_801_500_000_001)
    #expect(last.seconds(since: first) == 1.5)
    #expect(first.seconds(since: last) == -1.5)
    #expect(Timestamp(nanoseconds: 3).seconds(since: Timestamp(nanoseconds: 0)) == 3e-9)
  }

  @Test func instantsAreOrderedByTime() {
    let sorted = [Int64.min, -1, 0, 1, .max].map(Timestamp.init(nanoseconds:))
    #expect(sorted.shuffled().sorted() == sorted)
    #expect(!(sorted[2] < sorted[2]))
  }

  @Test(
    arguments: [
      (-21, -3, -2), (-20, -2, -2), (-1, -1, 0), (0, 0, 0), (1, 0, 1), (9, 0, 1), (10, 1, 1),
    ] as [(Int64, Int64, Int64)])
  func intervalsAreRoundedDownAlsoBeforeZero(nanoseconds: Int64, holding: Int64, next: Int64) {
    let timestamp = Timestamp(nanoseconds: nanoseconds)
    #expect(timestamp.interval(of: 10) == holding)
    #expect(timestamp.firstInterval(of: 10) == next)
  }

  @Test func everyInstantIsInAnInterval() {
    #expect(Timestamp(nanoseconds: .min).interval(of: 10) == Int64.min / 10 - 1)
    #expect(Timestamp(nanoseconds: .max).firstInterval(of: 10) == Int64.max / 10 + 1)
  }

  @Test(arguments: [Int64.min, -1, 0, 1_763_596_800_125_000_001, .max])
  func anInstantIsCodable(nanoseconds: Int64) throws {
    let timestamp = Timestamp(nanoseconds: nanoseconds)
    let stored = try JSONEncoder().encode(timestamp)
    #expect(try JSONDecoder().decode(Timestamp.self, from: stored) == timestamp)
  }
}
