/// Exact quantiles of a few hundred values without sorting them all.
///
/// The values are counted into 256 equal cells between their extremes; only the cells that hold
/// the wanted ranks are sorted. With nearly all values in one cell (a single spike does that) the
/// cost grows to that of a full sort; the result is the same.
///
/// - Complexity: O(n) for values that spread; allocates in `init` only.
struct OrderStatistics: Sendable {
  private static let cells = 256
  private var values: [Float]
  private var cellOf: [UInt8]
  private var population: [Int32]
  private var members: [Float]
  private var count = 0
  private var lowest: Float = 0
  private var isConstant = true

  /// Room for `capacity` values.
  init(capacity: Int) {
    values = Array(repeating: 0, count: capacity)
    cellOf = Array(repeating: 0, count: capacity)
    population = Array(repeating: 0, count: Self.cells)
    members = Array(repeating: 0, count: capacity)
  }

  /// Takes lane `lane` of the first `count` of `signals`, all finite.
  mutating func load(_ lane: Int, of signals: [SIMD4<Float>], count: Int) {
    self.count = count
    var lowest = signals[0][lane]
    var highest = lowest
    for index in 0..<count {
      let value = signals[index][lane]
      values[index] = value
      lowest = min(lowest, value)
      highest = max(highest, value)
    }
    self.lowest = lowest
    let cellsPerUnit = Float(Self.cells) / (highest - lowest)
    isConstant = !cellsPerUnit.isFinite
    guard !isConstant else { return }

    for cell in 0..<Self.cells { population[cell] = 0 }
    for index in 0..<count {
      // Rounding can't break the order: subtraction and multiplication are monotone.
      let cell = UInt8(truncatingIfNeeded: min(255, Int32((values[index] - lowest) * cellsPerUnit)))
      cellOf[index] = cell
      population[Int(cell)] &+= 1
    }
  }

  /// The quantile at `probability`, linear between the two nearest ranks.
  ///
  /// This is definition 7 of Hyndman and Fan, "Sample quantiles in statistical packages", The
  /// American Statistician 50(4), 1996, and the default of NumPy.
  mutating func quantile(_ probability: Float) -> Float {
    guard !isConstant else { return lowest }
    let position = probability * Float(count - 1)
    let rank = min(Int(position), count - 2)
    let (lower, upper) = neighbours(rank)
    return lower + (position - Float(rank)) * (upper - lower)
  }

  /// The values of rank `rank` and `rank + 1`, counted from 0.
  private mutating func neighbours(_ rank: Int) -> (Float, Float) {
    var cell = 0
    var below = 0
    while below + Int(population[cell]) <= rank {
      below += Int(population[cell])
      cell += 1
    }
    gather(cell)
    let lower = members[rank - below]
    if rank + 1 < below + Int(population[cell]) { return (lower, members[rank - below + 1]) }
    cell += 1
    while population[cell] == 0 { cell += 1 }
    gather(cell)
    return (lower, members[0])
  }

  /// Puts the values of `cell` into `members` in ascending order.
  private mutating func gather(_ cell: Int) {
    let wanted = UInt8(truncatingIfNeeded: cell)
    var found = 0
    for index in 0..<count where cellOf[index] == wanted {
      members[found] = values[index]
      found += 1
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
