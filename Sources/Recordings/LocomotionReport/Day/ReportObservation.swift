import Locomotion

/// What the samples observed of an interval; the rest of a stay or a trip is inferred.
struct ReportObservation: Sendable {
  /// The observed seconds, with the pauses that are shorter than a silence.
  private(set) var seconds = 0.0
  /// How many times something was observed between silences.
  private(set) var times = 0
  /// The silences in time order; what was observed for less than such a time, as by a single fix,
  /// divides none.
  private(set) var silences: [Range<Timestamp>] = []

  /// A pause of this length between samples is a silence, seconds: within a shorter one an end is
  /// known to about a minute.
  static let shortestSilence = 180.0

  var silentSeconds: Double {
    silences.reduce(0) { $0 + $1.upperBound.seconds(since: $1.lowerBound) }
  }

  /// What `analysis` observed of `start ..< end`; nothing is silent without any sample.
  init(_ analysis: AnalysisResult, from start: Timestamp, to end: Timestamp) {
    guard !analysis.samples.isEmpty, start < end else { return }
    var first = analysis.firstIndex(from: start)
    if first > 0, analysis.samples[first - 1].end > start { first -= 1 }
    var silent = start
    func pause(until instant: Timestamp) {
      guard instant.seconds(since: silent) >= Self.shortestSilence else { return }
      silences.append(silent..<instant)
    }
    var run: (start: Timestamp, end: Timestamp)?
    func close(_ run: (start: Timestamp, end: Timestamp)) {
      seconds += run.end.seconds(since: run.start)
      times += 1
      guard run.end.seconds(since: run.start) >= Self.shortestSilence else { return }
      pause(until: run.start)
      silent = run.end
    }
    for sample in analysis.samples[first...].prefix(while: { $0.start < end }) {
      let (from, to) = (max(sample.start, start), min(sample.end, end))
      if let last = run, from.seconds(since: last.end) < Self.shortestSilence {
        run = (last.start, to)
      } else {
        if let run { close(run) }
        run = (from, to)
      }
    }
    if let run { close(run) }
    pause(until: end)
  }

  /// "observed 12 min of 7 h 05 min", of an interval of that length, or "observed 8 times" where
  /// that is more than the seconds say.
  func words(of length: Double) -> String {
    guard seconds < 90 else {
      return
        "observed \(ReportFormatting.duration(seconds)) of \(ReportFormatting.duration(length))"
    }
    return switch times {
    case 0: "not observed"
    case 1: "observed once"
    case 2: "observed twice"
    default: "observed \(ReportFormatting.count(Double(times))) times"
    }
  }
}

extension AnalysisResult {
  /// What was observed of a stay; nil where that is nearly all of it.
  ///
  /// Silences of five minutes and a tenth of a stay are said: in a building receivers are silent
  /// for minutes.
  func partialObservation(of stay: Stay) -> ReportObservation? {
    let found = ReportObservation(self, from: stay.start, to: stay.end)
    let least = max(300, 0.1 * stay.end.seconds(since: stay.start))
    return found.silentSeconds >= least ? found : nil
  }

  /// What was observed of an interval in a trip; nil where that is more than half of it.
  func partialObservation(
    ofTravelFrom start: Timestamp, to end: Timestamp
  ) -> ReportObservation? {
    let found = ReportObservation(self, from: start, to: end)
    return found.silentSeconds > 0.5 * end.seconds(since: start) ? found : nil
  }

  /// How well the ends of a stay are known, and what was observed of it, where that is to be said.
  func remarks(on stay: Stay) -> [String] {
    let ends = [("start", stay.startDeviation), ("end", stay.endDeviation)].compactMap { end in
      Self.remark(on: end.0, deviation: end.1)
    }
    let observation = partialObservation(of: stay)?.words(of: stay.end.seconds(since: stay.start))
    return ends + [observation].compactMap { $0 }
  }

  /// How well the time of a trip is known, what was observed of it, the straight line between the
  /// stays at its ends where the way was estimated, and what is stated of it.
  func remarks(on trip: Trip) -> [String] {
    let (before, after) = stays(around: trip)
    let variances = [before?.endDeviation, after?.startDeviation].map { ($0 ?? 0) * ($0 ?? 0) }
    let observation = partialObservation(ofTravelFrom: trip.start, to: trip.end)?
      .words(of: trip.end.seconds(since: trip.start))
    return [
      Self.remark(on: "time", deviation: (variances[0] + variances[1]).squareRoot()), observation,
      straightLine(of: trip, from: before?.location, to: after?.location),
      motion(in: trip), trip.statement(in: locale.units), trip.doubt(in: locale.units),
    ].compactMap { $0 }
  }

  /// The time in motion, where a session states another.
  private func motion(in trip: Trip) -> String? {
    guard trip.stated?.interval.totals != nil else { return nil }
    return trip.movingSeconds.map { "\(ReportFormatting.duration($0)) in motion" }
  }

  private static func remark(on name: String, deviation: Double?) -> String? {
    // Ends that are known to less are read as they are.
    guard let deviation, deviation >= 120 else { return nil }
    return "\(name) ± \(ReportFormatting.duration(deviation))"
  }

  private func straightLine(
    of trip: Trip, from before: Stay.Location?, to after: Stay.Location?
  ) -> String? {
    guard let before, let after, let distance = trip.distance,
      ReportUnits.isEstimate(distance, deviation: trip.distanceDeviation)
    else { return nil }
    let line = before.point.distance(to: after.point)
    // Between places that nearly coincide it says nothing of the way.
    guard line > before.radius68 + after.radius68, line <= distance else { return nil }
    return "straight line \(locale.units.distance(line))"
  }

  /// The stays that a trip begins and ends at.
  func stays(around trip: Trip) -> (before: Stay?, after: Stay?) {
    let index = items.partitioningIndex { $0.start >= trip.start }
    let after = items.dropFirst(index + 1).first
    return (index > 0 ? items[index - 1].asStay : nil, after?.asStay)
  }
}
