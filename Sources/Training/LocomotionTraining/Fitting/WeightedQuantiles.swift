/// Exact quantiles of weighted numbers in linear time.
///
/// The quantile of probability p is the least value at which the sum of the weights of all values
/// up to it reaches p times their total: the inverse of the weighted empirical distribution.
///
/// Weights are rounded to multiples of 2⁻⁵² of their total and summed as integers, so that the
/// result depends neither on the order of the rows nor on rounding: a sum that falls short of p by
/// less than the rounding of all weights reaches it.
struct WeightedQuantiles {
  /// The weights in units.
  private let weights: [UInt64]
  /// Their sum.
  private let total: UInt64

  /// - Precondition: no weight is negative and at least one is positive.
  init(weights: [Double]) {
    // In a fixed order, so that the rounding of the sum doesn't depend on that of the rows.
    let sum = Dictionary(grouping: weights) { $0 }.sorted { $0.key < $1.key }
      .reduce(0) { $0 + $1.key * Double($1.value.count) }
    precondition(sum > 0, "expected a positive sum of weights, got \(sum)")
    let units = weights.map { UInt64(($0 / sum * 0x1p52).rounded()) }
    self.weights = units
    total = units.reduce(0, +)
  }

  /// The quantiles of `values`, one per weight, at ascending `probabilities`.
  func quantiles(of values: [Float], at probabilities: [Double]) -> [Float] {
    precondition(
      values.count == weights.count, "expected \(weights.count) values, got \(values.count)")
    let keys = values.map(FloatKey.init)
    var histogram = [UInt64](repeating: 0, count: FloatKey.bucketCount)
    for (key, weight) in zip(keys, weights) { histogram[key.bucket] += weight }
    let rounding = UInt64(weights.count)
    var (bucket, before) = (0, UInt64(0))
    var members: (bucket: Int, rows: [Int]) = (-1, [])
    return probabilities.map { probability in
      let target = UInt64((probability * Double(total)).rounded(.up))
      let least = target > rounding ? target - rounding : 1
      while bucket + 1 < histogram.count, before + histogram[bucket] < least {
        before += histogram[bucket]
        bucket += 1
      }
      if members.bucket != bucket {
        let rows = keys.indices.filter { keys[$0].bucket == bucket }
        members = (bucket, rows.sorted { keys[$0].bits < keys[$1].bits })
      }
      var sum = before
      let row = members.rows.first { row in
        sum += weights[row]
        return sum >= least
      }
      return (row ?? members.rows.last).map { keys[$0].value } ?? 0
    }
  }
}

/// A number as bits whose unsigned order is that of the numbers.
private struct FloatKey {
  let bits: UInt32

  /// The number of values of ``bucket``.
  static let bucketCount = 1 << 16

  init(_ value: Float) {
    // Adding 0 turns −0 into +0.
    let bits = (value + 0).bitPattern
    self.bits = bits & 0x8000_0000 == 0 ? bits | 0x8000_0000 : ~bits
  }

  /// The upper half.
  var bucket: Int { Int(bits >> 16) }

  var value: Float {
    Float(bitPattern: bits & 0x8000_0000 == 0 ? ~bits : bits & 0x7fff_ffff)
  }
}
