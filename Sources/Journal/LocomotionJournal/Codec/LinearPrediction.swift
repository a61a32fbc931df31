internal import LocomotionActivityRecognition

/// A linear prediction of a number from those before it, in integer arithmetic.
struct LinearPrediction {
  /// The order of a fitted prediction; in a block, a higher one costs more bytes than it saves.
  static let fittedOrder = 8
  /// The fractional bits of a coefficient.
  private static let places = 12
  /// The largest deviation from the mean for which the sum of products fits 64 bits.
  private static let largestDeviation: Int64 = 1 << 40

  /// The mean, subtracted before the prediction: rounded coefficients would multiply its error.
  private let mean: Int64
  /// The coefficients in units of 2⁻¹², the newest number's first.
  private let coefficients: [Int64]

  var order: Int { coefficients.count }

  /// An estimate of the bytes that the coefficients take.
  var byteCount: Int { 2 * order + 4 }

  /// The prediction of `values[count]` from the numbers before it, at least ``order`` of them.
  func next(after values: [Int64], _ count: Int) -> Int64 {
    var sum: Int64 = 1 << (Int64(Self.places) - 1)
    for lag in 0..<coefficients.count {
      sum &+= coefficients[lag] &* (values[count - 1 - lag] &- mean)
    }
    return mean &+ (sum >> Int64(Self.places))
  }

  func encode(into bytes: inout [UInt8]) {
    bytes.append(UInt8(order))
    bytes.append(signed: mean)
    for coefficient in coefficients {
      bytes.append(littleEndian: UInt64(bitPattern: coefficient), byteCount: 2)
    }
  }

  init(from reader: inout ByteReader) throws(UnitError) {
    let order = Int(try reader.byte())
    guard 1...32 ~= order else { throw .undecodable }
    mean = try reader.signed()
    var coefficients: [Int64] = []
    for _ in 0..<order {
      let bits = UInt16(try reader.littleEndian(byteCount: 2))
      coefficients.append(Int64(Int16(bitPattern: bits)))
    }
    self.coefficients = coefficients
  }

  /// Fits the coefficients by least squares (the covariance method).
  ///
  /// Nil when there are too few numbers, or when they are too large or too regular for a fit.
  init?(fitting values: [Int64]) {
    let order = Self.fittedOrder
    guard values.count >= 8 * order, let least = values.min(), let greatest = values.max() else {
      return nil
    }
    let (span, overflow) = greatest.subtractingReportingOverflow(least)
    guard !overflow, span > 0, span < Self.largestDeviation else { return nil }
    let first = values[0]
    let sum = values.reduce(0.0) { $0 + Double($1 &- first) }
    let mean = first &+ Int64((sum / Double(values.count)).rounded())
    let deviations = values.map { Double($0 &- mean) }

    /// The sum of the products of the numbers at two lags.
    func product(_ lag: Int, _ other: Int) -> Double {
      (order..<deviations.count).reduce(0) { $0 + deviations[$1 - lag] * deviations[$1 - other] }
    }
    // A small ridge on the diagonal, below the rounding of the numbers themselves.
    let ridge = product(0, 0) * 1e-9 + 1e-3
    // By full rows, of which the lower triangle counts.
    let products = (1...order).flatMap { row in
      (1...order).map { column in
        column > row ? 0 : product(row, column) + (row == column ? ridge : 0)
      }
    }
    var solution = (1...order).map { product(0, $0) }
    CholeskySolver(products, order: order).solve(&solution)
    let scaled = solution.map { ($0 * Double(1 << Self.places)).rounded() }
    guard scaled.allSatisfy({ abs($0) < 32_768 }) else { return nil }
    self.mean = mean
    coefficients = scaled.map { Int64($0) }
  }
}
