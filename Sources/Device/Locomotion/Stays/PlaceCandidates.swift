import LocomotionPositioning
import LocomotionSensing

/// A place where the person may have stayed, found from the fixes.
struct CandidatePlace: Sendable {
  /// Earth-centred, metres; nil where only the accelerometer tells of the stay.
  var centre: SIMD3<Double>?
  /// The variance of the centre along one axis, m².
  var centreVariance: Double
  /// How far the person and the receiver's lasting errors wander about it, along one axis, metres.
  var spread: Double

  /// The great-circle distance of the centres, metres; nil when one of them is not known.
  func distance(to other: CandidatePlace?) -> Double? {
    guard let centre, let goal = other?.centre else { return nil }
    return arcLength(ofChord: goal - centre)
  }

  /// The least spread: a room.
  static let leastSpread = 9.0
  /// The largest spread: a yard, or a cell.
  static let largestSpread = 80.0
}

extension StayInference {
  /// A cluster of consecutive epochs.
  private struct Cluster {
    var first: Int
    var last: Int
    var sum: SIMD3<Double> = .zero
    var weight = 0.0

    var centre: SIMD3<Double> { sum / weight }
    var variance: Double { 1 / weight }
  }

  /// Candidates: consecutive epochs near their common centre for some time, the silences beside
  /// them included, found forwards and backwards.
  func candidates() -> [CandidatePlace] {
    var found: [Cluster] = []
    for isForward in [true, false] {
      var open: Cluster?
      func close() {
        guard let cluster = open, lasts(cluster) else { return }
        found.append(cluster)
      }
      for index in isForward ? Array(steps.indices) : steps.indices.reversed() {
        guard let mean = steps[index].mean else { continue }
        let variance = steps[index].meanVariance
        if var cluster = open {
          let distance = arcLength(ofChord: mean - cluster.centre)
          let reach = max(45, 2.2 * (variance + cluster.variance).squareRoot())
          if distance <= reach {
            cluster.sum += mean / variance
            cluster.weight += 1 / variance
            cluster.first = min(cluster.first, index)
            cluster.last = max(cluster.last, index)
            open = cluster
            continue
          }
          close()
        }
        open = Cluster(first: index, last: index, sum: mean / variance, weight: 1 / variance)
      }
      close()
    }
    return merged(found)
  }

  /// Whether a cluster may be a stay with the silences of the receiver beside it.
  private func lasts(_ cluster: Cluster) -> Bool {
    var (before, after) = (cluster.first - 1, cluster.last + 1)
    while before >= 0, steps[before].mean == nil { before -= 1 }
    while after < steps.count, steps[after].mean == nil { after += 1 }
    guard before >= 0, after < steps.count else { return true }
    return steps[after].start - steps[before].end >= 150
  }

  /// Whether the accelerometer alone observed some minutes.
  private var hasUnlocatedStretch: Bool {
    var length = 0
    for step in steps {
      length = step.mean == nil ? length + 1 : 0
      if length >= 4 || steps.count < 8 && length > 0 { return true }
    }
    return false
  }

  private func merged(_ clusters: [Cluster]) -> [CandidatePlace] {
    var places: [Cluster] = []
    // The best known first, so that poor ones join them.
    for cluster in clusters.sorted(by: { $0.weight > $1.weight }) {
      let near = places.indices.first { index in
        let deviation = (places[index].variance + cluster.variance).squareRoot()
        return arcLength(ofChord: places[index].centre - cluster.centre)
          <= max(30, 1.2 * deviation)
      }
      if let near {
        places[near].sum += cluster.sum
        places[near].weight += cluster.weight
      } else {
        places.append(cluster)
      }
    }
    var result = places.map { cluster in
      CandidatePlace(
        centre: cluster.centre, centreVariance: max(1, cluster.variance),
        spread: CandidatePlace.leastSpread)
    }
    if hasUnlocatedStretch {
      result.append(
        CandidatePlace(centre: nil, centreVariance: 1, spread: CandidatePlace.leastSpread))
    }
    return result
  }

  /// The places as the epochs of a path at them show them.
  ///
  /// The spread is what the scatter holds beyond the fixes' own errors.
  func reestimated(_ places: [CandidatePlace], by path: StayPath) -> [CandidatePlace] {
    var sums = places.map { _ in (sum: SIMD3<Double>.zero, weight: 0.0, count: 0.0) }
    for segment in path.segments {
      guard let place = segment.place, let centre = places[place].centre else { continue }
      for index in segment.epochs {
        guard let mean = steps[index].mean else { continue }
        let variance =
          steps[index].meanVariance + places[place].spread * places[place].spread
        let chord = mean - centre
        // One step to the maximum of Student's likelihood: an outlier doesn't draw.
        let weight = 6 / (4 + (chord * chord).sum() / variance) / variance
        sums[place].sum += weight * mean
        sums[place].weight += weight
        sums[place].count += 1
      }
    }
    var scatters = places.map { _ in 0.0 }
    for segment in path.segments {
      guard let place = segment.place, sums[place].count > 0 else { continue }
      let centre = sums[place].sum / sums[place].weight
      for index in segment.epochs {
        guard let mean = steps[index].mean else { continue }
        let distance = arcLength(ofChord: mean - centre)
        // An outlier must not widen its place.
        scatters[place] +=
          min(distance * distance, 9 * (steps[index].meanVariance + 900)) / 2
          - steps[index].meanVariance
      }
    }
    var result: [CandidatePlace] = []
    for (place, (sum, weight, count)) in sums.enumerated() {
      guard count > 0 else {
        if places[place].centre == nil { result.append(places[place]) }
        continue
      }
      let scatter = max(0, scatters[place] / count)
      var candidate = places[place]
      candidate.centre = sum / weight
      candidate.centreVariance = max(1, 1 / weight)
      candidate.spread = min(
        max(scatter.squareRoot(), CandidatePlace.leastSpread), CandidatePlace.largestSpread)
      result.append(candidate)
    }
    return result
  }
}
