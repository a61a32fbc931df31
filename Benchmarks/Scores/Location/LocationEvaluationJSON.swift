import LocomotionAnalysis
import LocomotionTraining

extension LocationEvaluation {
  /// The figures of all recordings, and pooled, as JSON with sorted keys; null is unknown.
  package var json: String {
    JSONText.pretty(
      Document(recordings: recordings.map(Document.Recording.init), pooled: .init(pooled)))
  }

  private struct Document: Encodable {
    var recordings: [Recording]
    var pooled: Recording

    struct Recording: Encodable {
      var name: String
      var tracks: [Track]
      var stays: [Stays]
      var rightActivityFraction: Double?

      init(_ scores: Scores) {
        name = scores.name
        tracks = scores.tracks.map(Track.init)
        stays = scores.stays.map(Stays.init)
        rightActivityFraction = scores.travel?.fraction
      }
    }

    struct Track: Encodable {
      var name: String
      var fixes: Int
      var placed: Int
      var errorMetres: ErrorSize?
      var relativeToRaw: ErrorSize?
      var insideRadiusMoving: Double?
      var insideRadiusResting: Double?
      var movingStateError: Double?
      var startLatencySeconds: Latency?
      var stopLatencySeconds: Latency?
      var lengthMetres: TrackScore.Length
      var odometerMetres: TrackScore.Length?

      init(_ score: TrackScore) {
        name = score.name
        fixes = score.fixes
        placed = score.errors.count
        let size = ErrorSize(score.errors)
        errorMetres = size
        relativeToRaw = ErrorSize(score.rawErrors).flatMap { size?.relative(to: $0) }
        insideRadiusMoving = score.coverageMoving.fraction
        insideRadiusResting = score.coverageResting.fraction
        movingStateError = score.motion?.error
        startLatencySeconds = score.motion.map { Latency($0.startLatencies, $0.missedStarts) }
        stopLatencySeconds = score.motion.map { Latency($0.stopLatencies, $0.missedStops) }
        lengthMetres = score.length
        odometerMetres = score.odometer
      }
    }

    struct Latency: Encodable {
      var seen: Int
      var missed: Int
      var median: Double?
      var percentile95: Double?

      init(_ seconds: [Double], _ missed: Int) {
        seen = seconds.count
        self.missed = missed
        median = Quantile.of(seconds, fraction: 0.5)
        percentile95 = Quantile.of(seconds, fraction: 0.95)
      }
    }

    struct Stays: Encodable {
      var name: String
      var truths: Int
      var detections: Int
      var matches: Int
      var precision: Double?
      var recall: Double?
      var f1: Double?
      var startErrorMedianSeconds: Double?
      var startErrorPercentile90Seconds: Double?
      var centreErrorMedianMetres: Double?

      init(_ score: StayScore) {
        name = score.name
        truths = score.truths
        detections = score.detections
        matches = score.matches
        precision = score.precision
        recall = score.recall
        f1 = score.f1
        let starts = score.startErrors.map { abs($0) }
        startErrorMedianSeconds = Quantile.of(starts, fraction: 0.5)
        startErrorPercentile90Seconds = Quantile.of(starts, fraction: 0.9)
        centreErrorMedianMetres = Quantile.of(score.centreErrors, fraction: 0.5)
      }
    }
  }
}
