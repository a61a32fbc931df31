import LocomotionActivityRecognition

/// The temporal model in plain Double: the matrix exponential by its power series, sums by loops.
struct ForwardOracle {
  let classes: [Activity]
  /// The transition rates from row to column, 1/s.
  let generator: [[Double]]

  init(classes: [Activity], dwellSeconds: Double) {
    self.classes = classes
    let direct: Set<Activity> = [.stationary, .walking]
    let ease = classes.map { from in
      classes.map { to in
        from == to ? 0 : (direct.contains(from) || direct.contains(to) ? 1 : 0.2)
      }
    }
    let leaving = ease.map { $0.reduce(0, +) }
    let mean = leaving.reduce(0, +) / Double(classes.count)
    generator = classes.indices.map { row in
      classes.indices.map { (row == $0 ? -leaving[row] : ease[row][$0]) / (mean * dwellSeconds) }
    }
  }

  /// exp(generator · seconds) by scaling and squaring.
  func transition(_ seconds: Double) -> [[Double]] {
    let squarings = 20
    let step = generator.map { $0.map { $0 * seconds / Double(1 << squarings) } }
    var result = identity
    var term = identity
    for n in 1...8 {
      term = multiply(term, step).map { $0.map { $0 / Double(n) } }
      for row in classes.indices {
        for column in classes.indices { result[row][column] += term[row][column] }
      }
    }
    for _ in 0..<squarings { result = multiply(result, result) }
    return result
  }

  /// The prediction `seconds` ahead.
  func advanced(_ posterior: [Double], _ seconds: Double) -> [Double] {
    let matrix = transition(seconds)
    return classes.indices.map { column in
      classes.indices.reduce(0) { $0 + posterior[$1] * matrix[$1][column] }
    }
  }

  /// p(window | class)^exponent, up to a factor.
  func likelihood(_ evidence: ActivityClassifier.Evidence) -> [Double] {
    classes.map { power(max(1e-6, Double(evidence.window[$0])), Double(evidence.exponent)) }
  }

  func normalised(_ values: [Double]) -> [Double] {
    let sum = values.reduce(0, +)
    return values.map { $0 / sum }
  }

  private var identity: [[Double]] {
    classes.indices.map { row in classes.indices.map { row == $0 ? 1 : 0 } }
  }

  private func multiply(_ a: [[Double]], _ b: [[Double]]) -> [[Double]] {
    a.map { row in
      b[0].indices.map { column in row.indices.reduce(0) { $0 + row[$1] * b[$1][column] } }
    }
  }
}
