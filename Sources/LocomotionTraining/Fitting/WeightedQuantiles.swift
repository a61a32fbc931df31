/// Exact quantiles of weighted numbers in linear time.
///
/// The quantile of probability p is the least value at which the sum of the weights of all values
/// up to it reaches p times their total: the inverse of the weighted empirical distribution.
///
/// Weights are rounded to multiples of 2⁻⁵² of their total and summed as integers, so that the
/// result depends neither on the order of the rows nor on rounding: a sum that falls short of p by
/// less than the rounding of all weights reaches it.
struct WeightedQuantiles {
  private let weights: [UInt64]
  private let total: UInt64
  /// Weight by the upper half of the key: 2¹⁶ buckets.
  private var histogram = [UInt64](repeating: 0, count: 1 << 16)

  /// - Precondition: no weight is negative and at least one is positive.
  init(weights: [Double]) {
    let sum = weights.reduce(0, +)
    precondition(sum > 0, "expected a positive sum of weights, got \(sum)")
    self.weights = weights.map { UInt64(($0 / sum * 0x1p52).rounded()) }
    self.total = self.weights.reduce(0, +)
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
      histogram[Int(Self.key(values[index]) >> 16)] += weights[index]
    }

    // The bucket of each quantile, and the weight before that bucket.
    let rounding = UInt64(weights.count)
    let targets = probabilities.map {
      let target = UInt64(($0 * Double(total)).rounded(.up))
      return target > rounding ? target - rounding : 1
    }
    var places: [(bucket: Int, before: UInt64)] = []
    var bucket = 0
    var before: UInt64 = 0
    for target in targets {
      while bucket + 1 < histogram.count, before + histogram[bucket] < target {
        before += histogram[bucket]
        bucket += 1
      }
      places.append((bucket, before))
    }

    let buckets = Set(places.map(\.bucket))
    var isWanted = [Bool](repeating: false, count: histogram.count)
    for bucket in buckets {
      isWanted[bucket] = true
    }
    var members: [Int: [(key: UInt32, weight: UInt64)]] = [:]
    for index in values.indices {
      let key = Self.key(values[index])
      if isWanted[Int(key >> 16)] {
        members[Int(key >> 16), default: []].append((key, weights[index]))
      }
    }
    for bucket in buckets {
      members[bucket]?.sort { $0.key < $1.key }
    }
    return zip(targets, places).map { target, place in
      var sum = place.before
      let entries = members[place.bucket] ?? []
      for entry in entries {
        sum += entry.weight
        if sum >= target { return Self.value(entry.key) }
      }
      return Self.value(entries.last?.key ?? Self.key(0))
    }
  }

  /// Bits whose unsigned order is that of the numbers.
  private static func key(_ value: Float) -> UInt32 {
    // Adding 0 turns −0 into +0.
    let bits = (value + 0).bitPattern
    return bits & 0x8000_0000 == 0 ? bits | 0x8000_0000 : ~bits
  }

  private static func value(_ key: UInt32) -> Float {
    Float(bitPattern: key & 0x8000_0000 == 0 ? ~key : key & 0x7fff_ffff)
  }
}
