/// The seconds of a recording, summed up, so that what is known of an item can be divided in time.
package struct SampledTrack: Sendable, StateArchivable {
  /// What has come together up to an instant.
  struct Sums: StateElement {
    /// The chords between locations, metres.
    var metres = 0.0
    /// Seconds in motion.
    var moving = 0.0
    var steps = 0.0
    /// Seconds with a fix or accelerations.
    var observed = 0.0

    static let blank = Self()

    mutating func pass(through archive: inout StateArchive) {
      archive.pass(&metres, &moving, &steps, &observed)
    }
  }

  fileprivate struct Second {
    var start: Timestamp
    var end: Timestamp
    /// Up to its end.
    var sums: Sums
    /// What its activity is, in motion.
    var activity: ActivityProbabilities?
    var hasWindow: Bool
  }

  fileprivate struct Fix: StateElement {
    var time: Timestamp
    var end: Timestamp
    var location: Stay.Location
    /// The chords up to it, metres.
    var metres: Double

    static let blank = Self(time: .blank, end: .blank, location: .blank, metres: 0)

    mutating func pass(through archive: inout StateArchive) {
      archive.pass(&time, &end, &location, &metres)
    }
  }

  /// In order of time.
  private var seconds: [Second] = []
  /// The fixes of the seconds, and one before them.
  private var fixes: [Fix] = []
  /// Up to the first second.
  private var base = Sums()

  /// A track of seconds in the order of time.
  package init(_ samples: [LocomotionSample] = []) {
    seconds.reserveCapacity(samples.count)
    for sample in samples { append(sample) }
  }

  /// Up to as many seconds of rest are held as one.
  private static let longestRest = 10.0

  /// Adds the next second.
  mutating func append(_ sample: LocomotionSample) {
    var sum = seconds.last?.sums ?? base
    if sample.movingState == .moving { sum.moving += sample.end.seconds(since: sample.start) }
    if sample.steps.isFinite { sum.steps += Double(sample.steps) }
    if sample.rawLocation != nil || sample.coverage > 0 {
      sum.observed += sample.end.seconds(since: sample.start)
    }
    if let fix = sample.rawLocation, let estimate = sample.location {
      let here = Stay.Location(
        latitude: estimate.latitude, longitude: estimate.longitude, radius68: estimate.radius68)
      if let last = fixes.last { sum.metres += last.location.distance(to: here) }
      fixes.append(
        Fix(time: fix.timestamp, end: sample.end, location: here, metres: sum.metres))
    }
    let activity = sample.movingState == .stationary ? nil : sample.activity?.probabilities
    if activity == nil, let last = seconds.last, last.activity == nil, last.end == sample.start,
      sample.end.seconds(since: last.start) <= Self.longestRest
    {
      (seconds[seconds.count - 1].end, seconds[seconds.count - 1].sums) = (sample.end, sum)
      return
    }
    seconds.append(
      Second(
        start: sample.start, end: sample.end, sums: sum, activity: activity,
        hasWindow: sample.hasWindow))
  }

  /// Forgets the seconds before an instant; what is asked of later ones stays the same.
  mutating func removeAll(before time: Timestamp) {
    let first = seconds.partitioningIndex { $0.end > time }
    if first > 0 { base = seconds[first - 1].sums }
    seconds.removeFirst(first)
    fixes.removeFirst(max(0, fixes.partitioningIndex { $0.end > time } - 1))
  }

  /// How long a track goes on without a fix before nothing more is expected of one, seconds.
  private static let patience = 12.0 * 3_600

  /// Whether what is asked of the time before an instant can no longer change.
  func isComplete(before time: Timestamp) -> Bool {
    if let last = fixes.last, last.time >= time { return true }
    return seconds.last.map { $0.end.seconds(since: time) >= Self.patience } ?? false
  }

  /// The locations at the fix before an interval and the one after it; nil without either.
  func ends(
    of start: Timestamp, _ end: Timestamp
  ) -> (from: Stay.Location, to: Stay.Location)? {
    // A second ends after its fix.
    let after = fixes.partitioningIndex { $0.time >= end }
    let before = fixes.partitioningIndex { $0.time > start }
    guard before > 0, after < fixes.count else { return nil }
    return (fixes[before - 1].location, fixes[after].location)
  }

  /// What came together between two instants.
  func amount(
    of quantity: (Sums) -> Double, _ start: Timestamp, _ end: Timestamp
  ) -> Double {
    max(0, quantity(sums(at: end)) - quantity(sums(at: start)))
  }

  /// Whether most of an interval was observed.
  func isObserved(_ start: Timestamp, _ end: Timestamp) -> Bool {
    amount(of: { $0.observed }, start, end) > 0.5 * end.seconds(since: start)
  }

  /// What of the counts of `whole` is in a part of it; that of the time where nothing was counted.
  func share(of part: Range<Timestamp>, in whole: Range<Timestamp>) -> TimeShare {
    func seconds(_ range: Range<Timestamp>) -> Double {
      range.upperBound.seconds(since: range.lowerBound)
    }
    func share(_ quantity: (Sums) -> Double) -> Double {
      let all = amount(of: quantity, whole.lowerBound, whole.upperBound)
      guard all > 0 else { return seconds(part) / seconds(whole) }
      return min(1, amount(of: quantity, part.lowerBound, part.upperBound) / all)
    }
    return TimeShare(
      way: share { $0.metres }, moving: share { $0.moving }, steps: share { $0.steps })
  }

  /// The mean probability of each activity in the seconds of an interval by `Activity.rawValue`,
  /// and whether accelerations told it; nil where no second knows.
  func probabilities(
    _ start: Timestamp, _ end: Timestamp
  ) -> (mean: [Double], hasMotion: Bool)? {
    var mean = [Double](repeating: 0, count: Activity.allCases.count)
    var (count, withMotion) = (0.0, 0.0)
    let first = seconds.partitioningIndex { $0.end > start }
    for second in seconds[first...].prefix(while: { $0.start < end }) {
      guard let probabilities = second.activity else { continue }
      for activity in Activity.allCases {
        mean[activity.rawValue] += Double(probabilities[activity])
      }
      count += 1
      if second.hasWindow { withMotion += 1 }
    }
    guard count > 0 else { return nil }
    return (mean.map { $0 / count }, 2 * withMotion > count)
  }

  private func sums(at time: Timestamp) -> Sums {
    let index = seconds.partitioningIndex { $0.end > time }
    var sum = index > 0 ? seconds[index - 1].sums : base
    // Between two fixes the way goes on steadily.
    let next = fixes.partitioningIndex { $0.end > time }
    if next > 0, next < fixes.count {
      let (from, to) = (fixes[next - 1], fixes[next])
      sum.metres +=
        (to.metres - from.metres) * time.seconds(since: from.end) / to.end.seconds(since: from.end)
    }
    return sum
  }

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&seconds, &fixes, &base)
  }
}

extension SampledTrack.Second: StateElement {
  static let blank = Self(start: .blank, end: .blank, sums: .blank, activity: nil, hasWindow: false)

  mutating func pass(through archive: inout StateArchive) {
    archive.pass(&start, &end, &sums, &activity, &hasWindow)
  }
}

extension Stay.Location: GeodeticPosition {}
extension Place: GeodeticPosition {}
