import Foundation
import Locomotion

/// A point on the Earth, degrees.
package struct ReportPoint: Hashable, Sendable {
  package var latitude: Double
  package var longitude: Double
  /// Metres; nil where it is unknown.
  var altitude: Double?

  package init(latitude: Double, longitude: Double, altitude: Double? = nil) {
    self.latitude = latitude
    self.longitude = longitude
    self.altitude = altitude
  }

  /// Whether both are at one place, at whatever altitude.
  func isAt(_ other: ReportPoint) -> Bool {
    latitude == other.latitude && longitude == other.longitude
  }
}

/// Metres east and north of a centre, accurate to 1 % within a few hundred kilometres of it.
struct ReportProjection: Sendable {
  let centre: ReportPoint
  private let metresPerDegree: SIMD2<Double>

  init(latitude: Double, longitude: Double) {
    centre = ReportPoint(latitude: latitude, longitude: longitude)
    metresPerDegree = WGS84.metresPerDegree(latitude: latitude)
  }

  func position(_ point: ReportPoint) -> SIMD2<Double> {
    SIMD2(WGS84.wrapped(point.longitude - centre.longitude), point.latitude - centre.latitude)
      * metresPerDegree
  }

  func distance(latitude: Double, longitude: Double) -> Double {
    let offset = position(ReportPoint(latitude: latitude, longitude: longitude))
    return (offset * offset).sum().squareRoot()
  }
}

extension AnalysisResult {
  /// The filtered locations of `leg`, split where there is none for more than five minutes.
  ///
  /// The track starts with the last location before the leg, if that is recent, so that legs join.
  func track(of leg: Trip.Leg) -> [[ReportPoint]] {
    pieces(of: leg).map { $0.points }
  }

  /// A part of a track without a longer silence.
  struct TrackPiece {
    var points: [ReportPoint]
    var start: Timestamp
    var end: Timestamp
  }

  /// A silence that splits a track, seconds.
  static let splittingSilence = 300.0

  /// The samples of a leg that have a location, from the last one before it if that is recent, so
  /// that legs join.
  func locatedSamples(of leg: Trip.Leg) -> [(sample: ReportSample, place: ReportPoint)] {
    let first = firstIndex(from: leg.start)
    let leads = first > 0 && samples[first - 1].end >= leg.start
    return samples[(leads ? first - 1 : first)..<max(first, firstIndex(from: leg.end))]
      .compactMap { sample in
        guard let location = sample.location, abs(location.latitude) <= 90,
          abs(location.longitude) <= 360
        else { return nil }
        let point = ReportPoint(
          latitude: location.latitude, longitude: location.longitude,
          altitude: sample.altitude?.altitude)
        return (sample, point)
      }
  }

  /// The parts of ``track(of:)`` with their times.
  func pieces(of leg: Trip.Leg) -> [TrackPiece] {
    var pieces: [TrackPiece] = []
    for (sample, point) in locatedSamples(of: leg) {
      let last = pieces.count - 1
      if last >= 0, sample.start.seconds(since: pieces[last].end) <= Self.splittingSilence {
        if !(pieces[last].points.last?.isAt(point) ?? false) { pieces[last].points.append(point) }
        pieces[last].end = sample.end
      } else {
        pieces.append(TrackPiece(points: [point], start: sample.start, end: sample.end))
      }
    }
    return pieces
  }

  /// The straight lines over the silences of a trip, by leg: between the pieces of its tracks, and
  /// from and to the stays around it.
  func links(of trip: Trip, _ pieces: [[TrackPiece]]) -> [[(ReportPoint, ReportPoint)]] {
    func centre(_ stay: Stay?) -> ReportPoint? {
      stay?.location.map { ReportPoint(latitude: $0.latitude, longitude: $0.longitude) }
    }
    let around = stays(around: trip)
    // A trip of which no way was observed is drawn even when it was brief.
    let isDrawn = pieces.contains { $0.contains { $0.points.count > 1 } }
    let least = isDrawn ? Self.splittingSilence : 0
    var links = [[(ReportPoint, ReportPoint)]](repeating: [], count: pieces.count)
    var last = centre(around.before).map { (point: $0, time: trip.start) }
    func link(_ leg: Int, to point: ReportPoint, at time: Timestamp) {
      guard let last, time.seconds(since: last.time) > least, !last.point.isAt(point)
      else { return }
      links[leg].append((last.point, point))
    }
    for (leg, pieces) in pieces.enumerated() {
      for piece in pieces {
        link(leg, to: piece.points[0], at: piece.start)
        last = (piece.points[piece.points.count - 1], piece.end)
      }
    }
    if let end = centre(around.after), !pieces.isEmpty {
      link(pieces.count - 1, to: end, at: trip.end)
    }
    return links
  }
}

extension [SIMD2<Double>] {
  /// The polyline with the fewest points that the algorithm of Douglas and Peucker (1973) finds
  /// within `tolerance` of this one.
  ///
  /// - Complexity: O(n log n) typically, O(n²) at worst.
  package func simplified(tolerance: Double) -> [SIMD2<Double>] {
    guard count > 2 else { return self }
    let keeps = Self.kept(count: count, tolerance: tolerance) { index, first, last in
      Self.squaredDistance(self[index], self[first], self[last])
    }
    return zip(self, keeps).compactMap { $1 ? $0 : nil }
  }

  /// Which of `count` points the algorithm keeps, by the squared distance of a point, the first
  /// index, from what two others stand for.
  static func kept(
    count: Int, tolerance: Double, squaredDistance: (Int, Int, Int) -> Double
  ) -> [Bool] {
    var keeps = [Bool](repeating: false, count: count)
    guard count > 0 else { return keeps }
    keeps[0] = true
    keeps[count - 1] = true
    var open = [(0, count - 1)]
    while let (first, last) = open.popLast() {
      var farthest = first
      var largest = tolerance * tolerance
      for index in first + 1..<Swift.max(last, first + 1) {
        let distance = squaredDistance(index, first, last)
        if distance > largest { (farthest, largest) = (index, distance) }
      }
      if farthest > first {
        keeps[farthest] = true
        open.append((first, farthest))
        open.append((farthest, last))
      }
    }
    return keeps
  }

  /// The squared distance of `point` from the segment `a`–`b`.
  private static func squaredDistance(
    _ point: SIMD2<Double>, _ a: SIMD2<Double>, _ b: SIMD2<Double>
  ) -> Double {
    let along = b - a
    let length = (along * along).sum()
    let fraction = length > 0 ? Swift.min(Swift.max(((point - a) * along).sum() / length, 0), 1) : 0
    let away = point - a - along * fraction
    return (away * away).sum()
  }
}
