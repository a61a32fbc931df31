import LocomotionSensing
import LocomotionSignals
import SensorSimulator

/// The newest samples of half a minute's walk, with the norm in lane 3.
func filledRing(capacity: Int) -> SampleRing {
  let series = Scenario(seed: 1).walk(.seconds(30)).recording().wholeBatch().accelerations
  var ring = SampleRing(capacity: capacity)
  for index in 0..<series.count {
    let (x, y, z) = (series.x[index], series.y[index], series.z[index])
    ring.append(SIMD4(x, y, z, (x * x + y * y + z * z).squareRoot()))
  }
  return ring
}
