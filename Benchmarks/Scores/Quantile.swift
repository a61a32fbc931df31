/// Quantiles of a sample.
package enum Quantile {
  /// The quantile at `fraction`, interpolated between neighbours; nil without values.
  ///
  /// Definition 7 of Hyndman and Fan, "Sample quantiles in statistical packages" (1996).
  package static func of(_ values: [Double], fraction: Double) -> Double? {
    of(sorted: values.sorted(), fraction: fraction)
  }

  /// The same for values in ascending order.
  static func of(sorted values: [Double], fraction: Double) -> Double? {
    guard let last = values.last else { return nil }
    let position = fraction * Double(values.count - 1)
    let index = Int(position)
    guard index + 1 < values.count else { return last }
    let rest = position - Double(index)
    return values[index] + rest * (values[index + 1] - values[index])
  }
}
