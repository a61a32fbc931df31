import Locomotion

/// A point on the Earth, degrees.
struct ReportPoint: Hashable, Sendable {
  var latitude: Double
  var longitude: Double
  /// Metres; nil where it is unknown.
  var altitude: Double?

  /// Whether both are at one place, at whatever altitude.
  func isAt(_ other: ReportPoint) -> Bool {
    latitude == other.latitude && longitude == other.longitude
  }

  /// The distance to another point, metres, accurate to 1 % within a few hundred kilometres.
  func distance(to other: ReportPoint) -> Double {
    let offset = ReportProjection(centre: self).position(other)
    return (offset * offset).sum().squareRoot()
  }
}

extension Stay.Location {
  /// The centre of the place.
  var point: ReportPoint { ReportPoint(latitude: latitude, longitude: longitude) }
}

/// Metres east and north of a centre, accurate to 1 % within a few hundred kilometres of it.
struct ReportProjection: Sendable {
  private let centre: ReportPoint
  private let metresPerDegree: SIMD2<Double>

  init(centre: ReportPoint) {
    self.centre = centre
    metresPerDegree = WGS84.metresPerDegree(latitude: centre.latitude)
  }

  func position(_ point: ReportPoint) -> SIMD2<Double> {
    SIMD2(WGS84.wrapped(point.longitude - centre.longitude), point.latitude - centre.latitude)
      * metresPerDegree
  }
}

extension AnalysisResult {
  /// The filtered locations of a leg, without those that repeat the one before, split as its course
  /// is.
  func track(of leg: Trip.Leg) -> [[ReportPoint]] {
    ReportCourse(self, of: leg).pieces.map { piece in
      piece.reduce(into: []) { points, next in
        if !(points.last?.isAt(next.place) ?? false) { points.append(next.place) }
      }
    }
  }

  /// The straight lines over the silences of a trip, by leg: between the pieces of its courses, and
  /// from and to the stays around it.
  func links(of trip: Trip, _ courses: [ReportCourse]) -> [[(ReportPoint, ReportPoint)]] {
    let around = stays(around: trip)
    // A trip of which no way was observed is drawn even when it was brief.
    let isDrawn = courses.contains { course in
      course.pieces.contains { piece in piece.contains { !$0.place.isAt(piece[0].place) } }
    }
    let least = isDrawn ? ReportCourse.splittingSilence : 0
    var links = [[(ReportPoint, ReportPoint)]](repeating: [], count: courses.count)
    var last = around.before?.location.map { (point: $0.point, time: trip.start) }
    func link(_ leg: Int, to point: ReportPoint, at time: Timestamp) {
      guard let last, time.seconds(since: last.time) > least, !last.point.isAt(point)
      else { return }
      links[leg].append((last.point, point))
    }
    for (leg, course) in courses.enumerated() {
      for piece in course.pieces {
        link(leg, to: piece[0].place, at: piece[0].start)
        last = piece.last.map { ($0.place, $0.end) }
      }
    }
    if let end = around.after?.location?.point, !courses.isEmpty {
      link(courses.count - 1, to: end, at: trip.end)
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
  static func squaredDistance(
    _ point: SIMD2<Double>, _ a: SIMD2<Double>, _ b: SIMD2<Double>
  ) -> Double {
    let along = b - a
    let length = (along * along).sum()
    let fraction = length > 0 ? Swift.min(Swift.max(((point - a) * along).sum() / length, 0), 1) : 0
    let away = point - a - along * fraction
    return (away * away).sum()
  }
}
