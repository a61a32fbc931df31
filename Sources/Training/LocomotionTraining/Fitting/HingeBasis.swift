import LocomotionActivityRecognition

/// The basis expansion of features for a linear model: standardised, clipped, with hinges at knots.
///
/// Each feature gives 1 + 6 columns: u and max(0, u − knot) for each of its knots, with
/// u = clip((feature − mean) / scale, ±6). A constant column comes first.
package struct HingeBasis: Sendable, Equatable, Codable {
  /// Subtracted from each feature, in the feature's unit: the weighted median.
  package let means: [Float]
  /// Divides each centred feature; positive.
  package let scales: [Float]
  /// Six knots per feature in standardised units, strictly ascending within one.
  package let knots: [Float]

  /// A basis from its parameters.
  ///
  /// - Precondition: there are as many scales as means, and six knots for each.
  package init(means: [Float], scales: [Float], knots: [Float]) {
    expectCount(scales.count, means.count, "scales")
    expectCount(knots.count, means.count * ActivityModel.knotsPerFeature, "knots")
    self.means = means
    self.scales = scales
    self.knots = knots
  }

  /// A basis fitted to the windows of `set`.
  ///
  /// The scale is half the distance of the 16 % and 84 % quantiles (the standard deviation of a
  /// normal distribution), or, for longer tails, the scale that puts the 2 % and 98 % quantiles at
  /// ±3. The knots are six quantiles from 2 % to 98 %, evenly spaced in probability, moved apart
  /// where they would coincide. A feature that is the same in all windows gets the scale 1.
  ///
  /// - Parameters:
  ///   - set: The windows; one or more.
  ///   - weights: The weight of each window in the quantiles.
  /// - Precondition: there is one weight per window, and their sum is positive.
  package init(fitting set: TrainingSet, weights: [Double]) {
    expectCount(weights.count, set.count, "weights")
    let quantiles = WeightedQuantiles(weights: weights)
    var means: [Float] = []
    var scales: [Float] = []
    var knots: [Float] = []
    for feature in 0..<set.featureCount {
      let column = (0..<set.count).map { set.features[$0 * set.featureCount + feature] }
      let q = quantiles.quantiles(of: column, at: Self.probabilities)
      let median = q[4]
      let spread = max((q[7] - q[1]) / 2, max(q[8] - median, median - q[0]) / 3)
      let scale = spread > 1e-6 * max(1, abs(median)) ? spread : 1
      means.append(median)
      scales.append(scale)
      var last = -Float.infinity
      for value in [q[0], q[2], q[3], q[5], q[6], q[8]] {
        last = max((value - median) / scale, last + Self.leastKnotDistance)
        knots.append(last)
      }
    }
    self.init(means: means, scales: scales, knots: knots)
  }

  /// The probabilities of the quantiles of each feature that a basis is computed from.
  private static let probabilities = [0.02, 0.16, 0.212, 0.404, 0.5, 0.596, 0.788, 0.84, 0.98]

  /// The least distance of two knots of a feature, in standardised units.
  static let leastKnotDistance: Float = 0x1p-10

  var featureCount: Int { means.count }

  /// The number of columns: 1 + 7 per feature.
  var columnCount: Int { 1 + featureCount * (1 + ActivityModel.knotsPerFeature) }

  /// One standardised and clipped feature.
  func standardized(_ value: Float, feature: Int) -> Float {
    let u = (value - means[feature]) / scales[feature]
    return min(max(u, -ActivityModel.clip), ActivityModel.clip)
  }

  /// The scores of one window, one per ``columnCount`` of the weights.
  ///
  /// - Precondition: there is one feature per feature of the basis.
  func scores(_ features: some Collection<Float>, weights: [Double]) -> [Double] {
    expectCount(features.count, featureCount, "features")
    return stride(from: 0, to: weights.count, by: columnCount).map { start in
      var score = weights[start]
      var place = start + 1
      for (feature, value) in features.enumerated() {
        let u = Double(standardized(value, feature: feature))
        score += weights[place] * u
        for hinge in 0..<ActivityModel.knotsPerFeature {
          let knot = knots[feature * ActivityModel.knotsPerFeature + hinge]
          score += weights[place + 1 + hinge] * max(0, u - Double(knot))
        }
        place += 1 + ActivityModel.knotsPerFeature
      }
      return score
    }
  }

  /// The number of windows that are expanded at once.
  static let blockRows = 1024

  /// Calls `body` with each of some rows and its scores, one per column of `weights`, which have a
  /// row per column of the basis.
  func forEachScore(
    of rows: [Int], in set: TrainingSet, weights: Matrix, _ body: (Int, [Double]) -> Void
  ) {
    for start in stride(from: 0, to: rows.count, by: Self.blockRows) {
      let slice = rows[start..<min(start + Self.blockRows, rows.count)]
      var block = Matrix(rows: slice.count, columns: columnCount)
      expand(set, rows: slice, into: &block)
      let scores = block * weights
      for (index, row) in slice.enumerated() {
        body(row, (0..<weights.columns).map { scores[index, $0] })
      }
    }
  }

  /// The sum of the products of the columns of some windows and their targets: one row per column
  /// of the basis, one column per target.
  func rightHandSide(
    of rows: [Int], in set: TrainingSet, targets: (Int) -> [Double]
  ) -> Matrix {
    var columns = Matrix(rows: rows.count, columns: columnCount)
    expand(set, rows: rows[...], into: &columns)
    let own = rows.flatMap(targets)
    return columns.transposed
      * Matrix(rows: rows.count, columns: own.count / rows.count, elements: own)
  }

  /// Writes the columns of some windows into the first rows of `matrix`.
  func expand(_ set: TrainingSet, rows: ArraySlice<Int>, into matrix: inout Matrix) {
    expectCount(set.featureCount, featureCount, "features")
    precondition(
      matrix.columns == columnCount && matrix.rows >= rows.count,
      "expected a matrix of \(rows.count) x \(columnCount) or more rows")
    let (places, values) = (knots[...], set.features[...])
    let (knots, features) = (places.span, values.span)
    matrix.withElements { elements in
      var out = 0
      for row in rows {
        elements[out] = 1
        out += 1
        var knot = 0
        for feature in 0..<featureCount {
          let u = Double(standardized(features[row * featureCount + feature], feature: feature))
          elements[out] = u
          for hinge in 1...ActivityModel.knotsPerFeature {
            elements[out + hinge] = max(0, u - Double(knots[knot]))
            knot += 1
          }
          out += 1 + ActivityModel.knotsPerFeature
        }
      }
    }
  }
}

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
    expectCount(set.featureCount, featureCount, "features")
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
            entries.append((row: place, column: 2 * feature, value: shape.first - u))
          } else if u > shape.last {
            entries.append((row: place, column: 2 * feature + 1, value: u - shape.last))
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
