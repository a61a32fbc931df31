import Foundation
import LocomotionSensing
import SensorSimulator
import Testing

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
