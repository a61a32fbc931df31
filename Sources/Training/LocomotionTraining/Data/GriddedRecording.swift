import LocomotionActivityRecognition
import LocomotionRecordings
package import LocomotionSensing
import LocomotionSignals

/// The accelerations and rotation rates of a recording on the device's 100 Hz grid, in stretches
/// without gaps.
package struct GriddedRecording {
  /// Neighbouring cells of the grid.
  package struct Stretch {
    /// The number of the first cell; cell k covers the grid period that starts at k periods.
    package var firstCell: Int64
    /// The cells, m/s² or rad/s.
    package var samples: [SIMD3<Float>] = []
  }

  /// The accelerations, m/s².
  package let stretches: [Stretch]
  /// The rotation rates, rad/s.
  private let rotations: [Stretch]
  /// The speeds that fixes reported, m/s, as they came.
  let speeds: [(timestamp: Timestamp, metresPerSecond: Float)]
  /// The counts of the samples.
  let counts: IntakeCounts

  private static let period = UniformResampler.Settings().period

  /// When cell number `cell` starts.
  package static func timestamp(ofCell cell: Int64) -> Timestamp {
    Timestamp(nanoseconds: cell * period)
  }

  init(path: String) throws(RecordingError) {
    var reader = try RecordingReader(path: path)
    var batch = SensorBatch()
    var accelerations = Grid(settings: UniformResampler.Settings())
    var rates = Grid(settings: .rotationRates)
    var speeds: [(timestamp: Timestamp, metresPerSecond: Float)] = []
    while try reader.read(into: &batch) {
      for fix in batch.fixes {
        if let speed = fix.speed { speeds.append((fix.timestamp, Float(speed))) }
      }
      accelerations.append(batch.accelerations)
      rates.append(batch.rotationRates)
    }
    stretches = accelerations.stretches
    rotations = rates.stretches
    self.speeds = speeds.sorted { $0.timestamp < $1.timestamp }
    counts = accelerations.resampler.counts
  }

  /// The grid of accelerations without anything else.
  package init(_ accelerations: SensorBatch.Series) {
    var grid = Grid(settings: UniformResampler.Settings())
    grid.append(accelerations)
    stretches = grid.stretches
    rotations = []
    speeds = []
    counts = grid.resampler.counts
  }

  /// The stretches of one sensor.
  private struct Grid {
    private(set) var resampler: UniformResampler
    private(set) var stretches: [Stretch] = []
    // Filling a gap takes what was before it.
    private var ring = SampleRing(capacity: 1024)

    init(settings: UniformResampler.Settings) {
      resampler = UniformResampler(settings: settings)
    }

    mutating func append(_ series: SensorBatch.Series) {
      for index in 0..<series.count {
        let end = resampler.nextCell
        let verdict = resampler.resample(
          x: series.x[index], y: series.y[index], z: series.z[index],
          at: series.timestamps[index], into: &ring)
        if verdict == .begins {
          stretches.append(Stretch(firstCell: resampler.nextCell - Int64(ring.count)))
        }
        let new = verdict == .begins ? ring.count : Int(resampler.nextCell - end)
        guard new > 0, !stretches.isEmpty else { continue }
        let last = stretches.count - 1
        ring.withLatest(new) { cells in
          for cell in cells.indices {
            stretches[last].samples.append(SIMD3(cells[cell].x, cells[cell].y, cells[cell].z))
          }
        }
      }
    }
  }

  /// The rotation rates of some cells; nil unless all were measured.
  func rotation(from firstCell: Int64, count: Int) -> ArraySlice<SIMD3<Float>>? {
    let end = firstCell + Int64(count)
    let stretch = rotations.last {
      $0.firstCell <= firstCell && end <= $0.firstCell + Int64($0.samples.count)
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
  ) -> [Stretch] {
    let margin = Int64((marginSeconds * 1e9).rounded())
    let first = start.advanced(byNanoseconds: margin).nanoseconds
    let last = end.advanced(byNanoseconds: -margin).nanoseconds
    return stretches.compactMap { stretch in
      // Cell k is inside when k · period ≥ first and (k + 1) · period ≤ last.
      let lower = max(stretch.firstCell, Self.quotient(first, roundedUp: true))
      let upper = min(
        stretch.firstCell + Int64(stretch.samples.count), Self.quotient(last, roundedUp: false))
      guard lower < upper else { return nil }
      let range = Int(lower - stretch.firstCell)..<Int(upper - stretch.firstCell)
      return Stretch(firstCell: lower, samples: Array(stretch.samples[range]))
    }
  }

  private static func quotient(_ nanoseconds: Int64, roundedUp: Bool) -> Int64 {
    let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: period)
    if roundedUp { return remainder > 0 ? quotient + 1 : quotient }
    return remainder < 0 ? quotient - 1 : quotient
  }
}
