internal import CLocomotionMath

/// Exact order statistics of four signals at once, one per vector lane, without sorting them.
///
/// The values are quantised to 256 cells about their mean; the cell of a rank is found by counting,
/// and its members alone are sorted. By Cantelli's inequality the quartiles of any values lie
/// within 1.74 standard deviations σ of the mean, and the percentile 95 between −0.23 and 4.36 σ:
/// only that range is resolved by cells. With nearly all values in one cell (a single spike does
/// that) the cost is that of a full sort; the result is the same.
///
/// - Complexity: O(n) for values that spread; allocates in `init` only.
struct OrderStatistics: Sendable {
  /// The cells of four samples per vector, the four signals of a sample adjacent.
  private var cells: ContiguousArray<SIMD16<Int8>>
  /// The members of the selected cells, signal by signal.
  private var members: ContiguousArray<Float>
  /// The number of members of each signal.
  private var found: ContiguousArray<Int>

  private static let length = FeatureExtractor.windowLength
  private static let lanes = 4

  /// Allocates memory.
  init() {
    cells = ContiguousArray(repeating: .zero, count: Self.length / 4)
    members = ContiguousArray(repeating: 0, count: Self.lanes * Self.length)
    found = ContiguousArray(repeating: 0, count: Self.lanes)
  }

  /// Prepares for the quartiles of the first three signals and percentile 95 of the fourth.
  ///
  /// The `values` are finite; wrong moments cost time only.
  mutating func load(
    _ values: Span<SIMD4<Float>>, means: SIMD4<Float>, deviations: SIMD4<Float>
  ) {
    let middles = means + SIMD4(0, 0, 0, 2.07) * deviations
    let reach = SIMD4<Float>(1.75, 1.75, 1.75, 2.35) * deviations
    let smallest = SIMD4<Float>(repeating: 1e-18)
    let scales = choose(reach, over: smallest, 127 / larger(reach, smallest), .zero)
    Self.fill(&cells, values, middles, scales)
  }

  private static func fill(
    _ cells: inout ContiguousArray<SIMD16<Int8>>, _ values: Span<SIMD4<Float>>,
    _ middles: SIMD4<Float>, _ scales: SIMD4<Float>
  ) {
    var cells = cells.mutableSpan
    precondition(cells.count == length / 4 && values.count == length, "values of another length")
    for index in 0..<length / 4 {
      // Rounding preserves the order: every step is monotone.
      cells[index] = bytes(
        (values[4 * index] - middles) * scales, (values[4 * index + 1] - middles) * scales,
        (values[4 * index + 2] - middles) * scales, (values[4 * index + 3] - middles) * scales)
    }
  }

  /// The values at two positions each among the sorted `values` that were loaded, counted from 0,
  /// linear between neighbours.
  ///
  /// - Precondition: the positions are at least 0 and less than that of the last.
  mutating func values(
    at lower: SIMD4<Float>, and upper: SIMD4<Float>, of values: Span<SIMD4<Float>>
  ) -> (lower: SIMD4<Float>, upper: SIMD4<Float>) {
    let cells = cells(of: SIMD4<Int32>(lower), SIMD4<Int32>(upper))
    return (
      value(at: lower, in: cells.lower, of: values), value(at: upper, in: cells.upper, of: values)
    )
  }

  private mutating func value(
    at positions: SIMD4<Float>, in cell: Cell, of values: Span<SIMD4<Float>>
  ) -> SIMD4<Float> {
    let ranks = SIMD4<Int32>(positions)
    let fraction = positions - SIMD4<Float>(ranks)
    Self.gather(
      Self.spread(cell.value), Self.spread(cell.next), in: cells, of: values, into: &members,
      &found)
    var result = SIMD4<Float>.zero
    for lane in 0..<Self.lanes {
      let first = lane * Self.length
      Self.sort(&members, first..<first + found[lane])
      let index = first + Int(ranks[lane] - cell.below[lane])
      result[lane] = members[index] + fraction[lane] * (members[index + 1] - members[index])
    }
    return result
  }

  /// The cell of a rank of each signal, that of the next rank, and the number of values in lower
  /// cells.
  private struct Cell {
    var value: SIMD4<Int32>
    var next: SIMD4<Int32>
    var below: SIMD4<Int32>
  }

  /// A binary search for the highest cell with more values above it than a rank has; the rank's
  /// cell is the next one.
  private struct Search {
    /// The number of values above the rank, which bounds those above its cell.
    let limit: SIMD4<Int32>
    var lower = SIMD4<Int32>(repeating: -129)
    var aboveLower = SIMD4(repeating: Int32(OrderStatistics.length))
    var aboveCell = SIMD4<Int32>.zero

    init(_ ranks: SIMD4<Int32>) {
      limit = SIMD4(repeating: Int32(OrderStatistics.length) - 1) &- ranks
    }

    mutating func narrow(by step: Int32, _ population: SIMD4<Int32>) {
      let isLower = population .> limit
      lower.replace(with: lower &+ step, where: isLower)
      aboveLower.replace(with: population, where: isLower)
      aboveCell.replace(with: population, where: .!isLower)
    }
  }

  private func cells(
    of lowerRanks: SIMD4<Int32>, _ upperRanks: SIMD4<Int32>
  ) -> (lower: Cell, upper: Cell) {
    var (lower, upper) = (Search(lowerRanks), Search(upperRanks))
    var step: Int32 = 128
    while step > 0 {
      let population = population(above: lower.lower &+ step, upper.lower &+ step)
      lower.narrow(by: step, population.first)
      upper.narrow(by: step, population.second)
      step /= 2
    }
    return (cell(behind: lower), cell(behind: upper))
  }

  private func cell(behind search: Search) -> Cell {
    let cell = search.lower &+ 1
    let isLast = search.aboveCell .== search.limit
    let next = any(isLast) ? cell.replacing(with: leastCell(above: cell), where: isLast) : cell
    return Cell(
      value: cell, next: next, below: Int32(Self.length) &- search.aboveLower)
  }

  /// The number of values of each signal above either of two cells.
  private func population(
    above cell: SIMD4<Int32>, _ other: SIMD4<Int32>
  ) -> (first: SIMD4<Int32>, second: SIMD4<Int32>) {
    let (limits, others) = (Self.spread(cell), Self.spread(other))
    let cells = cells.span
    precondition(cells.count == Self.length / 4, "cells of another length")
    var (count, otherCount) = (SIMD16<UInt8>.zero, SIMD16<UInt8>.zero)
    for index in 0..<Self.length / 4 {
      count &-= above(cells[index], limits)
      otherCount &-= above(cells[index], others)
    }
    return (Self.sum(count), Self.sum(otherCount))
  }

  /// The sums of every fourth count.
  private static func sum(_ counts: SIMD16<UInt8>) -> SIMD4<Int32> {
    let (first, second) = widened(counts.lowHalf)
    let (third, fourth) = widened(counts.highHalf)
    return (first &+ second) &+ (third &+ fourth)
  }

  /// The lowest cell of each signal above `cell` that isn't empty.
  private func leastCell(above cell: SIMD4<Int32>) -> SIMD4<Int32> {
    let first = SIMD16<UInt8>(truncatingIfNeeded: Self.spread(cell &+ 1))
    let cells = cells.span
    precondition(cells.count == Self.length / 4, "cells of another length")
    var least = SIMD16<UInt8>(repeating: .max)
    for index in 0..<Self.length / 4 {
      // Cells that are not above wrap around to the largest numbers.
      least = smaller(SIMD16(truncatingIfNeeded: cells[index]) &- first, least)
    }
    let (a, b) = Self.widened(least.lowHalf)
    let (c, d) = Self.widened(least.highHalf)
    let (ab, cd) = (a.replacing(with: b, where: b .< a), c.replacing(with: d, where: d .< c))
    return cell &+ 1 &+ ab.replacing(with: cd, where: cd .< ab)
  }

  /// The cells in the layout of `cells`, broadcast four times.
  private static func spread(_ cell: SIMD4<Int32>) -> SIMD16<Int8> {
    let four = SIMD4<Int8>(truncatingIfNeeded: cell)
    let eight = SIMD8(lowHalf: four, highHalf: four)
    return SIMD16(lowHalf: eight, highHalf: eight)
  }

  private static func widened(_ eight: SIMD8<UInt8>) -> (SIMD4<Int32>, SIMD4<Int32>) {
    (
      SIMD4(truncatingIfNeeded: eight.lowHalf), SIMD4(truncatingIfNeeded: eight.highHalf)
    )
  }

  /// Copies the values of two cells of each signal to `members`, and counts them in `found`.
  private static func gather(
    _ first: SIMD16<Int8>, _ second: SIMD16<Int8>, in cells: ContiguousArray<SIMD16<Int8>>,
    of values: Span<SIMD4<Float>>, into members: inout ContiguousArray<Float>,
    _ found: inout ContiguousArray<Int>
  ) {
    let cells = cells.span
    var members = members.mutableSpan
    var found = found.mutableSpan
    // These checks let the compiler omit all others.
    precondition(
      cells.count == length / 4 && values.count == length && members.count == lanes * length
        && found.count == lanes, "values of another length")
    for lane in 0..<lanes { found[lane] = 0 }
    for index in 0..<length / 4 {
      var places = places(in: cells[index], of: first, second)
      while places != 0 {
        let place = places.trailingZeroBitCount & 15
        places &= places &- 1
        let lane = place % lanes
        members[(lane * length | found[lane]) & (lanes * length - 1)] =
          values[4 * index + place / lanes][lane]
        found[lane] &+= 1
      }
    }
  }

  /// Sorts in place without allocating, unlike the standard library: insertion sort, after Shell
  /// sort passes for many values.
  private static func sort(_ members: inout ContiguousArray<Float>, _ range: Range<Int>) {
    var members = members.mutableSpan
    var gap = range.count > 24 ? 301 : 1
    while gap > 0 {
      var index = range.lowerBound + gap
      while index < range.upperBound {
        let value = members[index]
        var hole = index
        while hole - gap >= range.lowerBound && members[hole - gap] > value {
          members[hole] = members[hole - gap]
          hole -= gap
        }
        members[hole] = value
        index += 1
      }
      gap = gap * 4 / 9
    }
  }
}
