extension MotionPosterior {
  /// Decides, with hysteresis: a decision holds until the odds against it pass `threshold`.
  mutating func decide(threshold: Double = 0.6) {
    switch state {
    case .stationary:
      if probability > threshold { state = .moving }
    case .moving:
      if probability < 1 - threshold { state = .stationary }
    case .uncertain:
      if probability > 0.7 { state = .moving } else if probability < 0.3 { state = .stationary }
    }
  }
}
