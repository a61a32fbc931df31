/// The samples of one sensor of a recording on the uniform grid, in stretches without gaps: what
/// passed through a ``UniformResampler``, kept.
package struct GriddedSeries: Sendable {
  /// Neighbouring cells of the grid.
  package struct Stretch: Sendable {
    /// The number of the first cell; cell k covers the grid period that starts at k periods.
    package var firstCell: Int64
    /// The cells, in the unit of the sensor, with their norms.
    package var samples: [SIMD4<Float>] = []

    /// The cell behind the last one.
    package var endCell: Int64 { firstCell + Int64(samples.count) }
  }

  /// The stretches, in the order in which they were recorded.
  package private(set) var stretches: [Stretch] = []
  private var grid: UniformResampler

  /// A series without samples.
  package init(settings: UniformResampler.Settings = .init()) {
    grid = UniformResampler(settings: settings)
  }

  /// Adds samples.
  package mutating func append(_ series: SensorBatch.Series) {
    for index in 0..<series.count {
      let end = grid.nextCell
      let verdict = grid.take(
        x: series.x[index], y: series.y[index], z: series.z[index], at: series.timestamps[index])
      let new = verdict == .begins ? grid.count : Int(grid.nextCell - end)
      if verdict == .begins { stretches.append(Stretch(firstCell: grid.nextCell - Int64(new))) }
      guard new > 0, !stretches.isEmpty else { continue }
      let last = stretches.count - 1
      grid.withCells(before: grid.nextCell, atMost: new) { cells in
        for cell in cells.indices { stretches[last].samples.append(cells[cell]) }
      }
    }
  }
}
