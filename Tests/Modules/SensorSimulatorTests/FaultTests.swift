import Foundation
import LocomotionSensing
import SensorSimulator
import Testing

@Suite struct FaultTests {
  private let recording = Scenario(seed: 1).walk(.minutes(2)).recording()

  private func damaged(_ faults: SensorFault...) -> SensorBatch {
    var injector = FaultInjector(faults, seed: 7, start: recording.span.lowerBound)
    return injector.damaged(recording.wholeBatch())
  }

  private func seconds(_ times: [Timestamp]) -> [Double] {
    times.map { $0.seconds(since: recording.span.lowerBound) }
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

  @Test func spikesHaveTheirSize() {
    let series = damaged(.spikes(probability: 0.01, size: 500)).accelerations
    #expect(abs(series.z.filter { abs($0) > 300 }.count - 120) < 44)
  }

  @Test func aGapIsEmpty() {
    let batch = damaged(.gap(from: 30, to: 50))
    #expect(seconds(batch.accelerations.timestamps).allSatisfy { !(30..<50).contains($0) })
    #expect(seconds(batch.fixes.map(\.timestamp)).allSatisfy { !(30..<50).contains($0) })
    #expect(abs(batch.accelerations.count - 10_000) <= 2)
  }

  @Test func duplicatesRepeatTheirTime() {
    let times = damaged(.duplicates(probability: 0.1)).accelerations.timestamps
    let repeats = zip(times, times.dropFirst()).filter { $0 == $1 }.count
    #expect(abs(repeats - 1200) < 130)
    #expect(times.count == repeats + recording.wholeBatch().accelerations.count)
  }

  @Test func swapsReverseTimestamps() {
    let times = damaged(.swaps(probability: 0.1)).accelerations.timestamps
    let backwards = zip(times, times.dropFirst()).filter { $0 > $1 }.count
    #expect(abs(backwards - 1150) < 180)
    #expect(times.sorted() == recording.wholeBatch().accelerations.timestamps)
  }

  @Test func aClockStepShiftsTimestamps() {
    for by in [-20.0, 3600] {
      let batch = damaged(.clockStep(at: 60, by: by))
      let last = seconds(batch.accelerations.timestamps).last ?? 0
      #expect(abs(last - (120 + by)) < 0.1)
      #expect(abs((seconds(batch.fixes.map(\.timestamp)).last ?? 0) - (119.5 + by)) < 1)
    }
  }

  @Test func aStuckClockRepeatsTimestamps() {
    let times = damaged(.stuckClock(from: 10, to: 12)).accelerations.timestamps
    let counts = Dictionary(grouping: times, by: \.self).mapValues(\.count)
    #expect(abs((counts.values.max() ?? 0) - 200) <= 1)
  }

  @Test func burstsAreStampedOnDelivery() {
    let times = seconds(damaged(.bursts(seconds: 5)).accelerations.timestamps)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    let close = zip(times, times.dropFirst()).filter { $1 - $0 < 0.0011 }.count
    #expect(close > 11_900)
    #expect(abs((times.first ?? 0) - 5) < 1e-6)
  }

  @Test func fixFaultsInvalidateTheirValues() {
    let batch = damaged(.unknownAccuracy(probability: 0.5), .nullIsland(probability: 0.2))
    #expect(abs(batch.fixes.filter { $0.horizontalAccuracy == nil }.count - 60) < 22)
    #expect((8...42).contains(batch.fixes.filter { $0.latitude == 0 }.count))
    #expect(damaged(.invalidPosition(probability: 1)).fixes.allSatisfy { $0.latitude.isNaN })
  }

  /// Metres between the fixes of two batches, one by one.
  private func offsets(_ a: SensorBatch, _ b: SensorBatch) -> [Double] {
    zip(a.fixes, b.fixes).map { a, b in
      let degree = 111_200.0
      let east = (a.longitude - b.longitude) * degree * cos(a.latitude * .pi / 180)
      return hypot(east, (a.latitude - b.latitude) * degree)
    }
  }

  @Test func aDragGrowsToItsSizeAndSnapsBack() throws {
    let whole = recording.wholeBatch()
    let batch = damaged(.drag(from: 40, to: 60, metres: 50, bearing: 90, agrees: true))
    let times = seconds(whole.fixes.map(\.timestamp))
    for (time, offset) in zip(times, offsets(batch, whole)) {
      let expected = (40..<60).contains(time) ? 50 * (time - 40) / 20 : 0
      #expect(abs(offset - expected) < 0.5, "\(time)")
    }
    // The walk goes north, the drag east at 2.5 m/s: the speeds add up.
    let index = try #require(times.firstIndex { $0 > 45 })
    let speeds = (batch.fixes[index].speed ?? 0, whole.fixes[index].speed ?? 0)
    #expect(speeds.0 > speeds.1 + 0.5)
  }

  @Test func scatterHasItsDeviationAndKeepsSpeedsAndAccuracies() {
    let whole = recording.wholeBatch()
    let batch = damaged(.scatter(deviation: 20, timeConstant: 3))
    let offsets = offsets(batch, whole)
    let rms = (offsets.reduce(0) { $0 + $1 * $1 } / Double(offsets.count)).squareRoot()
    // Two axes of 20 m; 120 fixes correlated over 3 s are some twenty draws of each.
    #expect(abs(rms - 20 * 2.0.squareRoot()) < 8)
    #expect(batch.fixes.map(\.speed) == whole.fixes.map(\.speed))
    #expect(batch.fixes.map(\.horizontalAccuracy) == whole.fixes.map(\.horizontalAccuracy))
  }

  @Test func sparsePositionsAreThatAlone() {
    let batch = damaged(.positionsOnly, .sparse(seconds: 10))
    let times = seconds(batch.fixes.map(\.timestamp))
    #expect(zip(times, times.dropFirst()).allSatisfy { abs($1 - $0 - 10) < 1.1 })
    #expect(batch.fixes.count == 12)
    #expect(
      batch.fixes.allSatisfy {
        $0.speed == nil && $0.course == nil && $0.horizontalAccuracy == nil
          && abs($0.latitude) <= 90
      })
  }
}
