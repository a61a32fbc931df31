internal import Locomotion
internal import LocomotionActivityRecognition
internal import LocomotionPositioning
internal import LocomotionSensing

/// The samples of a recording, summed up, so that what is known of an item can be divided in time.
struct SampledTrack {
  /// What has come together up to an instant.
  struct Sums {
    /// The chords between locations, metres.
    var metres = 0.0
    /// Seconds in motion.
    var moving = 0.0
    var steps = 0.0
    /// Seconds with a fix or accelerations.
    var observed = 0.0
  }

  let samples: [LocomotionSample]
  /// The samples with a fix, by their ends, and what came together up to each.
  private var fixes: [(end: Timestamp, index: Int)] = []
  private var metres: [Double] = []
  private var sums: [Sums] = []

  init(_ samples: [LocomotionSample]) {
    self.samples = samples
    var sum = Sums()
    sums.reserveCapacity(samples.count)
    for (index, sample) in samples.enumerated() {
      let seconds = sample.end.seconds(since: sample.start)
      if sample.movingState == .moving { sum.moving += seconds }
      if sample.steps.isFinite { sum.steps += Double(sample.steps) }
      if sample.rawLocation != nil || sample.coverage > 0 { sum.observed += seconds }
      if sample.rawLocation != nil, let here = sample.location {
        if let last = fixes.last, let there = samples[last.index].location {
          sum.metres += there.distance(to: here)
        }
        fixes.append((sample.end, index))
        metres.append(sum.metres)
      }
      sums.append(sum)
    }
  }

  /// The locations at the fix before an interval and the one after it; nil without either.
  func ends(
    of start: Timestamp, _ end: Timestamp
  ) -> (from: LocationEstimate, to: LocationEstimate)? {
    // A sample ends up to a second after its fix.
    let after = fixes.partitioningIndex {
      samples[$0.index].rawLocation.map { $0.timestamp >= end } ?? false
    }
    let before = fixes.partitioningIndex {
      samples[$0.index].rawLocation.map { $0.timestamp > start } ?? false
    }
    guard before > 0, after < fixes.count, let from = samples[fixes[before - 1].index].location,
      let to = samples[fixes[after].index].location
    else { return nil }
    return (from, to)
  }

  /// What came together between two instants.
  func amount(
    of quantity: KeyPath<Sums, Double>, _ start: Timestamp, _ end: Timestamp
  ) -> Double {
    max(0, sums(at: end)[keyPath: quantity] - sums(at: start)[keyPath: quantity])
  }

  /// Whether most of an interval was observed.
  func isObserved(_ start: Timestamp, _ end: Timestamp) -> Bool {
    amount(of: \.observed, start, end) > 0.5 * end.seconds(since: start)
  }

  /// What of the counts of `whole` is in a part of it; that of the time where nothing was counted.
  func share(of part: Range<Timestamp>, in whole: Range<Timestamp>) -> TimeShare {
    func seconds(_ range: Range<Timestamp>) -> Double {
      range.upperBound.seconds(since: range.lowerBound)
    }
    func share(_ quantity: KeyPath<Sums, Double>) -> Double {
      let all = amount(of: quantity, whole.lowerBound, whole.upperBound)
      guard all > 0 else { return seconds(part) / seconds(whole) }
      return min(1, amount(of: quantity, part.lowerBound, part.upperBound) / all)
    }
    return TimeShare(way: share(\.metres), moving: share(\.moving), steps: share(\.steps))
  }

  /// The mean probability of each activity in the seconds of an interval by `Activity.rawValue`,
  /// and whether accelerations told it; nil where no second knows.
  func probabilities(
    _ start: Timestamp, _ end: Timestamp
  ) -> (mean: [Double], hasMotion: Bool)? {
    var mean = [Double](repeating: 0, count: Activity.allCases.count)
    var (count, withMotion) = (0.0, 0.0)
    let first = samples.partitioningIndex { $0.end > start }
    for sample in samples[first...].prefix(while: { $0.start < end }) {
      guard let decision = sample.activity, sample.movingState != .stationary else { continue }
      for activity in Activity.allCases {
        mean[activity.rawValue] += Double(decision.probabilities[activity])
      }
      count += 1
      if sample.hasWindow { withMotion += 1 }
    }
    guard count > 0 else { return nil }
    return (mean.map { $0 / count }, 2 * withMotion > count)
  }

  private func sums(at time: Timestamp) -> Sums {
    let index = samples.partitioningIndex { $0.end > time }
    guard index > 0 else { return Sums() }
    var sum = sums[index - 1]
    // Between two fixes the way goes on steadily.
    let next = fixes.partitioningIndex { $0.end > time }
    if next > 0, next < fixes.count {
      let (from, to) = (fixes[next - 1].end, fixes[next].end)
      sum.metres +=
        (metres[next] - metres[next - 1]) * time.seconds(since: from) / to.seconds(since: from)
    }
    return sum
  }
}

extension LocationEstimate {
  /// The length of the geodesic to another location, metres.
  func distance(to other: LocationEstimate) -> Double {
    Geodesic(
      from: (latitude, longitude), to: (other.latitude, other.longitude)
    ).distance
  }
}
