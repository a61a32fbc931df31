import LocomotionActivityRecognition
import LocomotionRecordings
package import LocomotionSensing
package import LocomotionSignals

/// The accelerations and rotation rates of a recording on the device's 100 Hz grid, in stretches
/// without gaps.
package struct GriddedRecording {
  /// The accelerations, m/s².
  package let stretches: [GriddedSeries.Stretch]
  /// The rotation rates, rad/s.
  private let rotations: [GriddedSeries.Stretch]
  /// The speeds that fixes reported, m/s, as they came.
  let speeds: [(timestamp: Timestamp, metresPerSecond: Float)]
  /// Whether the mean acceleration may be the Earth's gravity: not in another unit, nor without it.
  let hasGravity: Bool

  private static let period = UniformResampler.Settings().period

  /// When cell number `cell` starts.
  package static func timestamp(ofCell cell: Int64) -> Timestamp {
    Timestamp(nanoseconds: cell * period)
  }

  init(path: String) throws(RecordingError) {
    var reader = try RecordingReader(path: path)
    var batch = SensorBatch()
    var accelerations = GriddedSeries()
    var rates = GriddedSeries(settings: .rotationRates)
    var speeds: [(timestamp: Timestamp, metresPerSecond: Float)] = []
    var summary = AccelerationSummary()
    while try reader.read(into: &batch) {
      for fix in batch.fixes {
        if let speed = fix.speed { speeds.append((fix.timestamp, Float(speed))) }
      }
      let samples = batch.accelerations
      for index in 0..<samples.count {
        summary.add(
          samples.x[index], samples.y[index], samples.z[index], at: samples.timestamps[index])
      }
      accelerations.append(samples)
      rates.append(batch.rotationRates)
    }
    stretches = accelerations.stretches
    rotations = rates.stretches
    self.speeds = speeds.sorted { $0.timestamp < $1.timestamp }
    hasGravity = summary.gravity.map { AccelerationSummary.doubt(ofGravity: $0) == nil } ?? true
  }

  /// The grid of accelerations without anything else.
  package init(_ accelerations: SensorBatch.Series) {
    var grid = GriddedSeries()
    grid.append(accelerations)
    stretches = grid.stretches
    rotations = []
    speeds = []
    hasGravity = true
  }

  /// The rotation rates of some cells; nil unless all were measured.
  func rotation(from firstCell: Int64, count: Int) -> ArraySlice<SIMD4<Float>>? {
    let end = firstCell + Int64(count)
    let stretch = rotations.last {
      $0.firstCell <= firstCell && end <= $0.endCell
    }
    guard let stretch else { return nil }
    let first = Int(firstCell - stretch.firstCell)
    return stretch.samples[first..<first + count]
  }

  /// The newest speed of the eight seconds before `instant`, m/s.
  func speed(at instant: Timestamp) -> Float? {
    guard let newest = speeds.last(where: { $0.timestamp <= instant }),
      instant.seconds(since: newest.timestamp) <= Self.longestSpeedAge
    else { return nil }
    return newest.metresPerSecond
  }

  /// The greatest age of a speed, seconds.
  private static let longestSpeedAge = 8.0

  /// The parts of the stretches that lie fully in an interval.
  func stretches(
    from start: Timestamp, to end: Timestamp, marginSeconds: Double
  ) -> [GriddedSeries.Stretch] {
    let margin = Int64((marginSeconds * 1e9).rounded())
    // Cell k is inside when k · period ≥ first and (k + 1) · period ≤ last.
    let first = start.advanced(byNanoseconds: margin).firstInterval(of: Self.period)
    let last = end.advanced(byNanoseconds: -margin).interval(of: Self.period)
    return stretches.compactMap { stretch in
      let lower = max(stretch.firstCell, first)
      let upper = min(stretch.endCell, last)
      guard lower < upper else { return nil }
      let range = Int(lower - stretch.firstCell)..<Int(upper - stretch.firstCell)
      var part = stretch
      (part.firstCell, part.samples) = (lower, Array(stretch.samples[range]))
      return part
    }
  }
}
