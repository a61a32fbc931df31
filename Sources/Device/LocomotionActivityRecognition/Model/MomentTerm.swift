extension ActivityModel {
  /// The second moments of the windows that a model was trained on, in low rank.
  ///
  /// The normal equations of the fit hold G = Σ weight · φ φᵀ, with φ a window's columns: the
  /// constant, and each feature with its hinges, as ``Function/weights`` has them. The rows here
  /// are the first ones of a pivoted Cholesky factor of G (Higham, "Analysis of the Cholesky
  /// decomposition of a semi-definite matrix", 1990), so that Σ row rowᵀ is near G. They say how
  /// much a change of the weights would move the scores of those windows, which
  /// ``ActivityModel/learning(from:)`` needs, and nothing of any one of them: G is a sum over
  /// people.
  public struct MomentTerm: Sendable, Equatable {
    /// Multiplies each row; positive; one per row, 1 to `largestRank`.
    public var scales: [Float]
    /// The rows, each with one number per column, as multiples of the row's scale.
    public var rows: [Int8]

    /// A term from its parts; ``ActivityModel/init(_:)`` checks their shapes.
    public init(scales: [Float], rows: [Int8]) {
      self.scales = scales
      self.rows = rows
    }

    /// A term with each of `rows` rounded to 127ths of its largest number.
    package init(rounding rows: [[Double]]) {
      let largest = rows.map { row in max(row.map { abs($0) }.max() ?? 0, 1e-30) }
      scales = largest.map { Float($0 / 127) }
      self.rows = zip(rows, largest).flatMap { row, largest in
        row.map { Int8(($0 / largest * 127).rounded()) }
      }
    }

    /// The most rows.
    static let largestRank = 256
  }

  /// The number of columns of a window: the constant, and seven per feature.
  var columnCount: Int { Parameters.weightCount(classes: 1, features: featureCount) }

  /// A window's columns: 1, and for each feature u and max(0, u − knot) for its knots, with u as in
  /// ``ActivityModel``.
  ///
  /// - Precondition: `features.count` = ``featureCount``.
  func columns(of features: [Float]) -> [Double] {
    precondition(
      features.count == featureCount, "expected \(featureCount) features, got \(features.count)")
    var columns: [Double] = [1]
    columns.reserveCapacity(columnCount)
    for feature in features.indices {
      let u = Double(
        ScoreTables.clipped(tables.standardised(features[feature], feature)))
      columns.append(u)
      for knot in 0..<Self.knotsPerFeature {
        columns.append(
          max(0, u - Double(parameters.function.knots[feature * Self.knotsPerFeature + knot])))
      }
    }
    return columns
  }
}
