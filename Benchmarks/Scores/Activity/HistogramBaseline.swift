import Foundation
package import LocomotionActivityRecognition

/// Naive Bayes with histograms per class, as in LocoKit 1.
///
/// Its features available from accelerations and fixes are step rate, horizontal and vertical
/// acceleration, and speed; each class has a histogram of each, and the answer is the class with
/// the highest product of the bins' fractions. The original's further factors, time of day, place,
/// altitude, course and the activity before, depend on one person's days and are not in data sets.
package struct HistogramBaseline: ActivityBaseline {
  /// The name in tables.
  package let name = "histograms, multiplied"
  /// The number of bins of each histogram.
  package static let bins = 25
  /// The pseudo-count of every bin, as a fraction of all windows of the class.
  package static let pseudoFraction = 0.001

  private static let quantities: [@Sendable (MotionSummary) -> Float?] = [
    { $0.stepHertz }, { $0.horizontalLevel }, { $0.verticalLevel }, { $0.metresPerSecond },
  ]

  /// The upper end of each quantity's histogram: values beyond it are in the last bin.
  private var tops = [Float](repeating: 1, count: quantities.count)
  /// For each class and quantity the logarithms of the bins' fractions.
  private var logFractions: [Activity: [[Double]]] = [:]

  /// An untrained baseline.
  package init() {}

  /// Fills the histograms, which extend from 0 to the 99 % quantile of the quantity.
  package mutating func train(on windows: [LabelledMotion]) {
    for (index, quantity) in Self.quantities.enumerated() {
      let values = windows.compactMap { quantity($0.motion) }.sorted()
      let top = values.isEmpty ? 1 : values[Int(0.99 * Double(values.count - 1))]
      tops[index] = max(top, 1e-3)
    }
    var fractions: [Activity: [[Double]]] = [:]
    let empty = [[Double]](
      repeating: .init(repeating: Self.pseudoFraction, count: Self.bins),
      count: Self.quantities.count)
    for window in windows.weighingClassesAlike() {
      for index in Self.quantities.indices {
        guard let bin = bin(of: window.motion, index) else { continue }
        fractions[window.activity, default: empty][index][bin] += window.weight
      }
    }
    logFractions = fractions.mapValues { histograms in
      histograms.map { histogram in
        let sum = histogram.reduce(0, +)
        return histogram.map { log($0 / sum) }
      }
    }
  }

  /// The class with the highest product; quantities that the window lacks are skipped.
  package func answer(to motion: MotionSummary) -> Activity? {
    let bins = Self.quantities.indices.map { bin(of: motion, $0) }
    let products = Activity.allCases.compactMap { activity in
      logFractions[activity].map { histograms in
        let product = bins.enumerated().reduce(0.0) { sum, entry in
          entry.element.map { sum + histograms[entry.offset][$0] } ?? sum
        }
        return (activity: activity, product: product)
      }
    }
    return products.max { $0.product < $1.product }?.activity
  }

  private func bin(of motion: MotionSummary, _ index: Int) -> Int? {
    guard let value = Self.quantities[index](motion), value.isFinite else { return nil }
    let fraction = min(max(value / tops[index], 0), 1)
    return min(Self.bins - 1, Int(fraction * Float(Self.bins)))
  }
}
