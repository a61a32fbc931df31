internal import Locomotion
internal import LocomotionActivityRecognition
internal import LocomotionSensing

/// The items of a user's days from one instant on, computed from the recording.
struct DayComputation {
  /// A stay within this distance of a stored place is there even if the place is smaller, metres.
  static let placeReach = 60.0
  /// The shortest stay that creates a place, seconds.
  static let shortestRemembered = 300.0
  /// The time before the first item that the pipeline reads to initialize its state, nanoseconds.
  static let lead: Int64 = 120_000_000_000
  /// The number of seconds that are held at once while the earlier ones become final.
  private static let portion = 100_000

  /// The start of the new segments when older ones remain; nil when none does.
  let begin: Timestamp?
  /// The new segments, which tile the time from there on.
  private(set) var segments: [DaySegment] = []
  private(set) var finalEnd: Timestamp?
  /// The positions of the first sample and fix that the next computation needs.
  private(set) var resume: (sample: Int, fix: Int)
  /// Whether data arrived for a time whose items were final.
  let isLate: Bool

  private let reading: TimeOrderedReading
  private let total: (samples: Int, fixes: Int)

  init(
    of user: UserRecord, _ days: DaysRecord, in journal: borrowing Journal
  ) throws(JournalError) {
    let reading = try TimeOrderedReading(
      of: user, fromSample: days.resumeSample, fromFix: days.resumeFix, in: journal)
    begin = days.finalEnd
    finalEnd = days.finalEnd
    resume = (days.resumeSample, days.resumeFix)
    total = (user.samples, user.fixes)
    self.reading = reading
    var isLate = false
    if let end = days.finalEnd {
      isLate = try reading.holdsData(
        before: end, fromSample: days.samples, fromFix: days.fixes, in: journal)
    }
    self.isLate = isLate
  }

  /// Computes the segments.
  mutating func run(model: ActivityModel, in journal: borrowing Journal) throws(JournalError) {
    var portion = Self.portion
    while true {
      let lead = finalEnd?.advanced(byNanoseconds: -Self.lead)
      var samples: [LocomotionSample] = []
      let isWhole =
        try reading.replay(from: lead, model: model, in: journal) { output in
          samples += output.samples
          return samples.count < portion
        } != nil
      if let finalEnd, let first = samples.firstIndex(where: { $0.start >= finalEnd }) {
        // The lead has initialized the pipeline; the smoothing may use it too.
        try append(&samples, skipping: first, isWhole: isWhole, portion: &portion)
      } else {
        try append(&samples, skipping: 0, isWhole: isWhole, portion: &portion)
      }
      if isWhole { break }
    }
    let lead = finalEnd?.advanced(byNanoseconds: -Self.lead)
    resume = reading.positions(from: lead) ?? (total.samples, total.fixes)
    if lead == nil { resume = (0, 0) }
  }

  /// Adds the items of samples: all of them, or only the final ones.
  private mutating func append(
    _ samples: inout [LocomotionSample], skipping first: Int, isWhole: Bool, portion: inout Int
  ) throws(JournalError) {
    Hindsight.smoothActivities(of: &samples)
    Hindsight.smoothMovingStates(of: &samples)
    var builder = TimelineBuilder()
    for sample in samples[first...] { builder.append(sample) }
    let newEnd = builder.finalEnd()
    guard isWhole || newEnd != nil && newEnd != finalEnd else {
      // A stay is longer than the portion: read more at once.
      portion *= 2
      return
    }
    let items = (builder.clockSegments.flatMap { $0 } + builder.items())
    for segment in items.flatMap(DaySegment.segments) {
      let limit = isWhole ? Timestamp(nanoseconds: .max) : newEnd ?? segment.start
      guard
        let segment = segment.cut(
          from: segments.last?.end ?? begin ?? segment.start, to: limit)
      else {
        continue
      }
      join(segment)
    }
    finalEnd = newEnd ?? finalEnd
  }

  /// Adds a segment and closes the gap before it, if any.
  private mutating func join(_ segment: DaySegment) {
    var segment = segment
    if let end = segments.last?.end ?? begin, end < segment.start {
      // The grid of seconds may have moved; a longer pause is a gap.
      if segment.start.seconds(since: end) <= 1 {
        segment.start = end
      } else {
        segments.append(DaySegment(.gap, from: end, to: segment.start))
      }
    }
    segments.append(segment)
  }
}
