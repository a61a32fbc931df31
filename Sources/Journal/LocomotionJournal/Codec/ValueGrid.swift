/// The quantization grid of the numbers that a sensor and its software deliver.
///
/// A sensor counts quantization steps. Software multiplies the count by the size of a step, adds an
/// offset, and rounds: to a number of decimals in text, or to a Float. A grid restores exactly the
/// same number, bit by bit, from an integer index.
enum ValueGrid: Equatable {
  /// n / 10^digits, then rounded to a Float if so.
  case decimal(digits: Int, isFloat: Bool)
  /// origin + n · step, rounded to `digits` decimals if any, and then to a Float if so.
  case steps(origin: Double, step: Double, digits: Int?, isFloat: Bool)

  func value(_ n: Int64) -> Double {
    switch self {
    case .decimal(let digits, let isFloat):
      let quotient = Double(n) / Self.powersOfTen[digits]
      return isFloat ? Double(Float(quotient)) : quotient
    case .steps(let origin, let step, let digits, let isFloat):
      var exact = origin + Double(n) * step
      if let digits {
        exact = (exact * Self.powersOfTen[digits]).rounded() / Self.powersOfTen[digits]
      }
      return isFloat ? Double(Float(exact)) : exact
    }
  }

  /// The index of `value`, or nil when it is not exactly on the grid.
  func place(of value: Double) -> Int64? {
    let exact =
      switch self {
      case .decimal(let digits, _): value * Self.powersOfTen[digits]
      case .steps(let origin, let step, _, _): (value - origin) / step
      }
    guard let place = Int64(exactly: exact.rounded()), place.magnitude <= 1 << 53,
      self.value(place).bitPattern == value.bitPattern
    else { return nil }
    return place
  }

  /// Finds the grid that holds nearly all of `values`; nil when there is none.
  init?(fitting values: [Double]) {
    let finite = values.filter { $0.isFinite }
    guard !finite.isEmpty else { return nil }
    let isFloat = finite.allSatisfy { Double(Float($0)) == $0 }
    guard let decimal = Self.decimal(finite) else {
      guard isFloat, let steps = Self.steps(finite, digits: nil, isFloat: true) else { return nil }
      self = steps
      return
    }
    self = decimal
    guard case .decimal(let digits, let isDecimalFloat) = decimal else { return }
    if let steps = Self.steps(finite, digits: digits, isFloat: isDecimalFloat) {
      self = steps
    } else if isFloat, !isDecimalFloat || digits > 4,
      let steps = Self.steps(finite, digits: nil, isFloat: true)
    {
      self = steps
    }
  }

  /// The coarsest decimal grid that holds nearly all values; nil when there is none.
  private static func decimal(_ values: [Double]) -> ValueGrid? {
    for isFloat in [false, true] {
      for digits in 0...(isFloat ? 6 : 9) {
        let grid = ValueGrid.decimal(digits: digits, isFloat: isFloat)
        let allowed = values.count / 64
        if grid.misses(values, limit: allowed + 1) <= allowed { return grid }
      }
    }
    return nil
  }

  /// A grid of equal steps that are clearly wider than the rounding; nil when there is none.
  ///
  /// A value off the grid costs some 80 bits. Each value on it saves the binary logarithm of the
  /// step divided by the rounding.
  private static func steps(_ values: [Double], digits: Int?, isFloat: Bool) -> ValueGrid? {
    let sorted = values.sorted()
    guard let least = sorted.first, let greatest = sorted.last, least < greatest else { return nil }
    let rounding =
      digits.map { 1 / powersOfTen[$0] } ?? Double(Float(max(abs(least), abs(greatest))).ulp)
    var narrowest = Double.infinity
    for index in 1..<sorted.count where sorted[index] > sorted[index - 1] {
      narrowest = min(narrowest, sorted[index] - sorted[index - 1])
    }
    guard narrowest >= 1.5 * rounding else { return nil }

    // Single differences vary by the rounding: their mean is the first estimate of the step.
    var (sum, count) = (0.0, 0.0)
    var distinct = [least]
    for index in 1..<sorted.count where sorted[index] > sorted[index - 1] {
      let gap = sorted[index] - sorted[index - 1]
      if gap < 1.7 * narrowest { (sum, count) = (sum + gap, count + 1) }
      distinct.append(sorted[index])
    }
    var step = sum / count
    // The farther a value is from the first, the more precisely it determines the step.
    for value in distinct where value - least > 4 * step {
      let steps = ((value - least) / step).rounded()
      let better = (value - least) / steps
      if abs(better - step) * steps < 0.5 * step { step = better }
    }
    let allowed = values.count / 32
    var best: (grid: ValueGrid, misses: Int)?
    for candidate in [narrowed(step, distinct, rounding)] + knownSteps(near: step) {
      for origin in [0, middle(distinct, step: candidate)] {
        let grid = ValueGrid.steps(
          origin: origin, step: candidate, digits: digits, isFloat: isFloat)
        let misses = grid.misses(values, limit: best?.misses ?? allowed + 1)
        if misses < best?.misses ?? allowed + 1 { best = (grid, misses) }
        if misses == 0 { return grid }
      }
    }
    return best?.grid
  }

  /// The steps of common sensors that agree with the measured one to a ten-thousandth of it.
  private static func knownSteps(near step: Double) -> [Double] {
    var result: [Double] = []
    for unit in [9.80665, 9.81, 9.8, 1] {
      for divisor in [1_000.0, 1_024] {
        for scale in -4...6 {
          let known = unit / (divisor * Double(sign: .plus, exponent: scale, significand: 1))
          if abs(known - step) < 1e-4 * step { result.append(known) }
        }
      }
    }
    return result
  }

  /// The step near the given one that minimizes the largest deviation of the values from the grid.
  ///
  /// That deviation is a convex function of the step; a ternary search finds its minimum.
  private static func narrowed(
    _ step: Double, _ distinct: [Double], _ rounding: Double
  ) -> Double {
    let places = distinct.map { (($0 - distinct[0]) / step).rounded() }
    let reach = 2 * rounding / max(places.last ?? 1, 1)
    func spread(_ step: Double) -> Double {
      var (low, high) = (0.0, 0.0)
      for (value, place) in zip(distinct, places) {
        let rest = (value - distinct[0]) - place * step
        (low, high) = (min(low, rest), max(high, rest))
      }
      return high - low
    }
    var (low, high) = (step - reach, step + reach)
    for _ in 0..<40 {
      let third = (high - low) / 3
      if spread(low + third) <= spread(high - third) { high -= third } else { low += third }
    }
    return (low + high) / 2
  }

  /// The origin that minimizes the largest deviation of the values from the grid.
  private static func middle(_ distinct: [Double], step: Double) -> Double {
    let least = distinct[0]
    var (low, high) = (0.0, 0.0)
    for value in distinct {
      let rest = (value - least) - ((value - least) / step).rounded() * step
      (low, high) = (min(low, rest), max(high, rest))
    }
    let origin = least + (low + high) / 2
    return origin - (origin / step).rounded() * step
  }

  /// The number of values off the grid; counting stops at `limit`.
  private func misses(_ values: [Double], limit: Int) -> Int {
    var count = 0
    for value in values where place(of: value) == nil {
      count += 1
      if count >= limit { break }
    }
    return count
  }

  private static let powersOfTen: [Double] = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]

  // MARK: Storage

  func encode(into bytes: inout [UInt8]) {
    switch self {
    case .decimal(let digits, let isFloat):
      bytes.append(isFloat ? 1 : 0)
      bytes.append(UInt8(digits))
    case .steps(let origin, let step, let digits, let isFloat):
      bytes.append(isFloat ? 3 : 2)
      bytes.append(UInt8(digits ?? 255))
      bytes.append(littleEndian: origin.bitPattern, byteCount: 8)
      bytes.append(littleEndian: step.bitPattern, byteCount: 8)
    }
  }

  init(kind: UInt8, from reader: inout ByteReader) throws(UnitError) {
    let byte = Int(try reader.byte())
    guard 0...9 ~= byte || (kind >= 2 && byte == 255) else { throw .undecodable }
    let digits = byte == 255 ? nil : byte
    if kind < 2 {
      self = .decimal(digits: digits ?? 0, isFloat: kind == 1)
    } else {
      self = .steps(
        origin: Double(bitPattern: try reader.littleEndian(byteCount: 8)),
        step: Double(bitPattern: try reader.littleEndian(byteCount: 8)), digits: digits,
        isFloat: kind == 3)
    }
  }
}
