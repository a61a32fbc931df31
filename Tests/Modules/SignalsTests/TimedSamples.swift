import Foundation
import LocomotionSignals
import TestSupport

/// One sample as a sensor delivers it.
struct TimedSample {
  var nanoseconds: Int64
  var value: SIMD3<Float>

  init(_ nanoseconds: Int64, _ x: Float, _ y: Float, _ z: Float) {
    self.nanoseconds = nanoseconds
    self.value = SIMD3(x, y, z)
  }

  init(_ nanoseconds: Int64, _ value: SIMD3<Float>) {
    self.nanoseconds = nanoseconds
    self.value = value
  }
}

/// Cells without a gap.
struct Stretch: Equatable {
  var firstCell: Int64
  var cells: [SIMD4<Float>] = []

  /// The cells from `cell` on.
  func from(_ cell: Int64) -> Stretch {
    Stretch(firstCell: cell, cells: Array(cells.dropFirst(Int(cell - firstCell))))
  }
}

/// A resampler's complete output for a stream.
struct Resampling {
  var resampler: UniformResampler
  var verdicts: [UniformResampler.Verdict] = []
  var stretches: [Stretch] = []

  init(settings: UniformResampler.Settings = .withoutBridges) {
    // One step may complete as many cells as the longest gap has, and one more; filling a gap takes
    // four seconds from before it.
    resampler = UniformResampler(
      settings: settings,
      capacity: Int(max(settings.longestGap, 2 * settings.longestBridge) / settings.period) + 2)
  }

  init(_ samples: [TimedSample], settings: UniformResampler.Settings = .withoutBridges) {
    self.init(settings: settings)
    append(samples)
  }

  var counts: IntakeCounts { resampler.counts }

  mutating func append(_ samples: [TimedSample]) {
    for sample in samples { append(sample) }
  }

  mutating func append(_ sample: TimedSample) {
    let before = resampler.nextCell
    let verdict = resampler.take(sample)
    verdicts.append(verdict)
    switch verdict {
    case .begins:
      let cells = resampler.cells
      stretches.append(
        Stretch(firstCell: resampler.nextCell - Int64(cells.count), cells: cells))
    case .continues, .resumes:
      // A restored one has none from before.
      if stretches.isEmpty { stretches.append(Stretch(firstCell: before)) }
      stretches[stretches.count - 1].cells += resampler.latest(Int(resampler.nextCell - before))
    case .held, .dropped:
      break
    }
  }
}

extension Resampling: StateArchivable {
  mutating func pass(through archive: inout StateArchive) { archive.pass(&resampler) }
}

extension UniformResampler {
  /// Takes in the next sample.
  mutating func take(_ sample: TimedSample) -> Verdict {
    take(
      x: sample.value.x, y: sample.value.y, z: sample.value.z,
      at: Timestamp(nanoseconds: sample.nanoseconds))
  }

  /// The newest cells, oldest first.
  func latest(_ length: Int) -> [SIMD4<Float>] {
    withCells(before: nextCell, atMost: length) { cells in cells.indices.map { cells[$0] } }
  }

  /// All cells that are held, oldest first.
  var cells: [SIMD4<Float>] { latest(count) }
}

extension UniformResampler.Settings {
  /// The defaults, but for gaps, after which a new stretch begins.
  static let withoutBridges: UniformResampler.Settings = {
    var settings = UniformResampler.Settings()
    settings.longestBridge = 0
    return settings
  }()
}

/// Means over the cells of the straight lines that join the samples: one trapezoid for each cell
/// and line, in Double.
func naiveCells(
  _ samples: [TimedSample], period: Int64
) -> (firstCell: Int64, cells: [SIMD3<Double>]) {
  let first = Int64((Double(samples[0].nanoseconds) / Double(period)).rounded(.up))
  let last = Int64(
    (Double(samples[samples.count - 1].nanoseconds) / Double(period)).rounded(.down))
  guard last > first else { return (first, []) }
  let cells = (first..<last).map { cell in
    var sum = SIMD3<Double>.zero
    for (left, right) in zip(samples, samples.dropFirst()) {
      let from = max(left.nanoseconds, cell * period)
      let to = min(right.nanoseconds, (cell + 1) * period)
      guard to > from else { continue }
      func value(at time: Int64) -> SIMD3<Double> {
        let fraction =
          Double(time - left.nanoseconds) / Double(right.nanoseconds - left.nanoseconds)
        return SIMD3<Double>(left.value) * (1 - fraction) + SIMD3<Double>(right.value) * fraction
      }
      sum += (value(at: from) + value(at: to)) * (0.5 * Double(to - from))
    }
    return sum / Double(period)
  }
  return (first, cells)
}

/// The documented bound on the error of a component: n line segments in a cell, values of at most
/// `magnitude`.
func resamplingTolerance(pieces: Int, magnitude: Float) -> Double {
  (Double(pieces) / 2 + 8) * Double(Float.ulpOfOne) * Double(magnitude)
}

/// A walker's acceleration at `seconds`: gravity on a tilted phone and harmonics of 2 Hz.
func walk(_ seconds: Double) -> SIMD3<Float> {
  let phase = 2 * Double.pi * 2 * seconds
  return SIMD3(
    Float(1.5 + 0.8 * sin(phase / 2)), Float(3.5 + 1.1 * cos(phase) + 0.3 * sin(5 * phase)),
    Float(8.9 + 2.5 * sin(phase + 0.3) + 0.9 * cos(2 * phase)))
}

/// The walker sampled at `hertz` from `start` on, times rounded to the nanosecond.
func walk(hertz: Double, from start: Int64 = 0, seconds: Double) -> [TimedSample] {
  (0...Int(seconds * hertz)).map { index in
    let time = start + Int64((Double(index) * 1e9 / hertz).rounded())
    return TimedSample(time, walk(Double(time) * 1e-9))
  }
}
