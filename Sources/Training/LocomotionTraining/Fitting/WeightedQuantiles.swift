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
  /// Weight by the upper half of the key: 2¹⁶ buckets.
  private var histogram = [UInt64](repeating: 0, count: FloatKey.bucketCount)

  /// - Precondition: no weight is negative and at least one is positive.
  init(weights: [Double]) {
    var rows: [Double: Int] = [:]
    // Neighbouring rows often have one weight.
    var run = (weight: 0.0, rows: 0)
    for weight in weights {
      if weight != run.weight {
        rows[run.weight, default: 0] += run.rows
        run = (weight, 0)
      }
      run.rows += 1
    }
    rows[run.weight, default: 0] += run.rows
    // In a fixed order, so that the rounding of the sum doesn't depend on that of the rows.
    let sum = rows.sorted { $0.key < $1.key }.reduce(0) { $0 + $1.key * Double($1.value) }
    precondition(sum > 0, "expected a positive sum of weights, got \(sum)")
    let units = weights.map { UInt64(($0 / sum * 0x1p52).rounded()) }
    self.weights = units
    total = units.reduce(0, +)
  }

  /// The quantiles of `values`, one per weight, at ascending `probabilities`.
  mutating func quantiles(of values: ArraySlice<Float>, at probabilities: [Double]) -> [Float] {
    precondition(
      values.count == weights.count, "expected \(weights.count) values, got \(values.count)")
    let values = values.span
    for index in histogram.indices {
      histogram[index] = 0
    }
    for index in values.indices {
      histogram[FloatKey(values[index]).bucket] += weights[index]
    }
    let rounding = UInt64(weights.count)
    let targets = probabilities.map {
      let target = UInt64(($0 * Double(total)).rounded(.up))
      return target > rounding ? target - rounding : 1
    }
    let places = targets.map { QuantilePlace(of: $0, in: histogram) }

    let buckets = Set(places.map(\.index))
    var isWanted = [Bool](repeating: false, count: histogram.count)
    for bucket in buckets {
      isWanted[bucket] = true
    }
    var members: [Int: [(key: FloatKey, weight: UInt64)]] = [:]
    for index in values.indices {
      let key = FloatKey(values[index])
      if isWanted[key.bucket] {
        members[key.bucket, default: []].append((key, weights[index]))
      }
    }
    for bucket in buckets {
      members[bucket]?.sort { $0.key.bits < $1.key.bits }
    }
    return zip(targets, places).map { target, place in
      var sum = place.before
      let entries = members[place.index] ?? []
      for entry in entries {
        sum += entry.weight
        if sum >= target { return entry.key.value }
      }
      return (entries.last?.key ?? FloatKey(0)).value
    }
  }
}

/// Where a cumulative sum reaches a target.
private struct QuantilePlace {
  /// The index of the entry at which it does, the last one when none does.
  var index = 0
  /// The sum of the entries before.
  var before: UInt64 = 0

  init(of target: UInt64, in histogram: [UInt64]) {
    while index + 1 < histogram.count, before + histogram[index] < target {
      before += histogram[index]
      index += 1
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
