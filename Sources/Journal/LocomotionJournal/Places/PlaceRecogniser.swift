internal import CLocomotionMath
package import Locomotion

/// Finds the place of a stay among the user's places.
///
/// Places are the components of a Dirichlet process mixture, taken in the order of time and each
/// at its most probable place (Rasmussen, "The infinite Gaussian mixture model", NIPS 12, 2000): a
/// stay is at the place for which the visits so far, times the density of its distance, are most,
/// or at a new one if that is below the density of new places. So a place that is known well takes
/// in what a poor receiver tells of it, and a good receiver separates neighbours. Deviations: the
/// density is Student's with 4 degrees of freedom, for receivers err by far now and then; and a
/// place that the user named or added has, besides, whatever its radius or 60 m reaches.
struct PlaceRecogniser {
  /// The radius within which places are looked for, metres.
  static let widest = 1_000.0
  /// The least reach of a place that is the user's own, metres.
  static let ownReach = 60.0
  /// The shortest stay that creates a place, seconds.
  static let shortestRemembered = 300.0
  /// How far a person moves about within a place, along one axis, metres: a room.
  static let spread = 9.0
  /// One new place in so many square metres: as often as one visit more to an old one.
  private static let areaPerNewPlace = 1e6
  /// Visits, where nobody counted them.
  private static let typicalVisits = 4

  /// A place and how well its centre is known.
  struct Candidate {
    var place: Place
    /// The geodesic from the stay to its centre, metres.
    var distance: Double
    /// Nil when nobody counted them.
    var visits: PlaceVisits?
  }

  /// The most probable of the places near a stay; nil when a new one is more probable.
  static func mostProbable(_ candidates: [Candidate], for location: Stay.Location) -> Int? {
    var best: (score: Double, id: Int)?
    for candidate in candidates {
      let (place, visits) = (candidate.place, candidate.visits)
      let uncertainty = place.isLearned ? visits?.variance ?? 0 : 0
      let score = score(
        candidate.distance, PlaceVisits.variance(of: location) + spread * spread + uncertainty,
        visits.map { max($0.count, 1) } ?? typicalVisits)
      let isReached = !place.isLearned && candidate.distance <= max(place.radius, ownReach)
      guard isReached || score > newPlaceScore else { continue }
      // Of two alike, the older one.
      if best.map({ ($0.score, -$0.id) < (score, -place.id) }) ?? true { best = (score, place.id) }
    }
    return best?.id
  }

  /// Whether two learned places are more probably one.
  static func areOne(_ one: PlaceVisits, _ other: PlaceVisits) -> Bool {
    let step = one.centre - other.centre
    // Centres are means of many visits: none of them is far off.
    let variance = one.variance + other.variance + spread * spread / 2
    let density = -log(2 * Double.pi * variance) - (step * step).sum() / (2 * variance)
    return density + log(Double(max(one.count, other.count))) > newPlaceScore
  }

  private static func score(_ distance: Double, _ variance: Double, _ visits: Int) -> Double {
    let tail = 3 * log(1 + distance * distance / (4 * variance))
    return log(Double(visits)) - log(2 * Double.pi * variance) - tail
  }

  private static let newPlaceScore = -log(areaPerNewPlace)

  private var places: [(place: Place, point: SIMD3<Double>)] = []

  init(_ places: [Place]) {
    for place in places { add(place) }
  }

  mutating func add(_ place: Place) {
    places.append(
      (place, WGS84.earthCentred(latitude: place.latitude, longitude: place.longitude)))
  }

  /// The number of the most probable place of a stay by the places alone, without their visits.
  func place(of segment: DaySegment) -> Int? {
    guard segment.kind == .stay, let location = segment.location else { return nil }
    let near = near(location.latitude, location.longitude, within: Self.widest)
      .map { Candidate(place: $0.place, distance: $0.distance) }
    return Self.mostProbable(near, for: location)
  }

  /// The places whose centres are within a distance of a point, metres.
  func near(
    _ latitude: Double, _ longitude: Double, within radius: Double
  ) -> [(place: Place, distance: Double)] {
    let centre = WGS84.earthCentred(latitude: latitude, longitude: longitude)
    return places.compactMap { place, point in
      let chord = point - centre
      // A geodesic is at least as long as its chord, but for rounding.
      guard (chord * chord).sum().squareRoot() <= radius + 1e-6 else { return nil }
      let distance = Geodesic(
        from: (latitude, longitude), to: (place.latitude, place.longitude)
      ).distance
      return distance <= radius ? (place, distance) : nil
    }
  }

  /// The place that a stay creates when it is at none; nil for none.
  static func learned(from segment: DaySegment) -> Place? {
    guard segment.kind == .stay, let location = segment.location,
      segment.end.seconds(since: segment.start) >= shortestRemembered
    else { return nil }
    return Place(
      name: nil, latitude: location.latitude, longitude: location.longitude,
      radius: min(max(location.radius68, ownReach), widest), isLearned: true)
  }
}

/// The final stays at a place: how many, and the mean of where they were.
struct PlaceVisits: Sendable {
  private(set) var count = 0
  /// The start of the first one.
  private(set) var start = Timestamp(nanoseconds: .max)
  private var sum = SIMD3<Double>.zero
  private var weight = 0.0

  /// The variance of a stay's location, along one axis, m².
  static func variance(of location: Stay.Location) -> Double {
    let radius = max(location.radius68, 1)
    return radius * radius / EarthCentredPoint.squaredRadius68
  }

  mutating func add(_ location: Stay.Location, from start: Timestamp) {
    self.start = min(self.start, start)
    let wander = PlaceRecogniser.spread * PlaceRecogniser.spread
    let precision = 1 / (Self.variance(of: location) + wander)
    sum +=
      precision
      * WGS84.earthCentred(latitude: location.latitude, longitude: location.longitude)
    weight += precision
    count += 1
  }

  /// The mean of the stays, weighted by their precision, earth-centred, metres.
  var centre: SIMD3<Double> { sum / weight }
  /// The variance of ``centre`` along one axis, m²; 0 without a stay.
  var variance: Double { count > 0 ? 1 / weight : 0 }
}

struct PlaceRecord: StoredRow {
  static let layout = RowLayout<Self>(
    "places",
    [
      .key(\.key), Column("name", \.name), Column("latitude", \.place.latitude),
      Column("longitude", \.place.longitude), Column("radius", \.place.radius),
      Column("is_learned", \.place.isLearned), .dropped("checksum"),
    ])

  private var user: Int64 = 0
  var place = Place(name: nil, latitude: 0, longitude: 0)

  var key: Int64 {
    get { StoreFormat.key(user: user, index: place.id) }
    set { (user, place.id) = (newValue >> StoreFormat.indexBits, StoreFormat.index(of: newValue)) }
  }

  private var name: String {
    get { place.name ?? "" }
    set { place.name = newValue.isEmpty ? nil : newValue }
  }
}

extension PlaceRecord {
  init(user: Int64, _ place: Place) {
    (self.user, self.place) = (user, place)
  }
}

extension Place {
  /// The place as its row holds it.
  var storable: Place {
    var place = self
    // Bound as text, a string would end at its first NUL.
    let name = name?.replacing("\0", with: "") ?? ""
    place.name = name.isEmpty ? nil : name
    // SQLite drops the sign of zero.
    if latitude == 0 { place.latitude = 0 }
    if longitude == 0 { place.longitude = 0 }
    return place
  }

  /// Checks that a journal can store the place; called before one is created for it.
  ///
  /// - Throws: ``JournalError/invalidPlace(reason:)``.
  package func validate() throws(JournalError) {
    for (isFit, reason) in [
      (abs(latitude) <= 90, "latitude beyond ±90 degrees"),
      (abs(longitude) <= 180, "longitude beyond ±180 degrees"),
      (0...1_000 ~= radius, "a radius must be 0 to 1000 metres"),
      (name?.utf8.count ?? 0 <= 1_024, "a name must have at most 1024 bytes"),
    ] where !isFit { throw .invalidPlace(reason: reason) }
  }
}
