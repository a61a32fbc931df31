// What only hindsight can see: that a receiver had gone astray, alone.
extension LocationFilter.Settings {
  /// The steps without the excursions from which the fixes came back.
  func repaired(_ steps: [LocationFilter.Step]) -> [LocationFilter.Step] {
    var result = steps
    for index in steps.indices.reversed() where steps[index].kind == .return {
      returnToAlternate(before: index, in: &result)
    }
    for index in steps.indices.dropFirst() {
      if result[index].transition == nil || result[index].kind == .relocation {
        carryBack(from: index, in: &result)
      }
      if result[index].kind == .relocation, !bridgeDrift(before: index, in: &result) {
        // Nothing leads there: a jump that no model explains would only bend what came before.
        result[index].transition = nil
      }
    }
    return result
  }

  /// Where the filter resumed the track that a relocation had left, replaces the steps since by
  /// those of that track, which went on without positions.
  private func returnToAlternate(before index: Int, in steps: inout [LocationFilter.Step]) {
    var k = index - 1
    if k >= 1, steps[k].kind == .velocity, let alternate = steps[k - 1].alternate {
      steps[k].wait(in: alternate)
      k -= 1
    }
    while k >= 0, let alternate = steps[k].alternate {
      let isRelocation = steps[k].kind == .relocation
      let waits = k > 0 && steps[k - 1].kind == .velocity
      steps[k].replace(by: alternate)
      if waits, !isRelocation {
        // The alternate track has no stop on the way: it makes its whole step there and waits here.
        steps[k].wait(in: alternate)
        k -= 1
        steps[k].replace(by: alternate)
      }
      if isRelocation { break }
      k -= 1
    }
  }

  /// The least leap from a beginning that is no part of the way, metres: watches begin up to 350 m
  /// off, and their totals count it (2 of 105 activities).
  private static let shortestLeap = 1_000.0

  /// Where a filter had begun at a fix or two of elsewhere, such as a position that the system had
  /// kept, and soon went to where the others lie, replaces its beginning by the way back from
  /// there.
  private func carryBack(from index: Int, in steps: inout [LocationFilter.Step]) {
    let target = steps[index]
    var (first, uses) = (index, 0)
    repeat {
      first -= 1
      if steps[first].filtered.position != steps[first].predicted.position { uses += 1 }
      guard uses < 2,
        0...Hypothesis.memory ~= target.timestamp.seconds(since: steps[first].timestamp)
      else { return }
    } while first > 0 && steps[first].transition != nil
    let place = target.plane.geodetic(target.filtered.position)
    guard
      steps[first].plane.distance(latitude: place.latitude, longitude: place.longitude)
        > Self.shortestLeap
    else { return }
    for k in first..<index {
      var state = target.filtered
      let seconds = steps[k].timestamp.seconds(since: target.timestamp)
      state.predict(movingTransition(of: state, seconds: seconds, hasSpeeds: true))
      (steps[k].plane, steps[k].transition) = (target.plane, nil)
      (steps[k].predicted, steps[k].filtered) = (state, state)
    }
    steps[index].transition = nil
  }

  /// Where the fixes jumped after they had drifted away, replaces the drift by a bridge.
  ///
  /// A drift that agrees with the receiver's own speeds is invisible until the fixes snap back.
  /// Then the newest state is looked for from which a phone without fixes would have come to where
  /// they are now; what lies between is predicted, and smoothed with both ends known. Returns
  /// whether there is one.
  private func bridgeDrift(
    before index: Int, in steps: inout [LocationFilter.Step]
  ) -> Bool {
    let target = steps[index]
    var k = index - 1
    while k >= 0, steps[k + 1].transition != nil, steps[k].posterior.state == .moving {
      let elapsed = target.timestamp.seconds(since: steps[k].timestamp)
      guard elapsed >= 0, elapsed <= Motion.coasting else { break }
      var state = steps[k].filtered.converted(from: steps[k].plane, to: target.plane)
      state.predict(movingTransition(of: state, seconds: elapsed, hasSpeeds: true))
      let covariance = target.filtered.covariance
      let position = KinematicState.Measurement.position(
        target.filtered.position, variance: covariance.pp)
      let velocity = KinematicState.Measurement.velocity(
        target.filtered.velocity, variance: covariance.vv)
      var squared = state.innovation(position).squared
      state.update(position)
      squared += state.innovation(velocity).squared
      if squared < gating.outlierGate {
        predict(from: k, to: index, in: &steps)
        return true
      }
      k -= 1
    }
    return false
  }

  /// Replaces what the filter made of the fixes between two steps by what it expected before.
  private func predict(from first: Int, to last: Int, in steps: inout [LocationFilter.Step]) {
    var (state, plane) = (steps[first].filtered, steps[first].plane)
    for k in first + 1...last {
      guard let transition = steps[k].transition else { return }
      state = state.converted(from: plane, to: steps[k].plane)
      plane = steps[k].plane
      state.predict(transition)
      steps[k].predicted = state
      if k < last { steps[k].filtered = state }
    }
  }
}

extension LocationFilter.Step {
  /// Takes the place of this step on the alternate track.
  fileprivate mutating func replace(by alternate: LocationFilter.AlternateStep) {
    plane = alternate.plane
    transition = alternate.transition
    predicted = alternate.predicted
    filtered = alternate.filtered
    kind = .fix
    self.alternate = nil
  }

  /// Stays where the alternate track has just come to.
  fileprivate mutating func wait(in alternate: LocationFilter.AlternateStep) {
    replace(by: alternate)
    transition = .identity
    predicted = alternate.filtered
  }
}
