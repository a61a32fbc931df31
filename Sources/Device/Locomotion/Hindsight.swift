/// What later data tells about earlier answers, for recordings that are over.
///
/// Nothing here runs live: each function takes what the pipeline reported and allocates in
/// proportion to it.
public enum Hindsight {
  /// The reports with each location and moving decision as it looks `lag` seconds later.
  ///
  /// Without a lag the whole recording is used. The result has one report per report, in order.
  ///
  /// - Precondition: `lag` isn't negative.
  public static func locations(
    _ reports: [FixReport], lag: Double? = nil,
    settings: LocationFilter.Settings = .init()
  ) -> [FixReport] {
    precondition(lag ?? 0 >= 0, "expected a lag of at least 0 s, got \(lag ?? 0)")
    return LocationSmoother(settings: settings).estimates(
      of: reports, mode: lag.map { .lagged(seconds: $0) } ?? .smoothed)
  }

  /// Replaces cadence, location, activity and moving state of each sample by what the whole
  /// recording tells of them.
  ///
  /// Each hour of the clock is smoothed with the hour after it, as `HindsightStream` does while
  /// samples come.
  ///
  /// - Parameters:
  ///   - samples: The samples of a recording, in order.
  ///   - reports: All reports on the fixes of the same recording, in order; without them locations
  ///     stay live.
  ///   - model: The model that classified the activities.
  public static func smooth(
    _ samples: inout [LocomotionSample], reports: [FixReport], model: ActivityModel = .default
  ) {
    var stream = HindsightStream(model: model)
    var output = LocomotionOutput()
    (output.samples, output.fixes) = (samples, reports)
    stream.append(output)
    stream.finish()
    samples = stream.takeSamples()
  }

  /// The smoothed reports between which samples have their places, after `last` if there is one.
  static func anchors(in reports: [FixReport], after last: FixReport? = nil) -> [FixReport] {
    var anchors = last.map { [$0] } ?? []
    for report in reports {
      guard report.location != nil, report.status.isUsed,
        anchors.last.map({ $0.fix.timestamp < report.fix.timestamp }) ?? true
      else { continue }
      anchors.append(report)
    }
    return anchors
  }

  /// Puts samples that are in order between the anchors around them.
  ///
  /// Between two fixes that are near in time, or of a phone at rest, a location lies on the line
  /// between the smoothed ones; in a second with a fix, where those are rarer than one a second, it
  /// is that fix's own, at its time; elsewhere it stays what was predicted live. Altitudes stay as
  /// they are.
  static func place(_ samples: inout [LocomotionSample], along anchors: [FixReport]) {
    var next = 0
    for index in samples.indices {
      let time = samples[index].end
      while next < anchors.count, anchors[next].fix.timestamp < time { next += 1 }
      guard let live = samples[index].location, 0 < next else { continue }
      let before = anchors[next - 1]
      let after = next < anchors.count ? anchors[next] : nil
      let gap = after?.fix.timestamp.seconds(since: before.fix.timestamp) ?? .infinity
      let isOwn = before.fix.timestamp >= samples[index].start && gap > longestSecond
      let location = isOwn ? before.location : after.flatMap { interpolated(before, $0, at: time) }
      guard let location else { continue }
      samples[index].location = location
      samples[index].location?.altitude = live.altitude
      samples[index].location?.altitudeDeviation = live.altitudeDeviation
    }
  }

  /// The longest time between the fixes of a recorder that has one in every second, seconds.
  private static let longestSecond = 1.5
  /// The longest time between two fixes, seconds, that a straight line bridges in motion.
  private static let longestInterpolation = 15.0

  private static func interpolated(
    _ a: FixReport, _ b: FixReport, at time: Timestamp
  ) -> LocationEstimate? {
    let seconds = b.fix.timestamp.seconds(since: a.fix.timestamp)
    let isAtRest = a.moving.state == .stationary && b.moving.state == .stationary
    guard let before = a.location, let after = b.location, seconds > 0,
      seconds <= longestInterpolation || isAtRest
    else { return nil }
    let fraction = time.seconds(since: a.fix.timestamp) / seconds
    func between(_ x: Double, _ y: Double) -> Double { x + fraction * (y - x) }
    func between(_ x: Double?, _ y: Double?) -> Double? {
      guard let x, let y else { return nil }
      return between(x, y)
    }
    let east = WGS84.wrapped(after.longitude - before.longitude)
    var result = fraction < 0.5 ? before : after
    result.timestamp = time
    result.latitude = between(before.latitude, after.latitude)
    result.longitude = WGS84.wrapped(before.longitude + fraction * east)
    result.radius68 = between(before.radius68, after.radius68)
    result.offsetRadius68 = between(before.offsetRadius68, after.offsetRadius68)
    result.speed = between(before.speed, after.speed)
    result.speedDeviation = between(before.speedDeviation, after.speedDeviation)
    return result
  }

  /// Replaces the moving state of each sample by what the samples after it tell of it.
  ///
  /// A stop is seen with certainty some seconds after it; in hindsight it is where it was.
  public static func smoothMovingStates(of samples: inout [LocomotionSample]) {
    let decisions = MovingStateDetector.smoothed(
      samples.map { MovingDecision(state: $0.movingState, probability: $0.movingProbability) },
      at: samples.map { $0.end })
    for (index, decision) in decisions.enumerated() {
      samples[index].movingState = decision.state
      samples[index].movingProbability = decision.probability
    }
  }

  /// Replaces cadence and steps of each sample by what its activity and the seconds after it make
  /// of the provisional ones.
  ///
  /// On a ride that is probable to 0.7 or more there are none; elsewhere all that the accelerations
  /// showed count, whatever was answered live. They are put where ``lagCadences(of:)`` puts them.
  /// Call it once the activities are smoothed. Samples without accelerations stay as they are.
  public static func smoothCadences(of samples: inout [LocomotionSample]) {
    confirmSteps(of: &samples)
    lagCadences(of: &samples)
  }

  /// Replaces the cadence of each sample by what was known of its second a few seconds later.
  ///
  /// The last `CadenceEstimator.lagSeconds` samples before the end, or before a pause in the
  /// recording, keep what was known live. The first steps of a bout are counted together once it is
  /// recognised; they go back to the seconds in which they were made, and the sum stays. Seconds
  /// with steps have the rate of their neighbours where they have none of their own.
  public static func lagCadences(of samples: inout [LocomotionSample]) {
    let lag = CadenceEstimator.lagSeconds
    if samples.count > lag {
      for index in 0..<samples.count - lag {
        let later = samples[index + lag]
        let distance = later.end.nanoseconds(since: samples[index].end)
        guard distance == Int64(lag) * 1_000_000_000, later.hasWindow else { continue }
        samples[index].cadence = later.laggedCadence
      }
    }
    for index in samples.indices.dropFirst() { spreadSteps(countedAt: index, of: &samples) }
    for index in samples.indices.dropFirst() {
      takeRate(from: index - 1, at: index, of: &samples)
    }
    for index in samples.indices.dropLast().reversed() {
      takeRate(from: index + 1, at: index, of: &samples)
    }
  }

  /// Replaces cadence and steps of each sample by what its activity makes of the provisional ones:
  /// none on a ride that is sure, and all of them otherwise.
  private static func confirmSteps(of samples: inout [LocomotionSample]) {
    for index in samples.indices {
      guard let provisional = samples[index].provisionalSteps else { continue }
      let isRide = samples[index].activity.map(isSurelyRide) ?? false
      samples[index].cadence = isRide ? nil : provisional.cadence
      samples[index].laggedCadence = isRide ? nil : provisional.laggedCadence
      samples[index].steps = isRide ? 0 : provisional.steps
    }
  }

  private static func isSurelyRide(_ decision: ActivityDecision) -> Bool {
    guard decision.activity?.isRide ?? false else { return false }
    let riding = Activity.allCases.reduce(0) { $1.isRide ? $0 + decision.probabilities[$1] : $0 }
    return riding >= surelyRiding
  }

  /// The probability of riding from which the steps that were found are a ride's.
  ///
  /// Steps are found in the rhythm of six seconds, and an activity is smoothed over a minute: of a
  /// short walk between the two the steps are the better evidence. Chosen on 23 sets (0.5, 0.7,
  /// 0.8, 0.9): short laboratory walks lose 6 % of their steps instead of 48 %, and cyclists of
  /// nine sets get 1.9 false steps a minute instead of 1.7, some of them while they push the
  /// bicycle.
  private static let surelyRiding: Float = 0.7

  /// Gives a second with steps but without a rate, as at a bout's ends, that of its neighbour.
  private static func takeRate(
    from neighbour: Int, at index: Int, of samples: inout [LocomotionSample]
  ) {
    guard samples[index].cadence == nil, samples[index].steps >= 1,
      samples[index].hasWindow, let cadence = samples[neighbour].cadence,
      abs(samples[index].end.nanoseconds(since: samples[neighbour].end)) == 1_000_000_000
    else { return }
    samples[index].cadence = cadence
  }

  /// Moves steps beyond what one second holds to the seconds before that have none.
  private static func spreadSteps(countedAt index: Int, of samples: inout [LocomotionSample]) {
    let known = samples[max(0, index - longestRecognition)...index].last { $0.cadence != nil }
    guard let cadence = known?.cadence else { return }
    let perSecond = cadence.stepsPerMinute / 60
    // Steps of neighbouring seconds differ by their fractions; a lump is more than that.
    guard samples[index].steps > perSecond + 1 else { return }
    var earlier = index
    while samples[index].steps > perSecond, earlier > max(0, index - longestRecognition) {
      earlier -= 1
      let distance = samples[earlier + 1].end.nanoseconds(since: samples[earlier].end)
      guard distance == 1_000_000_000, samples[earlier].hasWindow,
        samples[earlier].steps == 0
      else { return }
      let own = samples[earlier].cadence.map { $0.stepsPerMinute / 60 } ?? perSecond
      let moved = min(own, samples[index].steps - perSecond)
      samples[earlier].steps = moved
      samples[index].steps -= moved
    }
  }

  /// How long a bout may go on before its steps are counted, seconds.
  private static let longestRecognition = 12

  /// Replaces the activity of each sample by what the whole recording tells of it.
  ///
  /// Samples without accelerations and without a course of fixes stay as they are. Where there was
  /// no window the answer is that of the time around it. Where the signal was bad, the answer stays
  /// "unknown" for that reason, with smoothed probabilities.
  ///
  /// With a `lag`, seconds, each answer is what was known that much later: about ten seconds settle
  /// most of what is in doubt live. An app gets there by keeping the samples of the last minute.
  ///
  /// - Precondition: `lag` isn't negative.
  public static func smoothActivities(
    of samples: inout [LocomotionSample], lag: Double? = nil, model: ActivityModel = .default,
    settings: ActivitySmoother.Settings? = nil
  ) {
    precondition(lag ?? 0 >= 0, "expected a lag of at least 0 s, got \(lag ?? 0)")
    let evidence =
      lag == nil ? evidence(of: samples, model: model) : samples.compactMap { $0.activityEvidence }
    smoothActivities(
      of: &samples, by: evidence, after: nil, lag: lag, model: model, settings: settings)
  }

  /// The same by `evidence`, one for each sample that has some, for samples of a recording before
  /// which the smoother's filter was in `states`.
  static func smoothActivities(
    of samples: inout [LocomotionSample], by evidence: [ActivityClassifier.Evidence],
    after states: ActivityStates?, lag: Double? = nil, model: ActivityModel,
    settings: ActivitySmoother.Settings? = nil
  ) {
    let indices = samples.indices.filter { samples[$0].activityEvidence != nil }
    let smoother = ActivitySmoother(
      model: model, settings: settings ?? (lag == nil ? nil : .settled))
    let probabilities =
      if let lag {
        smoother.probabilities(of: evidence, lag: Float(lag), after: states)
      } else {
        smoother.probabilities(of: evidence, after: states)
      }
    let decisions = zip(indices, probabilities).map { index, smoothed in
      decision(smoothed, after: samples[index].activity, model)
    }
    let named = smoother.namingCustomActivities(
      in: decisions,
      live: zip(indices, decisions).map { samples[$0].activity ?? $1 },
      elapsedSeconds: evidence.map { $0.elapsedSeconds }, lag: lag.map { Float($0) })
    for (index, decision) in zip(indices, named) { samples[index].activity = decision }
  }

  /// The evidence of each sample that has some: that of steps between fixes as they look in the
  /// whole course, which `course` begins and the fixes of `samples` go on with.
  static func evidence(
    of samples: [LocomotionSample], after course: TrackCourse = TrackCourse(),
    model: ActivityModel
  ) -> [ActivityClassifier.Evidence] {
    var evidence = samples.compactMap { $0.activityEvidence }
    guard evidence.contains(where: { $0.isFromFixes && $0.exponent > 0 }),
      let classifier = TrackClassifier(model: model)
    else { return evidence }
    var course = course
    let first = course.steps.count
    var steps: [(place: Int, step: Int)] = []
    var place = 0
    for sample in samples {
      let isStep = sample.rawLocation.map { course.append($0) } ?? false
      guard let own = sample.activityEvidence else { continue }
      if isStep, own.isFromFixes, own.exponent > 0 {
        steps.append((place, course.steps.count - 1 - first))
      }
      place += 1
    }
    let told = classifier.probabilities(of: course, from: first)
    for (place, step) in steps { evidence[place].window = told[step] }
    return evidence
  }

  /// The decision by smoothed probabilities, where `live` was decided before.
  private static func decision(
    _ smoothed: ActivityProbabilities, after live: ActivityDecision?, _ model: ActivityModel
  ) -> ActivityDecision {
    var reason = live?.unknownReason
    // Decided anew.
    if reason == .customActivity { reason = nil }
    if reason == .badSignal || smoothed.confidence < model.parameters.confidenceThreshold {
      return ActivityDecision(unknown: reason ?? .lowConfidence, probabilities: smoothed)
    }
    return ActivityDecision(activity: smoothed.answer, probabilities: smoothed)
  }

  /// Lets the activities that fixes alone tell agree with a timeline: in its stays people are at
  /// rest, as sure as it is that a stay is one, and in the legs that another system names they do
  /// what it says.
  ///
  /// - Parameters:
  ///   - samples: The samples of a recording, in order of time, after hindsight.
  ///   - items: The timeline of these samples.
  public static func agree(_ samples: inout [LocomotionSample], with items: [TimelineItem]) {
    forEachSecond(of: &samples, in: items, { ($0.start, $0.end) }) { sample, activity, certainty in
      guard let own = sample.activity, !sample.hasWindow else { return }
      sample.activity = own.agreeing(with: activity, certainty: certainty)
    }
  }

  /// Changes each second that lies in a stay or a stated leg of a timeline, of which that says an
  /// activity, and how surely; seconds and items in order of time.
  package static func forEachSecond<Second>(
    of seconds: inout [Second], in items: [TimelineItem],
    _ interval: (Second) -> (start: Timestamp, end: Timestamp),
    _ change: (inout Second, Activity, Float) -> Void
  ) {
    var next = seconds.startIndex
    func pass(_ start: Timestamp, _ end: Timestamp, _ activity: Activity, _ certainty: Double?) {
      while next < seconds.count, interval(seconds[next]).start < start { next += 1 }
      while next < seconds.count, interval(seconds[next]).end <= end {
        change(&seconds[next], activity, certainty.map { Float($0) } ?? stayCertainty)
        next += 1
      }
    }
    for item in items {
      switch item {
      case .stay(let stay): pass(stay.start, stay.end, .stationary, nil)
      case .trip(let trip):
        for leg in trip.legs where trip.isStated(leg) {
          guard let activity = leg.activity else { continue }
          pass(leg.start, leg.end, activity, trip.stated?.interval.probability)
        }
      case .gap: break
      }
    }
  }

  /// How sure a second in a stay by fixes alone is one of rest; on simulated days 99.7 % are.
  static let stayCertainty: Float = 0.97

  /// Names the custom activity of each leg in whose seconds it is decided for the most part.
  ///
  /// The seconds are those with the leg's own activity, and for one that behaves like none all of
  /// the leg's. Without a model that has custom activities nothing changes.
  ///
  /// - Parameters:
  ///   - items: A timeline of `samples`, in order.
  ///   - samples: The samples of a recording, in order of time.
  public static func nameCustomActivities(
    in items: inout [TimelineItem], samples: [LocomotionSample]
  ) {
    nameCustomActivities(in: &items, seconds: samples.map { CustomSecond($0) })
  }

  /// The same by what counts of the samples.
  static func nameCustomActivities(in items: inout [TimelineItem], seconds: [CustomSecond]) {
    guard !seconds.isEmpty else { return }
    var next = 0
    for index in items.indices {
      guard case .trip(var trip) = items[index] else { continue }
      for leg in trip.legs.indices {
        let interval = trip.legs[leg].start..<trip.legs[leg].end
        while next < seconds.count, seconds[next].end <= interval.lowerBound { next += 1 }
        let part = seconds[next...].prefix { $0.start < interval.upperBound }
        if let custom = customActivity(of: trip.legs[leg].activity, part) {
          trip.legs[leg].customActivity = custom
        }
      }
      items[index] = .trip(trip)
    }
  }

  private static func customActivity(
    of activity: Activity?, _ seconds: ArraySlice<CustomSecond>
  ) -> CustomActivity? {
    var counts: [(custom: CustomActivity, seconds: Int)] = []
    var (own, all) = (0, 0)
    for second in seconds where second.isDecided {
      all += 1
      if second.activity == activity { own += 1 }
      guard let custom = second.custom else { continue }
      if let index = counts.firstIndex(where: { $0.custom == custom }) {
        counts[index].seconds += 1
      } else {
        counts.append((custom, 1))
      }
    }
    return counts.first { custom, count in
      2 * count > (custom.behavesLike == nil ? all : own)
        && (custom.behavesLike == nil || custom.behavesLike == activity)
    }?.custom
  }
}
