import LocomotionRecordings

extension LocationEvaluation {
  /// The figures of all recordings, and pooled, as JSON with sorted keys; what is unknown is
  /// absent.
  package var json: String {
    JSONText.pretty(
      JSONObject(["recordings": recordings.map(Self.object), "pooled": Self.object(pooled)]))
  }

  private static func object(_ scores: Scores) -> JSONObject {
    JSONObject(known: [
      "name": scores.name, "tracks": scores.tracks.map(track), "stays": scores.stays.map(stays),
      "rightActivityFraction": scores.travel?.fraction,
    ])
  }

  private static func track(_ score: TrackScore) -> JSONObject {
    let motion = score.motion
    return JSONObject(known: [
      "name": score.name, "fixes": score.fixes, "placed": score.errors.count,
      "errorMetres": ErrorSize(score.errors), "relativeToRaw": score.errorRelativeToRaw,
      "insideRadiusMoving": score.coverageMoving.fraction,
      "insideRadiusResting": score.coverageResting.fraction, "movingStateError": motion?.error,
      "startLatencySeconds": motion.map { latency($0.startLatencies, $0.missedStarts) },
      "stopLatencySeconds": motion.map { latency($0.stopLatencies, $0.missedStops) },
      "lengthMetres": score.length, "odometerMetres": score.odometer,
    ])
  }

  private static func latency(_ seconds: [Double], _ missed: Int) -> JSONObject {
    JSONObject(known: [
      "seen": seconds.count, "missed": missed, "median": Quantile.of(seconds, fraction: 0.5),
      "percentile95": Quantile.of(seconds, fraction: 0.95),
    ])
  }

  private static func stays(_ score: StayScore) -> JSONObject {
    let starts = score.startErrors.map { abs($0) }
    return JSONObject(known: [
      "name": score.name, "truths": score.truths, "detections": score.detections,
      "matches": score.matches, "precision": score.precision, "recall": score.recall,
      "f1": score.f1, "startErrorMedianSeconds": Quantile.of(starts, fraction: 0.5),
      "startErrorPercentile90Seconds": Quantile.of(starts, fraction: 0.9),
      "centreErrorMedianMetres": Quantile.of(score.centreErrors, fraction: 0.5),
    ])
  }
}
