/// The rotation rates: validated and counted once, their level per epoch, and the newest of them on
/// the grid of the accelerations.
///
/// They have a resampler of their own: packets may come earlier or later than those of the
/// accelerations.
package struct RotationIntake: Sendable, StateArchivable {
  /// Cells by which the window of rates ends before that of the accelerations.
  ///
  /// When the accelerations end a second, the rates of its last moment are still to come: a cell
  /// is known when a sample behind it is. Every rate that can be gridded is known a quarter of a
  /// second later, and always the same ones are taken, in whatever order the sensors deliver.
  package static let lag: Int64 = 25
  /// A window and what packets bring ahead of the accelerations, five seconds.
  private static let capacity = 1024

  /// The largest component of a rate that is used, rad/s.
  private let largestRate = UniformResampler.Settings.rotationRates.largestComponent
  private(set) var counts = IntakeCounts()
  private var epoch: Int64?
  private var sumOfSquares: Float = 0
  private var count: Float = 0
  /// Grows to ``capacity`` when the first rate comes: most phones record none.
  private var grid = UniformResampler(settings: .rotationRates, capacity: 1)

  init() {}

  /// RMS over the current epoch, rad/s; nil when nothing was measured in it.
  var level: Float? { count > 0 ? (sumOfSquares / count).squareRoot() : nil }

  mutating func begin(_ index: Int64) {
    epoch = index
    sumOfSquares = 0
    count = 0
  }

  /// Takes in a rate, rad/s.
  ///
  /// One that isn't of the current epoch counts as out of order and is no part of ``level``; it may
  /// still be on the grid, where later windows find it.
  mutating func append(x: Float, y: Float, z: Float, at timestamp: Timestamp) {
    guard x.isFinite, y.isFinite, z.isFinite else { return counts.count(.notFinite) }
    guard max(abs(x), abs(y), abs(z)) <= largestRate,
      timestamp.isPlausible
    else {
      return counts.count(.outOfRange)
    }
    if count == 0, grid.capacity < Self.capacity { grid.capacity = Self.capacity }
    _ = grid.take(x: x, y: y, z: z, at: timestamp)
    guard Epoch.index(of: timestamp) == epoch else { return counts.count(.outOfOrder) }
    counts.count(nil)
    sumOfSquares += x * x + y * y + z * z
    count += 1
  }

  /// Forgets the rates on the grid: the clock of the accelerations was set back.
  mutating func resetGrid() { grid.reset() }

  /// Forgets everything but the counts.
  mutating func reset() {
    resetGrid()
    epoch = nil
    sumOfSquares = 0
    count = 0
  }

  /// Calls `body` with the rates of the window that belongs to a window of accelerations before the
  /// cell `end`; with none, unless every cell of it was measured.
  func withWindow<Result>(before end: Int64, _ body: (Span<SIMD4<Float>>) -> Result) -> Result {
    let (length, end) = (FeatureExtractor.windowLength, end - Self.lag)
    let isMeasured = end <= grid.nextCell && grid.count(before: end) >= length
    return grid.withCells(before: end, atMost: isMeasured ? length : 0, body)
  }

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&counts)
    archive.pass(epoch: &epoch)
    archive.pass(&sumOfSquares, &count, &grid)
    archive.require(grid.capacity == 1 || grid.capacity == Self.capacity)
  }
}
