import LocomotionSensing
import SensorSimulator
import Testing

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
