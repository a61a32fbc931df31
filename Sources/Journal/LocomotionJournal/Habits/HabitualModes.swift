internal import Locomotion

/// Which mode a user's trips between two places have, from those that they have confirmed.
///
/// A prior over the mode of a trip's longest leg: the trips between the same places are counted,
/// and a symmetric Dirichlet prior with the weight of one trip is added (Gelman et al., "Bayesian
/// Data Analysis", 3rd ed., section 3.4). A trip counts for less at another time of the week, on
/// the way back, and the longer ago it was; one that the user has neither confirmed nor corrected
/// counts for little, but it counts, for people correct what is wrong. Only earlier trips count, so
/// that what is confirmed today never changes the days before. Without a confirmed trip between two
/// places there is no habit.
struct HabitualModes: Sendable {
  /// A trip between two places.
  struct KnownTrip: Sendable {
    var origin: Int
    var start: Timestamp
    var mode: Activity
    /// The probability of ``mode`` by the sensors; nil when they said nothing.
    var sensors: Float?
    /// Whether the user has stated the mode.
    var isConfirmed: Bool
  }

  /// The similarity of two trips at times that have nothing in common.
  private static let leastSimilarity = 0.4
  /// The weight of a trip the other way.
  private static let wayBack = 0.5
  /// The weight of a trip of which the user has said nothing.
  private static let unconfirmed = 0.1
  /// The prior count, in trips, of those on which the sensors were right.
  private static let priorWeight = 2.0
  /// No more trips than so many, the newest, count.
  private static let mostTrips = 200

  /// Those between two places, either way, in the order of time.
  private var trips: [Set<Int>: [KnownTrip]] = [:]

  /// The inference of a leg of a trip that starts at an instant.
  private func inference(
    _ sensors: ActivityProbabilities, from origin: Int, to destination: Int, at start: Timestamp
  ) -> ModeInference {
    let earlier = trips[[origin, destination]]?.filter { $0.start < start } ?? []
    let confirmed = earlier.count { $0.isConfirmed }
    guard confirmed > 0 else { return ModeInference(sensors: sensors) }
    var counts = SIMD8<Double>.zero
    var (right, known) = (Self.priorWeight, Self.priorWeight)
    for trip in earlier.suffix(Self.mostTrips) {
      let age = start.seconds(since: trip.start)
      let weight =
        (trip.isConfirmed ? 1 : Self.unconfirmed) * (trip.origin == origin ? 1 : Self.wayBack)
        * Habits.similarity(ofTimes: age, atLeast: Self.leastSimilarity) * Habits.weight(ofAge: age)
      counts[trip.mode.rawValue] += weight
      guard let sensors = trip.sensors else { continue }
      right += weight * Double(sensors)
      known += weight
    }
    let modes = Double(Activity.allCases.count - 1)
    return ModeInference(
      sensors: sensors, reliability: right / known,
      habit: ActivityProbabilities(weights: {
        $0 == .stationary ? 0 : Float(counts[$0.rawValue] + 1 / modes)
      }), confirmedTrips: confirmed)
  }

  /// Names the modes of trips anew, where the user has said nothing of them.
  ///
  /// The prior is that of the longest leg; it is also that of other rides of the trip, which are
  /// parts of the same one where the sensors change their mind. Ways on foot at its ends are none.
  private func infer(_ trip: SegmentTrip, in segments: inout [DaySegment]) {
    let legs = trip.legs
    guard let main = DaySegment.mainLeg(of: segments[legs]) else { return }
    let start = segments[legs.lowerBound].start
    for index in legs {
      let segment = segments[index]
      guard !segment.isCorrected, segment.customActivity == nil,
        let sensors = ActivityProbabilities(modeBits: segment.modeBits)
      else { continue }
      var inference = ModeInference(sensors: sensors)
      if let origin = trip.origin, let destination = trip.destination,
        index == main || segment.activity?.isRide ?? true
      {
        inference = self.inference(sensors, from: origin, to: destination, at: start)
      }
      segments[index].inference = inference
      if inference.confirmedTrips > 0 {
        segments[index].activity = inference.posterior.mostProbable
      }
    }
  }

  /// Counts a trip whose modes are named, between two known places.
  private mutating func add(_ trip: SegmentTrip, of segments: [DaySegment]) {
    guard let origin = trip.origin, let destination = trip.destination,
      let main = DaySegment.mainLeg(of: segments[trip.legs]), let mode = segments[main].activity
    else { return }
    trips[[origin, destination], default: []].append(
      KnownTrip(
        origin: origin, start: segments[trip.legs.lowerBound].start, mode: mode,
        sensors: ActivityProbabilities(modeBits: segments[main].modeBits)?[mode],
        isConfirmed: segments[main].isCorrected))
  }

  /// Names the modes of trips anew, where the user has said nothing of them.
  func infer(in segments: inout [DaySegment]) {
    for trip in DaySegment.trips(in: segments) { infer(trip, in: &segments) }
  }

  /// The trips that are final, taken in one by one in the order of time.
  init(of segments: [DaySegment], until finalEnd: Timestamp?) {
    guard let finalEnd, segments.contains(where: { $0.isCorrected && $0.kind == .leg }) else {
      return
    }
    var segments = segments
    for trip in DaySegment.trips(in: segments) {
      guard segments[trip.legs.upperBound - 1].end <= finalEnd else { break }
      infer(trip, in: &segments)
      add(trip, of: segments)
    }
  }

  init() {}
}

/// The legs of a trip, and the places of the stays before and after them.
typealias SegmentTrip = (legs: Range<Int>, origin: Int?, destination: Int?)

extension DaySegment {
  /// The index of the leg with the longest way among the legs of a trip.
  fileprivate static func mainLeg(of legs: ArraySlice<DaySegment>) -> Int? {
    legs.indices.max {
      let (one, other) = (legs[$0], legs[$1])
      if let way = one.distance, let next = other.distance, way != next { return way < next }
      return one.end.seconds(since: one.start) < other.end.seconds(since: other.start)
    }
  }

  fileprivate static func trips(in segments: [DaySegment]) -> [SegmentTrip] {
    var result: [SegmentTrip] = []
    var index = 0
    while index < segments.count {
      guard segments[index].kind == .leg else {
        index += 1
        continue
      }
      let first = index
      repeat {
        index += 1
      } while index < segments.count && segments[index].kind == .leg && !segments[index].startsItem
      let origin = first > 0 ? segments[first - 1].place : nil
      result.append((first..<index, origin, index < segments.count ? segments[index].place : nil))
    }
    return result
  }
}
