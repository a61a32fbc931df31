import LocomotionActivityRecognition

/// The temporal model in plain Double: the matrix exponential by its power series, sums by loops.
struct ForwardOracle {
  /// A class, or the part of it in which its vehicle moves or stands.
  struct State: Equatable {
    var activity: Activity
    var part = 1.0
    var isStanding = false
  }

  let classes: [Activity]
  let states: [State]
  /// The transition rates from row to column, 1/s.
  let generator: [[Double]]

  init(classes: [Activity], dwellSeconds: Double) {
    self.classes = classes
    let states = classes.flatMap { activity in
      switch activity {
      case .automotive, .train:
        [
          State(activity: activity, part: 0.8),
          State(activity: activity, part: 0.2, isStanding: true),
        ]
      default: [State(activity: activity)]
      }
    }
    func ease(_ a: Activity, _ b: Activity) -> Double {
      if a == b { return 0 }
      if a == .walking || b == .walking { return 1 }
      let isRest = a == .stationary || b == .stationary
      let isVehicle = [a, b].contains(.automotive) || [a, b].contains(.train)
      return isRest && !isVehicle ? 1 : 0.05
    }
    let total = classes.reduce(0) { sum, from in
      sum + classes.reduce(0) { $0 + ease(from, $1) }
    }
    let mean = total / Double(classes.count)
    generator = states.enumerated().map { own, from in
      var row = states.map { to in
        from.activity == to.activity
          ? (from == to ? 0 : from.isStanding ? 1.0 / 30 : 1.0 / 120)
          : ease(from.activity, to.activity) * to.part / (mean * dwellSeconds)
      }
      row[own] = -row.reduce(0, +)
      return row
    }
    self.states = states
  }

  /// Equal probability for each class.
  var prior: [Double] { states.map { $0.part / Double(classes.count) } }

  /// The probability of each class.
  func folded(_ values: [Double]) -> [Double] {
    classes.map { activity in
      zip(states, values).reduce(0) { $0 + ($1.0.activity == activity ? $1.1 : 0) }
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
      for row in states.indices {
        for column in states.indices { result[row][column] += term[row][column] }
      }
    }
    for _ in 0..<squarings { result = multiply(result, result) }
    return result
  }

  /// The prediction `seconds` ahead.
  func advanced(_ posterior: [Double], _ seconds: Double) -> [Double] {
    let matrix = transition(seconds)
    return states.indices.map { column in
      states.indices.reduce(0) { $0 + posterior[$1] * matrix[$1][column] }
    }
  }

  /// p(window | state)^exponent, up to a factor.
  func likelihood(_ evidence: ActivityClassifier.Evidence) -> [Double] {
    states.map { state in
      let window = Double(evidence.window[state.isStanding ? .stationary : state.activity])
      return power(
        max(1e-6, window) * (state.isStanding ? 0.95 : 1), Double(evidence.exponent))
    }
  }

  func normalised(_ values: [Double]) -> [Double] {
    let sum = values.reduce(0, +)
    return values.map { $0 / sum }
  }

  private var identity: [[Double]] {
    states.indices.map { row in states.indices.map { row == $0 ? 1 : 0 } }
  }

  private func multiply(_ a: [[Double]], _ b: [[Double]]) -> [[Double]] {
    a.map { row in
      b[0].indices.map { column in row.indices.reduce(0) { $0 + row[$1] * b[$1][column] } }
    }
  }
}
