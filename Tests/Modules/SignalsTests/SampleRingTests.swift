import LocomotionSignals
import TestSupport
import Testing

@Suite struct SampleRingTests {
  @Test func theLayoutsAreAllDifferent() {
    // Σ capacity · (capacity + 1) over 1, 2, 3, 5, 8, 13.
    #expect(RingLayout.all.count == 2 + 6 + 12 + 30 + 72 + 182)
  }

  @Test func everyWindowHoldsTheNewestSamples() {
    withEveryLayout { ring, samples, layout in
      #expect(ring.capacity == layout.capacity, "\(layout)")
      #expect(ring.count == samples.count, "\(layout)")
      for length in 0...samples.count {
        #expect(ring.latest(length) == samples.suffix(length), "\(layout), length \(length)")
      }
    }
  }

  @Test func oneMoreSamplePushesOutTheOldest() {
    withEveryLayout { ring, samples, layout in
      var ring = ring
      var oracle = samples
      for index in 0..<2 * layout.capacity {
        let sample = RingLayout.sample(100 + index)
        ring.append(sample)
        oracle = (oracle + [sample]).suffix(layout.capacity)
        #expect(ring.samples == oracle, "\(layout), sample \(index)")
      }
    }
  }

  @Test func equalityAndHashDependOnTheSamplesAlone() {
    withEveryLayout { ring, samples, layout in
      var straight = SampleRing(capacity: layout.capacity)
      for sample in samples { straight.append(sample) }
      #expect(ring == straight, "\(layout)")
      #expect(ring.hashValue == straight.hashValue, "\(layout)")
    }
  }

  @Test func aDifferenceInAnySampleOrLaneMakesRingsUnequal() {
    withEveryLayout { ring, samples, layout in
      for index in samples.indices {
        for lane in 0..<4 {
          var changed = samples
          changed[index][lane] += 1
          var other = SampleRing(capacity: layout.capacity)
          for sample in changed { other.append(sample) }
          #expect(ring != other, "\(layout), sample \(index), lane \(lane)")
        }
      }
    }
  }

  @Test func ringsOfDifferentCapacityOrCountDiffer() {
    var (three, four) = (SampleRing(capacity: 3), SampleRing(capacity: 4))
    #expect(three != four)
    three.append(.zero)
    four.append(.zero)
    #expect(three != four)
    #expect(three != SampleRing(capacity: 3))
  }

  @Test func aRingIsRestoredInEveryLayout() throws {
    try withEveryLayout { ring, samples, layout in
      var copy = try restored(SampleRing(capacity: 1), from: ring)
      #expect(copy == ring, "\(layout)")
      #expect(copy.samples == samples, "\(layout)")
      var original = ring
      for index in 0..<layout.capacity + 1 {
        original.append(RingLayout.sample(200 + index))
        copy.append(RingLayout.sample(200 + index))
        #expect(copy == original, "\(layout), after \(index + 1) more")
      }
    }
  }

  @Test func theArchivedFormIsIndependentOfTheLayout() {
    withEveryLayout { ring, samples, layout in
      var straight = SampleRing(capacity: layout.capacity)
      for sample in samples { straight.append(sample) }
      #expect(archived(ring) == archived(straight), "\(layout)")
    }
  }

  @Test(arguments: [(0, 0), (-3, 0), (.max, 0), (1, 2)] as [(Int, Int)])
  func aDamagedArchiveIsRefused(capacity: Int, count: Int) {
    let samples = [SIMD4<Float>](repeating: SIMD4(1, 2, 3, 4), count: count)
    let bytes = archived(Int64(capacity)) + archived(samples)
    #expect(throws: DamagedArchive.self) { try restored(SampleRing(capacity: 4), from: bytes) }
  }

  @Test func aCopyIsAValue() {
    withEveryLayout { ring, samples, layout in
      var copy = ring
      copy.append(RingLayout.sample(300))
      #expect(ring.samples == samples, "\(layout)")
      #expect(copy.latest(1) == [RingLayout.sample(300)], "\(layout)")
      var emptied = ring
      emptied.removeAll()
      #expect(ring.samples == samples, "\(layout)")
    }
  }

  @Test func anEmptiedRingHasNoOldSamples() {
    withEveryLayout { ring, _, layout in
      var ring = ring
      ring.removeAll()
      #expect(ring.count == 0, "\(layout)")
      #expect(ring == SampleRing(capacity: layout.capacity), "\(layout)")
      #expect(ring.hashValue == SampleRing(capacity: layout.capacity).hashValue, "\(layout)")
      ring.append(RingLayout.sample(400))
      #expect(ring.samples == [RingLayout.sample(400)], "\(layout)")
    }
  }
}
