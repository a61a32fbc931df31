package import Locomotion
package import LocomotionRecordings

/// Scores step rates and steps against timed foot contacts, and against activity labels.
///
/// - Windows of 10 s, one per second of walking: the mean of the rates of the seconds inside,
///   against the rate between the window's first and last contact. The difference of the same
///   contacts' rate, interpolated at the window's ends, is a lower bound for the error of any
///   method.
/// - Totals of recordings longer than a minute, and counts of shorter bouts.
/// - For every label, the seconds with a rate and the steps counted per minute.
package struct CadenceEvaluation: Sendable {
  /// The output for one recording in three modes.
  package struct Answers: Sendable {
    /// The live output.
    package var live: [LocomotionSample]
    /// The output in hindsight, as `locomotion cadence` prints it.
    package var smoothed: [LocomotionSample]
    /// The lagged output without the gait hints of other stages.
    package var unhinted: [LocomotionSample]

    /// The three outputs for the same recording.
    package init(
      live: [LocomotionSample], smoothed: [LocomotionSample], unhinted: [LocomotionSample]
    ) {
      self.live = live
      self.smoothed = smoothed
      self.unhinted = unhinted
    }
  }

  static let modes = ["live", "smoothed", "lagged, no hint"]
  /// Seconds at either end of a label that are excluded: phones are handled there.
  static let trimming = 3.0
  /// Bouts up to this many seconds are scored individually.
  static let longestBout = 60.0

  /// Ten-second windows by group and mode.
  var windows: [String: [RateScore]] = [:]
  /// Relative errors of totals by group and mode.
  var totals: [String: [[Double]]] = [:]
  /// Rates of short bouts by group and mode.
  var bouts: [String: [RateScore]] = [:]
  /// Errors of the step counts of short bouts by group and mode.
  var boutCounts: [String: [[Double]]] = [:]
  /// Labels by group and mode.
  var labels: [String: [LabelScore]] = [:]

  /// An evaluation without recordings.
  package init() {}

  /// Adds one recording of a data set with its labels and timed steps.
  ///
  /// - Throws: When there are timed steps, and they cannot be read.
  package mutating func add(
    _ answers: Answers, of recording: String, in dataset: LabelledDataset
  ) throws(RecordingError) {
    let all = [answers.live, answers.smoothed, answers.unhinted]
    let intervals = dataset.intervals.filter { $0.recording == recording }
    let steps = try TimedSteps.read(of: recording, in: dataset)
    for interval in intervals {
      let subject = interval.subject
      let start = Self.seconds(interval.start)
      let end = Self.seconds(interval.end)
      addLabel(
        all, groups: ["", " " + subject].map { dataset.name + " " + interval.label + $0 },
        from: start + Self.trimming, to: end - Self.trimming)
      guard
        let timed = steps.first(where: { $0.system.isEmpty || interval.note.hasPrefix($0.system) })
      else { continue }
      let reference = CadenceReference(timed.times)
      var groups = [dataset.name, dataset.name + " " + subject]
      if end - start <= Self.longestBout {
        groups.append(dataset.name + " " + timed.system)
        addBout(all, reference: reference, groups: groups, from: start, to: end)
      } else {
        let place = interval.note.prefix { $0 != "/" }
        if !place.isEmpty { groups.append(dataset.name + " at " + place) }
        addWindows(all, reference: reference, groups: groups, from: start, to: end)
        addTotal(all, reference: reference, groups: groups, from: start, to: end)
      }
    }
  }

  private mutating func addLabel(
    _ all: [[LocomotionSample]], groups: [String], from start: Double, to end: Double
  ) {
    for (mode, samples) in all.enumerated() {
      for sample in samples
      where Self.seconds(sample.start) >= start && Self.seconds(sample.end) <= end
        && sample.activity != nil
      {
        let cadence = sample.cadence.map { Double($0.stepsPerMinute) }
        for group in groups {
          labels[group, default: Array(repeating: LabelScore(), count: all.count)][mode]
            .add(cadence: cadence, steps: Double(sample.steps))
        }
      }
    }
  }

  private mutating func addWindows(
    _ all: [[LocomotionSample]], reference: CadenceReference, groups: [String],
    from start: Double, to end: Double
  ) {
    var begin = start.rounded(.up)
    while begin + 10 <= end {
      defer { begin += 1 }
      guard let truth = reference.rate(from: begin, to: begin + 10) else { continue }
      for (mode, samples) in all.enumerated() {
        let answer = Self.meanRate(of: samples, from: begin, to: begin + 10)
        for group in groups {
          windows[group, default: Array(repeating: RateScore(), count: all.count)][mode]
            .add(answer, truth: truth)
        }
      }
    }
  }

  private mutating func addTotal(
    _ all: [[LocomotionSample]], reference: CadenceReference, groups: [String],
    from start: Double, to end: Double
  ) {
    let truth = reference.count(from: start, through: end)
    guard truth > 0 else { return }
    for (mode, samples) in all.enumerated() {
      let counted = Self.steps(of: samples, from: start, to: end + 1)
      for group in groups {
        totals[group, default: Array(repeating: [], count: all.count)][mode]
          .append(counted / Double(truth) - 1)
      }
    }
  }

  private mutating func addBout(
    _ all: [[LocomotionSample]], reference: CadenceReference, groups: [String],
    from start: Double, to end: Double
  ) {
    // Contacts have a resolution of 10 ms, and mark the bout's ends.
    let inside = reference.times.filter { $0 >= start - 0.05 && $0 <= end + 0.05 }
    guard let first = inside.first, let last = inside.last, inside.count >= 3 else { return }
    let truth = CadenceReference.Rate(
      stepsPerMinute: 60 * Double(inside.count - 1) / (last - first), isRegular: true)
    for (mode, samples) in all.enumerated() {
      // A live rate is the mean of the six seconds before it, hence three seconds late.
      let delay = mode == 0 ? 3.0 : 0
      let answer = Self.meanRate(of: samples, from: start + delay, to: end + delay)
      let counted = Self.steps(of: samples, from: start - 1, to: end + 4)
      for group in groups {
        bouts[group, default: Array(repeating: RateScore(), count: all.count)][mode]
          .add(answer, truth: truth)
        boutCounts[group, default: Array(repeating: [], count: all.count)][mode]
          .append(counted - Double(inside.count))
      }
    }
  }

  /// The mean of the rates of the seconds that have their middle inside; nil when none has a rate.
  static func meanRate(
    of samples: [LocomotionSample], from start: Double, to end: Double
  ) -> Double? {
    let rates = samples.filter { start <= middle(of: $0) && middle(of: $0) < end }
      .compactMap { $0.cadence.map { Double($0.stepsPerMinute) } }
    return rates.isEmpty ? nil : rates.reduce(0, +) / Double(rates.count)
  }

  private static func steps(
    of samples: [LocomotionSample], from start: Double, to end: Double
  ) -> Double {
    samples.filter { start <= middle(of: $0) && middle(of: $0) < end }
      .reduce(0) { $0 + Double($1.steps) }
  }

  private static func middle(of sample: LocomotionSample) -> Double {
    seconds(sample.start) + 0.5
  }

  private static func seconds(_ timestamp: Timestamp) -> Double { timestamp.seconds }
}
