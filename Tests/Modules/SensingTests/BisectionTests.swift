import LocomotionSensing
import Testing

@Suite struct BisectionTests {
  private struct Refused: Error {}

  @Test func itIsTheFirstIndexOfTheSecondPartAtEveryLengthAndPlace() {
    for count in 0...33 {
      let values = Array(0..<count)
      for first in 0...count {
        #expect(values.partitioningIndex { $0 >= first } == first)
        #expect(values[(count / 3)...].partitioningIndex { $0 >= first } == max(first, count / 3))
      }
    }
  }

  @Test func itAsksAsOftenAsBitsOfTheLength() {
    for count in [1, 2, 1_000, 65_536] {
      var calls = 0
      _ = (0..<count).partitioningIndex { index in
        calls += 1
        return index > count / 3
      }
      #expect(calls <= Int.bitWidth - count.leadingZeroBitCount)
    }
  }

  @Test func anErrorOfThePredicateEndsTheSearch() {
    var calls = 0
    #expect(throws: Refused.self) {
      try (0..<100).partitioningIndex { (_: Int) throws(Refused) in
        calls += 1
        throw Refused()
      }
    }
    #expect(calls == 1)
  }
}
