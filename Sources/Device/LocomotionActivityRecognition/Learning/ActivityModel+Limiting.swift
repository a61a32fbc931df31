extension ActivityModel {
  /// The same model without the activities that its owner never does: no train in my town, no
  /// bicycle.
  ///
  /// Their scores are left out, and what looked like them is divided among the others by their
  /// scores; the temporal filter has no state for them. Custom activities that behave like one that
  /// is left out go with it. The calibration stays, and the ``MomentTerm``, which is about windows.
  ///
  /// - Parameter activities: Those that remain; what the model doesn't have is ignored.
  /// - Returns: The model; nil when fewer than two activities would remain.
  public func limited(to activities: Set<Activity>) -> ActivityModel? {
    let kept = parameters.classes.indices.filter { activities.contains(parameters.classes[$0]) }
    guard kept.count > 1 else { return nil }
    var limited = parameters
    limited.classes = kept.map { parameters.classes[$0] }
    limited.function.weights.keepRows(kept, of: parameters.classes.count)
    limited.rotation?.weights.keepRows(kept, of: parameters.classes.count)
    limited.track?.function.weights.keepRows(kept, of: parameters.classes.count)
    limited.custom = parameters.custom?.limited(to: activities)
    return ActivityModel(limited)
  }
}

extension ActivityModel.CustomTerm {
  /// Without those that behave like an activity that isn't in `activities`; nil when none is left.
  fileprivate func limited(to remaining: Set<Activity>) -> ActivityModel.CustomTerm? {
    let kept = activities.indices.filter {
      activities[$0].behavesLike.map(remaining.contains) ?? true
    }
    guard !kept.isEmpty else { return nil }
    var limited = self
    limited.activities = kept.map { activities[$0] }
    limited.function.weights.keepRows(kept, of: activities.count)
    return limited
  }
}

extension [Float] {
  /// Leaves some of `count` rows.
  fileprivate mutating func keepRows(_ kept: [Int], of count: Int) {
    let (weights, width) = (self, self.count / count)
    self = kept.flatMap { weights[$0 * width..<($0 + 1) * width] }
  }
}
