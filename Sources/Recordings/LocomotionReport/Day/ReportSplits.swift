import Locomotion

/// One kilometre or mile of an activity, what is left at its end, or a lap of the device.
struct ReportSplit: Hashable, Sendable {
  /// Metres.
  var distance: Double
  /// The time that it took without stays, or that of the device's timer, seconds.
  var seconds: Double

  /// Metres per second.
  var speed: Double { distance / seconds }
}

extension AnalysisResult {
  /// Duration and distance of a leg.
  func extent(of leg: Trip.Leg) -> [String] {
    [
      ReportFormatting.duration(leg.end.seconds(since: leg.start)),
      leg.distance.map { locale.units.distance($0, deviation: leg.distanceDeviation) },
    ].compactMap { $0 }
  }

  /// Steps, speed and climb of a leg, as far as they are known.
  func details(of leg: Trip.Leg) -> [String] {
    [
      leg.steps >= 0.5 && leg.activity?.isMotorized != true
        ? "\(ReportFormatting.count(leg.steps)) steps" : nil,
      speeds(of: leg), locale.units.climb(leg.altitudeChange),
    ].compactMap { $0 }
  }

  /// "4.9 km/h", "6:05 /km, top 13 km/h" or "mean 17 km/h, top 24 km/h"; nil for what is too short
  /// to have a speed.
  private func speeds(of leg: Trip.Leg) -> String? {
    let seconds = leg.end.seconds(since: leg.start)
    guard let distance = leg.distance, distance >= 100, seconds >= 30 else { return nil }
    let mean = distance / seconds
    guard leg.activity != .walking else { return locale.units.speed(mean) }
    let top = topSpeed(of: leg).flatMap { $0 > mean ? ", top \(locale.units.speed($0))" : nil }
    return
      (leg.activity == .running
      ? locale.units.pace(mean) : "mean \(locale.units.speed(mean))") + (top ?? "")
  }

  /// The longest pause between samples that follow each other, seconds.
  private static let longestStep = 5.0

  /// The largest mean of the filtered speed over five successive seconds, metres per second.
  func topSpeed(of leg: Trip.Leg) -> Double? {
    var recent: [Double] = []
    var top: Double?
    var end = leg.start
    for sample in samples(from: leg.start, to: leg.end) {
      // Seconds that are far apart are no mean: each has that of the time since the one before.
      let isApart = sample.start.seconds(since: end) > Self.longestStep
      end = sample.end
      guard let speed = sample.speed, speed.isFinite else {
        recent = []
        continue
      }
      recent = isApart ? [speed] : recent.suffix(4) + [speed]
      if recent.count == 5 || isApart {
        top = max(top ?? 0, recent.reduce(0, +) / Double(recent.count))
      }
    }
    return top
  }

  /// How long a sample's speed is one of the time after it, seconds.
  private static let longestSpeed = 60.0

  /// The samples of a leg with what was covered by the speed of each until the next one, metres.
  func steps(of leg: Trip.Leg) -> [(sample: ReportSample, end: Timestamp, metres: Double)] {
    let own = samples(from: leg.start, to: leg.end)
    return zip(own.indices, own).map { index, sample in
      let next = own[min(index + 1, own.endIndex - 1)].start
      let end = 0...Self.longestSpeed ~= next.seconds(since: sample.end) ? next : sample.end
      let speed = sample.isAtRest ? 0 : sample.speed ?? 0
      return (sample, end, speed.isFinite ? speed * end.seconds(since: sample.start) : 0)
    }
  }

  /// The kilometres or miles of legs on foot or by bicycle of one or more, without the stays
  /// between them; else, and where the speeds do not add up to their distance, none.
  func splits(of legs: [Trip.Leg]) -> [ReportSplit] {
    let unit = locale.units.long
    let distance = legs.reduce(0) { $0 + ($1.distance ?? .infinity) }
    guard unit..<1e6 ~= distance,
      legs.allSatisfy({ [.walking, .running, .cycling].contains($0.activity) })
    else { return [] }
    // The seconds on the way.
    func elapsed(until time: Timestamp) -> Double {
      legs.reduce(0) { $0 + max(min(time, $1.end).seconds(since: $1.start), 0) }
    }
    let steps = legs.flatMap { self.steps(of: $0) }
    let total = steps.reduce(0) { $0 + $1.metres }
    guard total > 0, 0.5..<2 ~= distance / total else { return [] }
    var splits: [ReportSplit] = []
    var (covered, last, left) = (0.0, 0.0, distance)
    for (sample, stepEnd, own) in steps {
      let metres = own * distance / total
      covered += metres
      while covered >= unit, left >= unit {
        covered -= unit
        left -= unit
        // The kilometre or mile ended before the end of the second.
        let part = metres > 0 ? min(covered / metres, 1) : 0
        let end = elapsed(until: stepEnd) - part * stepEnd.seconds(since: sample.start)
        splits.append(ReportSplit(distance: unit, seconds: end - last))
        last = end
      }
    }
    let rest = elapsed(until: end) - last
    if left >= 50, rest > 0 { splits.append(ReportSplit(distance: left, seconds: rest)) }
    return splits
  }
}
