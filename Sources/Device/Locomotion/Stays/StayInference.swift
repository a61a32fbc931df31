internal import CLocomotionMath
import LocomotionPositioning
import LocomotionSensing

/// The most probable sequence of stays and travel given the epochs of a recording.
///
/// A hidden semi-Markov model in continuous time (Yu, "Hidden semi-Markov models", Artificial
/// Intelligence 174, 2010): the person is at one of the candidate places, or travels. What happens
/// in a silence is integrated over the unknown share of it that was spent travelling, so that no
/// silence is too long for an answer. Viterbi's recursion with the time of arrival carried along
/// each path.
///
/// Two stays become one where on the most probable sequence the person didn't travel between them;
/// ``PlaceCandidates`` merges places within 30 m of each other, or within their errors, and
/// ``StaySegments`` joins what is left on both sides of a short way.
struct StayInference: Sendable {
  /// An epoch in seconds since the first, with variances for one scale of the receiver's claims.
  struct Step {
    var start, end, middle: Double
    var mean: SIMD3<Double>?
    var meanVariance: Double
    var first, last: SIMD3<Double>?
    var firstVariance, lastVariance: Double
    var motion: Double
  }

  /// ln of the density per m² of a fix at a place of which none is known: next to impossible.
  static let unlocatedDensity = -25.0
  /// ln of the density per m² of a displacement from or to such a place.
  static let unlocatedArrival = -9.0
  /// ln of the odds that a recording begins at rest.
  static let restingStart = 2.5
  /// What it costs to travel where a stay is known to begin, nats.
  static let leavingCost = 6.0
  /// The factors of the claimed standard deviations that are tried.
  static let scales = [0.7, 1, 1.6, 3]

  /// The shortest time between two epochs that is a silence, seconds.
  static let shortestSilence = 60.0

  let steps: [Step]
  /// Whether any epoch has a fix.
  let isLocated: Bool
  /// Whether a stay is known to go on at the first epoch.
  let beginsWithStay: Bool

  /// The inference over epochs in the order of time.
  init(_ epochs: ArraySlice<LocationEpoch>, scale: Double, usesSpeeds: Bool, beginsWithStay: Bool) {
    self.beginsWithStay = beginsWithStay
    isLocated = epochs.contains { $0.count > 0 }
    let origin = epochs.first?.start ?? Timestamp(nanoseconds: 0)
    func variance(_ point: EarthCentredPoint?) -> Double {
      let claim = point?.errorVariance ?? EarthCentredPoint.unclaimedVariance
      return max(16, claim * scale * scale)
    }
    steps = epochs.map { epoch in
      let mean = epoch.mean
      return Step(
        start: epoch.start.seconds(since: origin), end: epoch.end.seconds(since: origin),
        middle: epoch.middle.seconds(since: origin), mean: mean?.position,
        meanVariance: variance(mean) / (epoch.count > 1 ? 2 : 1),
        first: epoch.first?.position, last: epoch.last?.position,
        firstVariance: variance(epoch.first), lastVariance: variance(epoch.last),
        motion: epoch.motion(usesSpeeds: usesSpeeds))
    }
  }

  /// The inference under the scale of the claims that makes the epochs most probable, and its path.
  ///
  /// - Complexity: O(epochs · places), seven passes.
  static func best(
    _ epochs: ArraySlice<LocationEpoch>, usesSpeeds: Bool, beginsWithStay: Bool
  ) -> (inference: StayInference, path: StayPath)? {
    guard !epochs.isEmpty else { return nil }
    var best: (inference: StayInference, path: StayPath, places: [CandidatePlace])?
    let isLocated = epochs.contains { $0.count > 0 }
    for scale in isLocated ? scales : [1] {
      let inference = StayInference(
        epochs, scale: scale, usesSpeeds: usesSpeeds,
        beginsWithStay: beginsWithStay)
      let places = inference.candidates()
      var path = inference.viterbi(places)
      let logarithm = log(scale)
      path.logLikelihood -= 15 * logarithm * logarithm
      if best.map({ path.logLikelihood > $0.path.logLikelihood }) ?? true {
        best = (inference, path, places)
      }
    }
    guard let inference = best?.inference, var path = best?.path, var places = best?.places else {
      return nil
    }
    for _ in 0..<2 {
      places = inference.reestimated(places, by: path)
      path = inference.viterbi(places)
    }
    return (inference, path)
  }

  // MARK: One step

  /// What lies between two epochs.
  struct Move {
    /// The time between them, seconds.
    var time: Double
    /// Where the person was before and after, if that was observed, with the variances.
    var from, to: SIMD3<Double>?
    var fromVariance, toVariance: Double
    /// Whether the time is a silence, across which the raw ends tell the distance.
    var isSilent: Bool
  }

  func move(to index: Int) -> Move {
    let (before, after) = (steps[index - 1], steps[index])
    let silence = after.start - before.end
    if silence < Self.shortestSilence {
      return Move(
        time: max(1, after.middle - before.middle), from: before.mean, to: after.mean,
        fromVariance: before.meanVariance, toVariance: after.meanVariance, isSilent: false)
    }
    return Move(
      time: silence, from: before.last, to: after.first, fromVariance: before.lastVariance,
      toVariance: after.firstVariance, isSilent: true)
  }
}

/// A sequence of stays and travel.
///
/// Where travel follows travel a rest lies in the silence between, at a place that no fix tells of.
struct StayPath: Sendable {
  /// Consecutive epochs at one place, or in travel.
  struct Segment: Sendable {
    /// The number of the place; nil in travel.
    var place: Int?
    var epochs: Range<Int>
    var location: CandidatePlace?
  }

  var segments: [Segment]
  var logLikelihood: Double
}
