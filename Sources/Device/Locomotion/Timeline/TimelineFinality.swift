public import LocomotionSensing

extension TimelineBuilder {
  /// The instant up to which the timeline is final: no later sample changes an item that ends at or
  /// before it.
  ///
  /// That is the beginning of the newest stay that is sure to be one, when no rest before it can
  /// still merge with one to come: what lies between is too far from it, or the absence too long
  /// (rule 4 of ``TimelineBuilder``). Usually a trip is final five minutes after its end, and a
  /// stay when the next place was reached. Nil while nothing is final.
  ///
  /// - Complexity: That of ``items()``.
  public func finalEnd() -> Timestamp? {
    // A short run that is still open may yet grow, or dissolve.
    let all = runs + (open.map { $0.duration < settings.shortestRun ? [] : [$0] } ?? [])
    guard let last = all.indices.last else { return nil }
    // What a gap ends is final: nothing merges across it.
    let begin = (0..<last).last { all[$0].end < all[$0 + 1].start }.map { $0 + 1 } ?? 0
    var end = begin > 0 ? all[begin].start : nil
    let runs = all[begin...]
    let rests = merged(runs)
    for index in rests.indices.reversed() where isSettled(rests[index], in: runs) {
      if rests[..<index].allSatisfy({ isClosed($0, before: rests[index], in: runs) }) {
        end = rests[index].start
        break
      }
    }
    // The next location divides its distance among the runs since the last one.
    guard let found = end, found > all[0].start else { return nil }
    // A stay may begin before its rest, with a motion too short for a trip (rule 7).
    let limit = min(found, odometer.located ?? found)
    return items().last { $0.end <= limit }?.end
  }

  /// Whether a rest stays a stay, and begins where it does, whatever follows it.
  private func isSettled(_ rest: MergedRest, in runs: ArraySlice<TimelineRun>) -> Bool {
    guard rest.duration >= settings.shortestStay, isStay(rest, in: runs) else { return false }
    let arrival = runs[..<rest.runs.lowerBound].last { $0.label != .rest && $0.mode != nil }
    return rest.duration > settings.longestTrafficStop || !(arrival?.mode?.isMotorized ?? true)
  }

  /// Whether `rest` can neither merge with `stay` nor with anything after it, nor turn into a stay
  /// or traffic by what follows.
  private func isClosed(
    _ rest: MergedRest, before stay: MergedRest, in runs: ArraySlice<TimelineRun>
  ) -> Bool {
    let between = runs[rest.runs.upperBound..<stay.runs.lowerBound]
    guard between.contains(where: { $0.label != .rest && $0.mode != nil }) else { return false }
    let absence = stay.start.seconds(since: rest.end)
    if absence > min(rest.restSeconds, settings.longestAbsence) { return true }
    guard let centre = rest.region?.centre else {
      return absence >= settings.shortestAbsence || between.contains(where: { $0.isRide })
    }
    // A merged centre lies at most so far from this one.
    let reach = settings.farDistance + settings.nearDistance
    return between.contains { $0.region.map { $0.farthestDistance(from: centre) > reach } ?? false }
  }
}
