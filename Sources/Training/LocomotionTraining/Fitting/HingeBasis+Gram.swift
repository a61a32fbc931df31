import LocomotionActivityRecognition
import LocomotionLinearAlgebra

// The Gram matrix of a basis via other columns that span the same space.
//
// Beyond a feature's first and last knot lie 2 % of the windows each. The last hinge is 0 in
// all others; the first one, max(0, u − k), is u − k plus max(0, k − u), which is 0 in all others.
// With these two as sparse columns five of seven are left for the product, half of its work. The
// sums of the basis's own columns follow exactly.
extension HingeBasis {
  /// Of each feature max(0, k₁ − u) and max(0, u − k₆).
  private static let sparseColumnsPerFeature = 2
  /// Of each feature u and the hinges between those two.
  private static let denseColumnsPerFeature = ActivityModel.knotsPerFeature - 1

  /// An empty block for the other columns.
  func block(rows: Int) -> RowBlock {
    RowBlock(
      rows: rows, columns: columnCount,
      sparseColumns: featureCount * Self.sparseColumnsPerFeature)
  }

  /// Writes the other columns of some windows, in single precision as a model computes them, into
  /// the first rows of `block`; ``gram(from:)`` makes their Gram matrix one of this basis.
  func expand(_ set: TrainingSet, rows: ArraySlice<Int>, into block: inout RowBlock) {
    precondition(
      block.columns == columnCount && block.rows >= rows.count,
      "expected a block of \(rows.count) x \(columnCount) or more rows")
    precondition(
      set.featureCount == featureCount,
      "expected \(featureCount) features, got \(set.featureCount)")
    let shapes = means.indices.map { Shape(self, feature: $0) }
    let values = set.features[...]
    let features = values.span
    block.withElements { elements, entries in
      entries.removeAll(keepingCapacity: true)
      var out = 0
      for (place, row) in rows.enumerated() {
        elements[out] = 1
        out += 1
        var index = row * shapes.count
        for (feature, shape) in shapes.enumerated() {
          let value = (features[index] - shape.mean) / shape.scale
          index += 1
          let u = min(max(value, -ActivityModel.clip), ActivityModel.clip)
          let hinges = u - shape.middle
          elements[out] = u
          elements[out + 1] = max(0, hinges.x)
          elements[out + 2] = max(0, hinges.y)
          elements[out + 3] = max(0, hinges.z)
          elements[out + 4] = max(0, hinges.w)
          out += Self.denseColumnsPerFeature
          if u < shape.first {
            entries.append(.init(row: place, column: 2 * feature, value: shape.first - u))
          } else if u > shape.last {
            entries.append(.init(row: place, column: 2 * feature + 1, value: u - shape.last))
          }
        }
      }
    }
  }

  /// One feature's parameters.
  private struct Shape {
    let mean, scale, first, last: Float
    /// The knots between the first and the last one.
    let middle: SIMD4<Float>

    init(_ basis: HingeBasis, feature: Int) {
      let knots = basis.knots
      let start = feature * ActivityModel.knotsPerFeature
      (mean, scale) = (basis.means[feature], basis.scales[feature])
      (first, last) = (knots[start], knots[start + 5])
      middle = SIMD4(knots[start + 1], knots[start + 2], knots[start + 3], knots[start + 4])
    }
  }

  /// The Gram matrix of this basis's columns from that of the other ones.
  func gram(from sum: SymmetricMatrix) -> SymmetricMatrix {
    let one = featureCount * Self.sparseColumnsPerFeature
    var combinations: [[(row: Int, factor: Double)]] = [[(one, 1)]]
    for feature in 0..<featureCount {
      let (sparse, dense) = (2 * feature, one + 1 + feature * Self.denseColumnsPerFeature)
      let first = Double(knots[feature * ActivityModel.knotsPerFeature])
      combinations.append([(dense, 1)])
      combinations.append([(sparse, 1), (dense, 1), (one, -first)])
      for hinge in 1..<Self.denseColumnsPerFeature { combinations.append([(dense + hinge, 1)]) }
      combinations.append([(sparse + 1, 1)])
    }
    return sum.congruent(combinations)
  }
}
