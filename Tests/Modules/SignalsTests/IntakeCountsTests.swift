import LocomotionSignals
import TestSupport
import Testing

@Suite struct IntakeCountsTests {
  static func counts() -> IntakeCounts {
    var counts = IntakeCounts()
    counts.received = 131
    counts.kept = 100
    counts.notFinite = 1
    counts.outOfRange = 2
    counts.duplicate = 4
    counts.outOfOrder = 8
    counts.isolated = 16
    counts.saturated = 32
    counts.gaps = 64
    counts.clockResets = 128
    return counts
  }

  @Test func newCountsAreZero() {
    #expect(IntakeCounts().received == 0)
    #expect(IntakeCounts().dropped == 0)
  }

  @Test func theReasonsSumToTheDropped() {
    let counts = Self.counts()
    let byReason = IntakeCounts.DropReason.allCases.map(counts.dropped(for:))
    #expect(byReason == [1, 2, 4, 8, 16])
    #expect(counts.dropped == 31)
    #expect(counts.received == counts.kept + counts.dropped)
  }

  @Test func countsAreArchived() throws {
    #expect(try restored(IntakeCounts(), from: Self.counts()) == Self.counts())
  }
}
