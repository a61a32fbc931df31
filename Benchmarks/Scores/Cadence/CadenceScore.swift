/// The errors of estimated rates against reference rates.
struct RateScore: Sendable {
  /// Estimate minus reference, steps per minute.
  var errors: [Double] = []
  /// The same where the reference is regular.
  var regularErrors: [Double] = []
  /// The differences of the reference's two rates there, steps per minute.
  var referenceDifferences: [Double] = []
  var refused = 0

  mutating func add(_ answer: Double?, truth: CadenceReference.Rate) {
    guard let answer else {
      refused += 1
      return
    }
    errors.append(answer - truth.stepsPerMinute)
    guard truth.isRegular else { return }
    regularErrors.append(answer - truth.stepsPerMinute)
    if let interpolated = truth.interpolatedStepsPerMinute {
      referenceDifferences.append(interpolated - truth.stepsPerMinute)
    }
  }

  var count: Int { errors.count + refused }
  var meanError: Double? { Self.meanMagnitude(errors) }
  var meanRegularError: Double? { Self.meanMagnitude(regularErrors) }
  var meanReferenceDifference: Double? { Self.meanMagnitude(referenceDifferences) }
  var medianError: Double? { Quantile.of(errors.map { abs($0) }, fraction: 0.5) }
  var refusedFraction: Double? { count > 0 ? Double(refused) / Double(count) : nil }
  /// The fraction of all windows with an error of more than 15 steps per minute.
  var grossFraction: Double? {
    count > 0 ? Double(errors.count { abs($0) > 15 }) / Double(count) : nil
  }

  static func meanMagnitude(_ errors: [Double]) -> Double? {
    errors.isEmpty ? nil : errors.reduce(0) { $0 + abs($1) } / Double(errors.count)
  }
}

/// The rates and the count during one label.
struct LabelScore: Sendable {
  var seconds = 0
  var answered = 0
  /// The number of rates of 140 to 190 steps per minute, where most people run.
  var running = 0
  var steps = 0.0

  mutating func add(cadence: Double?, steps: Double) {
    seconds += 1
    self.steps += steps
    guard let cadence else { return }
    answered += 1
    if cadence >= 140 && cadence <= 190 { running += 1 }
  }

  var answeredFraction: Double? { seconds > 0 ? Double(answered) / Double(seconds) : nil }
  var runningFraction: Double? { answered > 0 ? Double(running) / Double(answered) : nil }
  var stepsPerMinute: Double? { seconds > 0 ? 60 * steps / Double(seconds) : nil }
}
