import Foundation
import LocomotionGait

/// The errors of estimates against a reference rate.
struct CadenceScore {
  var errors: [Double] = []
  var gross = 0
  var refused = 0
  var count = 0

  mutating func add(_ estimate: Cadence?, truth: Double) {
    count += 1
    guard let estimate else {
      refused += 1
      return
    }
    let error = abs(Double(estimate.stepsPerMinute) - truth)
    errors.append(error)
    if error > 0.15 * truth { gross += 1 }
  }

  var meanError: Double { errors.reduce(0, +) / Double(max(errors.count, 1)) }
  var medianError: Double { errors.isEmpty ? 0 : errors.sorted()[errors.count / 2] }
  var refusedPercent: Double { 100 * Double(refused) / Double(max(count, 1)) }
  var grossPercent: Double { 100 * Double(gross) / Double(max(count, 1)) }
  var row: String {
    String(
      format: "n %5d  MAE %.2f  median %.2f  refused %.2f %%  off > 15 %%: %.2f %%", count,
      meanError, medianError, refusedPercent, grossPercent)
  }
}

/// The rates and the count during one label.
struct LabelTally {
  var seconds = 0
  var answered = 0
  var steps: Double = 0
  var inBand = 0

  mutating func add(_ update: CadenceUpdate, band: ClosedRange<Float>) {
    seconds += 1
    steps += Double(update.steps)
    if let cadence = update.cadence {
      answered += 1
      if band.contains(cadence.stepsPerMinute) { inBand += 1 }
    }
  }
  var answeredPercent: Double { 100 * Double(answered) / Double(max(seconds, 1)) }
  var stepsPerMinute: Double { 60 * steps / Double(max(seconds, 1)) }
  var inBandPercent: Double { 100 * Double(inBand) / Double(max(answered, 1)) }
}
