/// Quantiles of a sample.
enum Quantile {
  /// The value that a share of the values lies below, interpolated between neighbours; nil of none.
  ///
  /// Definition 7 of Hyndman and Fan, "Sample quantiles in statistical packages" (1996).
  static func of(_ values: [Double], share: Double) -> Double? {
    of(sorted: values.sorted(), share: share)
  }

  /// The same for values in ascending order.
  static func of(sorted values: [Double], share: Double) -> Double? {
    guard let last = values.last else { return nil }
    let position = share * Double(values.count - 1)
    let index = Int(position)
    guard index + 1 < values.count else { return last }
    let rest = position - Double(index)
    return values[index] + rest * (values[index + 1] - values[index])
  }
}
