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
  /// The cell of each value.
  private var cellOf: [SIMD16<UInt8>]
  private var population: [Int32]
  private var members: [Float]
  private var count = 0
  private var lowest: Float = 0
  private var isConstant = true

  /// Room for `capacity` values.
  init(capacity: Int) {
    cellOf = Array(repeating: .zero, count: (capacity + 15) / 16)
    population = Array(repeating: 0, count: Self.cells)
    members = Array(repeating: 0, count: 16 * cellOf.count)
  }

  /// Prepares for quantiles of the first `count` of `values`, which are finite and lie four side by
  /// side, as many as there is room for; of the last sixteen at least one counts.
  mutating func load(_ values: [SIMD4<Float>], count: Int) {
    precondition(values.count == 4 * cellOf.count, "expected \(4 * cellOf.count) vectors")
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

    Self.count(values, from: lowest, cellsPerUnit: cellsPerUnit, into: &population, &cellOf)
    let last = cellOf[cellOf.count - 1]
    for lane in 16 - (16 * cellOf.count - count)..<16 { population[Int(last[lane])] -= 1 }
  }

  /// Counts `values` into their cells.
  private static func count(
    _ values: [SIMD4<Float>], from low: Float, cellsPerUnit: Float,
    into population: inout [Int32], _ cellOf: inout [SIMD16<UInt8>]
  ) {
    var population = population.mutableSpan
    // A length that is known here spares the check of each cell.
    precondition(population.count == cells, "another number of cells")
    for cell in population.indices { population[cell] = 0 }
    var cellOf = cellOf.mutableSpan
    let values = values.span
    for index in cellOf.indices {
      // Rounding can't break the order: every step is monotone.
      let four = values.extracting(4 * index..<4 * index + 4)
      let found = bytes(
        (four[0] - low) * cellsPerUnit, (four[1] - low) * cellsPerUnit,
        (four[2] - low) * cellsPerUnit, (four[3] - low) * cellsPerUnit)
      cellOf[index] = found
      for lane in 0..<16 { population[Int(found[lane])] &+= 1 }
    }
  }

  /// The quantile at `probability` of the values that were loaded, linear between the two nearest
  /// ranks.
  ///
  /// This is definition 7 of Hyndman and Fan, "Sample quantiles in statistical packages", The
  /// American Statistician 50(4), 1996, and the default of NumPy.
  mutating func quantile(_ probability: Float, of values: [SIMD4<Float>]) -> Float {
    quantiles(probability, probability, of: values).lower
  }

  /// The quantiles at two probabilities, the lower one first.
  mutating func quantiles(
    _ lower: Float, _ upper: Float, of values: [SIMD4<Float>]
  ) -> (lower: Float, upper: Float) {
    guard !isConstant else { return (lowest, lowest) }
    let (low, high) = (rank(lower), rank(upper))
    let first = neighbourhood(of: low.whole, from: Neighbourhood(cell: 0, next: 0, below: 0))
    let second = neighbourhood(of: high.whole, from: first)
    gather(first, second, of: values)
    // Between the two lie values that were not gathered, and may lie some that were.
    var gathered = 0
    if first.cell < second.cell { gathered += Int(population[first.cell]) }
    if first.cell < first.next, first.next < second.cell {
      gathered += Int(population[first.next])
    }
    return (
      value(at: low.whole - first.below, low.rest),
      value(at: high.whole - second.below + gathered, high.rest)
    )
  }

  /// The rank below a probability's position among the values, from 0, and how far that is past it.
  private func rank(_ probability: Float) -> (whole: Int, rest: Float) {
    let position = probability * Float(count - 1)
    let rank = min(Int(position), count - 2)
    return (rank, position - Float(rank))
  }

  /// The value a `share` of the way from one member to the next.
  private func value(at index: Int, _ share: Float) -> Float {
    members[index] + share * (members[index + 1] - members[index])
  }

  /// The cells of a rank and the next one, and the number of values in the cells below.
  private struct Neighbourhood {
    var cell: Int
    var next: Int
    var below: Int
  }

  /// Where `rank` and `rank + 1` are, at or above the cell of an earlier rank.
  private func neighbourhood(of rank: Int, from start: Neighbourhood) -> Neighbourhood {
    var (cell, below) = (start.cell, start.below)
    while below + Int(population[cell]) <= rank {
      below += Int(population[cell])
      cell += 1
    }
    var next = cell
    if rank + 1 == below + Int(population[cell]) {
      next += 1
      while population[next] == 0 { next += 1 }
    }
    return Neighbourhood(cell: cell, next: next, below: below)
  }

  /// Puts the values of the cells of both neighbourhoods into `members` in ascending order.
  private mutating func gather(
    _ first: Neighbourhood, _ second: Neighbourhood, of values: [SIMD4<Float>]
  ) {
    let (a, b) = (UInt8(first.cell), UInt8(first.next))
    let (c, d) = (UInt8(second.cell), UInt8(second.next))
    var found = 0
    for index in cellOf.indices {
      var places = places(in: cellOf[index], of: a, b, c, d)
      while places != 0 {
        let place = 16 * index + places.trailingZeroBitCount
        places &= places - 1
        members[found] = values[place / 4][place % 4]
        found += place < count ? 1 : 0
      }
    }
    sortMembers(found)
  }

  /// Shell's sort with Ciura's gaps: in place, where the standard library's allocates.
  private mutating func sortMembers(_ count: Int) {
    for gap in Self.gaps where gap < count {
      for index in gap..<count {
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
