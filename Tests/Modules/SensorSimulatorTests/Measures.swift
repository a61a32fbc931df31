import Foundation
import LocomotionSensing
import SensorSimulator

/// The samples of one span, with the mean as the direction of gravity.
struct Span3 {
  var times: [Double] = []
  var x: [Double] = [], y: [Double] = [], z: [Double] = []

  /// The accelerations of `batch` from `from` to `to`, seconds since `start`.
  init(_ batch: SensorBatch, since start: Timestamp, from: Double = 0, to: Double = .infinity) {
    let series = batch.accelerations
    for index in 0..<series.count {
      let time = series.timestamps[index].seconds(since: start)
      guard time >= from, time < to else { continue }
      times.append(time)
      x.append(Double(series.x[index]))
      y.append(Double(series.y[index]))
      z.append(Double(series.z[index]))
    }
  }

  var norms: [Double] {
    times.indices.map { (x[$0] * x[$0] + y[$0] * y[$0] + z[$0] * z[$0]).squareRoot() }
  }

  /// The component along the mean, the mean removed.
  var vertical: [Double] {
    let (mx, my, mz) = (mean(x), mean(y), mean(z))
    let norm = (mx * mx + my * my + mz * mz).squareRoot()
    return times.indices.map { (x[$0] * mx + y[$0] * my + z[$0] * mz) / norm - norm }
  }

  /// The frequency in `band` at which a Hann-windowed direct transform of `signal` is largest.
  func peak(of signal: [Double], in band: ClosedRange<Double>) -> Double {
    let length = times[times.count - 1] - times[0]
    var best = (frequency: band.lowerBound, power: 0.0)
    for frequency in stride(from: band.lowerBound, through: band.upperBound, by: 0.1 / length) {
      var (real, imaginary) = (0.0, 0.0)
      for index in times.indices {
        let fraction = (times[index] - times[0]) / length
        let value = signal[index] * (1 - cos(2 * .pi * fraction))
        real += value * cos(2 * .pi * frequency * times[index])
        imaginary += value * sin(2 * .pi * frequency * times[index])
      }
      let power = real * real + imaginary * imaginary
      if power > best.power { best = (frequency, power) }
    }
    return best.frequency
  }
}

func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }

func variance(_ values: [Double]) -> Double {
  let centre = mean(values)
  return mean(values.map { ($0 - centre) * ($0 - centre) })
}

/// East and north of `to` from `from`, metres, on WGS 84 near `from`.
func metres(
  from: (latitude: Double, longitude: Double), to: (latitude: Double, longitude: Double)
) -> (east: Double, north: Double) {
  let latitude = 0.5 * (from.latitude + to.latitude) * .pi / 180
  let root = (1 - 0.006_694_379_990_14 * sin(latitude) * sin(latitude)).squareRoot()
  let normal = 6_378_137 / root
  let meridian = normal * (1 - 0.006_694_379_990_14) / (root * root)
  return (
    (to.longitude - from.longitude) * .pi / 180 * normal * cos(latitude),
    (to.latitude - from.latitude) * .pi / 180 * meridian
  )
}

/// The fixes' errors, metres east and north.
func errors(_ recording: SimulatedRecording) -> [(fix: LocationFix, east: Double, north: Double)] {
  recording.batches(everySeconds: 60).flatMap(\.fixes).map { fix in
    let truth = recording.position(at: fix.timestamp)
    let error = metres(
      from: (truth.latitude, truth.longitude), to: (fix.latitude, fix.longitude))
    return (fix, error.east, error.north)
  }
}
