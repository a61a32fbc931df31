extension LocationSmoother {
  /// The backward pass of Rauch, Tung and Striebel over the steps of a filter.
  struct BackwardPass {
    let settings: LocationFilter.Settings
    private var steps: [LocationFilter.Step] = []
    private var states: [KinematicState] = []

    init(settings: LocationFilter.Settings) {
      self.settings = settings
    }

    /// Smooths every chain of steps between two starts of the filter.
    mutating func smooth(_ steps: [LocationFilter.Step]) {
      self.steps = settings.repaired(steps)
      let steps = self.steps
      states = steps.map { $0.filtered }
      guard steps.count > 1 else { return }
      for k in stride(from: steps.count - 2, through: 0, by: -1) {
        let next = steps[k + 1]
        guard let transition = next.transition else { continue }
        let plane = steps[k].plane
        if next.plane == plane {
          states[k] = steps[k].filtered.smoothed(
            through: transition, predicted: next.predicted, smoothed: states[k + 1])
        } else {
          // The filter moved its plane along: go back to the plane of this step.
          states[k] = steps[k].filtered.smoothed(
            through: transition, predicted: next.predicted.converted(from: next.plane, to: plane),
            smoothed: states[k + 1].converted(from: next.plane, to: plane))
        }
      }
    }

    func estimate(at index: Int) -> LocationEstimate? {
      let step = steps[index]
      return settings.estimate(
        at: step.timestamp, states[index], in: step.plane, offsetVariance: step.offsetVariance,
        atRest: step.posterior.state == .stationary)
    }

    /// The estimate at an instant that has no step of its own, from the last step before it.
    ///
    /// `last` is the newest step when the fix arrived; at most 600 steps back are looked at.
    func estimate(at timestamp: Timestamp, last: Int?) -> LocationEstimate? {
      guard timestamp.isPlausible, let last else { return nil }
      var best: Int?
      var age = LocationFilter.Settings.Gating.restartGap
      for index in stride(from: last, through: max(0, last - 600), by: -1) {
        let elapsed = timestamp.seconds(since: steps[index].timestamp)
        if elapsed >= 0, elapsed <= age { (best, age) = (index, elapsed) }
      }
      guard let best else { return nil }
      let step = steps[best]
      let atRest = step.posterior.state == .stationary
      var state = states[best]
      state.predict(
        atRest
          ? settings.restTransition(seconds: age)
          : settings.movingTransition(of: state, seconds: age, hasSpeeds: true))
      return settings.estimate(
        at: timestamp, state, in: step.plane, offsetVariance: step.offsetVariance, atRest: atRest)
    }
  }
}
