internal import CLocomotionMath

/// Exact quantiles of a few hundred values without sorting them all.
///
/// The values are counted into 256 equal cells between their extremes; only the cells that hold
/// the wanted ranks are sorted. With nearly all values in one cell (a single spike does that) the
/// cost grows to that of a full sort; the result is the same.
///
/// - Complexity: O(n) for values that spread; allocates in `init` only.
struct OrderStatistics: Sendable {
  private static let cells = 256
  /// The cell of each value, a whole number.
  private var cellOf: [SIMD4<Float>]
  private var population: [Int32]
  private var members: [Float]
  private var count = 0
  private var lowest: Float = 0
  private var isConstant = true

  /// Room for `capacity` values.
  init(capacity: Int) {
    cellOf = Array(repeating: .zero, count: (capacity + 3) / 4)
    population = Array(repeating: 0, count: Self.cells)
    members = Array(repeating: 0, count: capacity)
  }

  /// Prepares for quantiles of the first `count` of `values`, which are finite and lie four side by
  /// side; of the last four at least one counts.
  mutating func load(_ values: [SIMD4<Float>], count: Int) {
    self.count = count
    var (low, high) = (values[0], values[0])
    for four in values {
      low = smaller(four, low)
      high = larger(four, high)
    }
    lowest = low.min()
    let cellsPerUnit = Float(Self.cells - 1) / (high.max() - lowest)
    isConstant = !cellsPerUnit.isFinite
    guard !isConstant else { return }

    let scale = (low: lowest, cellsPerUnit: cellsPerUnit, surplus: 4 * values.count - count)
    Self.count(values, scale, into: &population, &cellOf)
  }

  /// Counts all but the last `surplus` of `values` into their cells.
  private static func count(
    _ values: [SIMD4<Float>], _ scale: (low: Float, cellsPerUnit: Float, surplus: Int),
    into population: inout [Int32], _ cellOf: inout [SIMD4<Float>]
  ) {
    var population = population.mutableSpan
    var cellOf = cellOf.mutableSpan
    for cell in population.indices { population[cell] = 0 }
    // Adding and subtracting 2²³ rounds to a whole number. Rounding can't break the order: every
    // step is monotone.
    let rounder: Float = 8_388_608
    for index in values.indices {
      let cell = (values[index] - scale.low) * scale.cellsPerUnit + rounder
      cellOf[index] = cell - rounder
      for lane in 0..<4 { population[Int(cell[lane].bitPattern & 0xFF)] &+= 1 }
    }
    let last = values.count - 1
    for lane in 4 - scale.surplus..<4 { population[Int(cellOf[last][lane])] -= 1 }
  }

  /// The quantile at `probability` of the values that were loaded, linear between the two nearest
  /// ranks.
  ///
  /// This is definition 7 of Hyndman and Fan, "Sample quantiles in statistical packages", The
  /// American Statistician 50(4), 1996, and the default of NumPy.
  mutating func quantile(_ probability: Float, of values: [SIMD4<Float>]) -> Float {
    guard !isConstant else { return lowest }
    let position = probability * Float(count - 1)
    let rank = min(Int(position), count - 2)
    let (lower, upper) = neighbours(rank, of: values)
    return lower + (position - Float(rank)) * (upper - lower)
  }

  /// The values of rank `rank` and `rank + 1`, counted from 0.
  private mutating func neighbours(_ rank: Int, of values: [SIMD4<Float>]) -> (Float, Float) {
    var cell = 0
    var below = 0
    while below + Int(population[cell]) <= rank {
      below += Int(population[cell])
      cell += 1
    }
    var last = cell
    if rank + 1 == below + Int(population[cell]) {
      last += 1
      while population[last] == 0 { last += 1 }
    }
    gather(cell, last, of: values)
    return (members[rank - below], members[rank - below + 1])
  }

  /// Puts the values of the cells `first` and `last`, between which none is, into `members` in
  /// ascending order.
  private mutating func gather(_ first: Int, _ last: Int, of values: [SIMD4<Float>]) {
    let (low, high) = (SIMD4(repeating: Float(first)), SIMD4(repeating: Float(last)))
    var found = 0
    for index in values.indices {
      let cell = cellOf[index]
      let isMember = (cell .>= low) .& (cell .<= high)
      guard any(isMember) else { continue }
      for lane in 0..<4 where isMember[lane] && 4 * index + lane < count {
        members[found] = values[index][lane]
        found += 1
      }
    }
    // Shell's sort with Ciura's gaps: in place, where the standard library's allocates.
    for gap in Self.gaps where gap < found {
      for index in gap..<found {
        let value = members[index]
        var hole = index
        while hole >= gap && members[hole - gap] > value {
          members[hole] = members[hole - gap]
          hole -= gap
        }
        members[hole] = value
      }
    }
  }

  private static let gaps = [301, 132, 57, 23, 10, 4, 1]
}
