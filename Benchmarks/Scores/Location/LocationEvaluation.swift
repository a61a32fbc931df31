package import Locomotion

/// The evaluation of a pipeline's location and of the baselines against the truth, recording by
/// recording.
package struct LocationEvaluation: Sendable {
  /// The scores of one recording, or of several together.
  package struct Scores: Sendable {
    /// The name of the recording, or of the pool.
    package var name: String
    /// By method: the pipeline's three modes first, then the baselines; last the pipeline's moving
    /// states of every second, which have no positions.
    package var tracks: [TrackScore] = []
    /// By method; empty when the truth has no stays.
    package var stays: [StayScore] = []
    /// The timeline's activities while travelling; nil when the truth has none.
    package var travel: TravelScore?
  }

  /// The lag of the pipeline's lagged estimates, seconds.
  package static let lag = 6.0

  /// What is scored beside the pipeline, in the order of the tables.
  package struct Baselines: Sendable {
    /// Tracks, after that of the raw fixes.
    package var tracks: [any LocationBaseline] = []
    /// Rules for stays in the raw fixes.
    package var stays: [any StayBaseline] = []
    /// Tracks whose moving states are merged to stays as the pipeline's are.
    package var merged: [any LocationBaseline] = []

    /// Of tracks, rules for stays, and tracks whose states are merged to stays.
    package init(
      tracks: [any LocationBaseline] = [], stays: [any StayBaseline] = [],
      merged: [any LocationBaseline] = []
    ) {
      (self.tracks, self.stays, self.merged) = (tracks, stays, merged)
    }
  }

  /// The baselines.
  package let baselines: Baselines

  /// The recordings, in the order in which they were added.
  package private(set) var recordings: [Scores] = []

  /// An evaluation without recordings.
  package init(baselines: Baselines = .init()) {
    self.baselines = baselines
  }

  /// Scores a recording.
  ///
  /// - Parameters:
  ///   - name: The recording.
  ///   - output: The pipeline's output for it.
  ///   - truth: The reference.
  package mutating func add(_ name: String, output: LocomotionOutput, truth: LocationTruth) {
    var scores = Scores(name: name)
    let fixes = output.fixes.map(\.fix)
    let methods: [(String, [FixReport])] = [
      ("ours, live", output.fixes),
      ("ours, 6 s later", Hindsight.locations(output.fixes, lag: Self.lag)),
      ("ours, looking back", Hindsight.locations(output.fixes)),
    ]
    for (method, reports) in methods {
      scores.tracks.append(
        TrackScore(
          name: method, points: reports.map(\.point), fixes: fixes, truth: truth,
          odometerDistance: Self.odometer(reports)))
    }
    let raw = RawFixes()
    let tracks = ([raw] + baselines.tracks).map { ($0.name, $0.points(for: fixes)) }
    for (baseline, points) in tracks {
      scores.tracks.append(
        TrackScore(name: baseline, points: points, fixes: fixes, truth: truth))
    }
    // A phone at rest has few fixes, but a decision every second.
    let decisions = output.samples.map {
      MotionScore.Decision(timestamp: $0.end, state: $0.movingState)
    }
    scores.tracks.append(
      TrackScore(
        name: "ours, every second", motion: MotionScore(decisions, truth: truth)))
    if let stays = truth.stays {
      func add(_ method: String, _ detected: [StayInterval]) {
        scores.stays.append(StayScore(name: method, detected: detected, truth: stays))
      }
      var samples = output.samples
      Hindsight.smooth(&samples, reports: output.fixes)
      let items = TimelineBuilder.items(of: samples)
      add("ours", Self.stays(in: items))
      let travel = TravelScore(items, truth: truth)
      if travel.fraction != nil { scores.travel = travel }
      let points = raw.points(for: fixes).compactMap { $0 }.inTimeOrder
      for rule in baselines.stays { add(rule.name, rule.stays(in: points)) }
      for baseline in baselines.merged {
        let points = baseline.points(for: fixes).compactMap { $0 }.inTimeOrder
        add(
          baseline.name + ", our merging",
          Self.stays(in: TimelineBuilder.items(of: points.map(\.sample))))
      }
    }
    recordings.append(scores)
  }

  /// All recordings pooled: errors of all fixes together.
  package var pooled: Scores {
    var result = Scores(name: "all recordings")
    for recording in recordings {
      for score in recording.tracks {
        if let index = result.tracks.firstIndex(where: { $0.name == score.name }) {
          result.tracks[index].merge(score)
        } else {
          result.tracks.append(score)
        }
      }
      for score in recording.stays {
        if let index = result.stays.firstIndex(where: { $0.name == score.name }) {
          result.stays[index].merge(score)
        } else {
          result.stays.append(score)
        }
      }
      if let travel = recording.travel {
        result.travel = result.travel ?? TravelScore()
        result.travel?.merge(travel)
      }
    }
    return result
  }

  private static func odometer(_ reports: [FixReport]) -> Double {
    var odometer = Odometer()
    for report in reports {
      guard let location = report.location else { continue }
      odometer.update(with: location, state: report.moving.state)
    }
    return odometer.distance
  }

  private static func stays(in items: [TimelineItem]) -> [StayInterval] {
    items.compactMap { item in
      guard case .stay(let stay) = item else { return nil }
      return StayInterval(stay)
    }
  }
}

extension FixReport {
  /// The report as a point; nil without a location.
  fileprivate var point: LocatedPoint? {
    location.map {
      LocatedPoint(
        timestamp: fix.timestamp, latitude: $0.latitude, longitude: $0.longitude,
        radius68: $0.radius68, movingState: moving.state)
    }
  }
}

extension LocatedPoint {
  /// The point as the second that begins with it, for the timeline.
  fileprivate var sample: LocomotionSample {
    var sample = LocomotionSample(
      start: timestamp, end: timestamp.advanced(byNanoseconds: 1_000_000_000))
    sample.location = LocationEstimate(
      timestamp: timestamp, latitude: latitude, longitude: longitude, radius68: radius68 ?? 10,
      speed: nil, speedDeviation: nil, course: nil)
    sample.rawLocation = LocationFix(
      timestamp: timestamp, latitude: latitude, longitude: longitude, horizontalAccuracy: radius68)
    sample.movingState = movingState ?? .uncertain
    sample.movingProbability =
      switch movingState {
      case .moving: 1
      case .stationary: 0
      default: 0.5
      }
    return sample
  }
}

extension [LocatedPoint] {
  /// The points that are later than all before them.
  fileprivate var inTimeOrder: [LocatedPoint] {
    var newest: Timestamp?
    return filter { point in
      defer { newest = Swift.max(newest ?? point.timestamp, point.timestamp) }
      return newest.map { $0 < point.timestamp } ?? true
    }
  }
}
