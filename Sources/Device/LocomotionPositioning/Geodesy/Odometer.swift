internal import CLocomotionMath

/// How far the phone has gone: the expected length of its path, given where it was and how well
/// that is known.
///
/// From one estimate to the next the path is at least as long as the chord between them. It is
/// longer where it turned, and that shows: by the angles between a chord and its neighbours, and by
/// the chord being short for its time at the usual speed. Where a clock chose the points an angle
/// tells of turns between them; where the way chose them, as in recorders that keep its turns, they
/// are at the points themselves, and only slowness tells. <doc:LocationFiltering> has the equation
/// and says where its figures come from.
///
/// At rest nothing is added, so that a phone on a table stays where it is for days; the way from
/// the place of rest to where the phone is found moving is added then. An angle, and a chord,
/// count as far as the errors of their ends are small against them: errors change slowly, so that
/// those of neighbouring estimates are alike.
///
/// - Complexity: O(1) per estimate; allocates nothing.
public struct Odometer: Sendable, StateArchivable {
  /// One standard deviation of a path that nothing tells of, by its chord.
  private static let detour = 0.1
  /// How much longer than its chord a path is over a long silence, as a part of it.
  private static let silentWinding = 0.25
  /// The silence, seconds, over which it is half of that.
  private static let silentTime = 300.0
  /// Seconds after which an estimate's error has become another one.
  private static let errorMemory = 40.0
  /// How much longer than its chord a path is where a clock chose the points.
  ///
  /// By what part, per squared radian of the mean angle at its ends. An arc has 1/24, a corner
  /// more.
  private static let winding = 0.1
  /// How much more of it there is per missing part of the speed.
  private static let windingPerSlowness = 1.3
  /// The part of the usual speed below which speed is missing.
  private static let slowness = 0.82
  /// The part of such an excess by which it is uncertain.
  private static let windingDeviation = 0.3
  /// How far coarse fixes jump, metres, where nothing else tells of a journey.
  private static let coarseJump = 1_000.0
  /// How fast they go on from there without one, m/s.
  private static let fastestDrift = 8.0
  /// The fastest plausible speed, m/s.
  private static let fastestSpeed = 350.0

  /// The path from one estimate to the next.
  package struct Step: Sendable, StateElement {
    package var start: Timestamp
    package var end: Timestamp
    /// The expected length, metres.
    package var length: Double
    /// The variance of ``length`` by errors that are another in every step, m².
    package var variance: Double
    /// One standard deviation of ``length`` by what is alike in all steps, metres.
    package var bias: Double
    /// The part of ``length`` that is none of the errors, metres.
    package var ground: Double

    package static let blank = Odometer.Step(
      start: .blank, end: .blank, length: 0, variance: 0, bias: 0, ground: 0)

    package mutating func pass(through archive: inout StateArchive) {
      archive.pass(&start, &end, &length, &variance, &bias)
      archive.pass(&ground)
    }
  }

  /// Whether a phone at rest stays where it is, however far its estimates go.
  ///
  /// Else they count once they are farther away than their errors tell, which is right for smoothed
  /// estimates of a trip.
  private let trustsRest: Bool
  /// The longest gap that a chord bridges, seconds.
  private let longestGap: Double
  /// The sums over the steps that no later estimate changes.
  private var sum = 0.0
  private var variance = 0.0
  private var bias = 0.0
  /// The newest estimate from which a chord begins.
  private var anchor: Vertex?
  /// Whether the phone was at rest there.
  private var isResting = false
  /// Whether the phone moved since then.
  private var hasMoved = false
  /// The newest chord, of which the angle at its end is not known.
  private var chord: Chord?
  private var usual = UsualSteps()

  /// The distance so far, metres.
  public var distance: Double { sum + (step?.length ?? 0) }

  /// One standard deviation of ``distance``, metres.
  public var deviation: Double {
    let open = step
    let alike = bias + (open?.bias ?? 0)
    return (variance + (open?.variance ?? 0) + alike * alike).squareRoot()
  }

  /// The newest step as far as it is known; the next estimate may lengthen it.
  package var step: Step? { chord.map { $0.step(endTurn: nil, usual) } }

  /// An odometer at zero.
  public init() {
    self.init(trustsRest: true, longestGap: 3_600)
  }

  /// One that bridges longer gaps, or counts what estimates tell at rest.
  package init(trustsRest: Bool, longestGap: Double) {
    (self.trustsRest, self.longestGap) = (trustsRest, longestGap)
  }

  /// Back to zero.
  public mutating func reset() {
    self = Odometer(trustsRest: trustsRest, longestGap: longestGap)
  }

  /// Adds the path from the last estimate to this one, if the phone moved.
  ///
  /// An estimate that is not later than the last one, or not finite, adds nothing and leaves the
  /// gap open; so does one whose speed is unknown (it may be a guess across a gap), unless it lies
  /// beyond both radii. A gap in which the phone was seen moving is bridged, also when the phone
  /// is found at rest behind it; where it was not decided whether it moved, only by a chord that
  /// no coarse fixes of a phone at rest make.
  public mutating func update(with estimate: LocationEstimate, state: MovingState) {
    guard let step = advance(to: estimate, state: state) else { return }
    sum += step.length
    variance += step.variance
    bias += step.bias
  }

  /// The same; returns the step that is complete, and leaves it to the caller.
  package mutating func advance(to estimate: LocationEstimate, state: MovingState) -> Step? {
    hasMoved = hasMoved || state == .moving
    guard let vertex = Vertex(estimate) else { return nil }
    guard let anchor else {
      move(to: vertex, state)
      return nil
    }
    let seconds = vertex.time.seconds(since: anchor.time)
    guard seconds > 0 else { return nil }
    let vector = vertex.position - anchor.position
    let length = min(arcLength(ofChord: vector), Self.fastestSpeed * seconds)
    // Without a speed it may be a guess across a gap, unless it went far beyond such a guess.
    guard estimate.speed != nil || length > anchor.radius68 + vertex.radius68 else { return nil }
    // Who is neither seen to rest nor to move may have been moved by a coarse fix alone.
    let isFast =
      state == .uncertain && length > Self.coarseJump + Self.fastestDrift * seconds
    guard hasMoved || isFast || !trustsRest, seconds <= longestGap else {
      move(to: vertex, .stationary)
      return nil
    }
    let changed = isResting ? 1 : 1 - exp(-seconds / Self.errorMemory)
    let noise = (anchor.variance + vertex.variance) * changed
    guard length * length > (isResting ? 9 : 4) * noise else {
      // Nearer than the errors tell: wait for the next one, or stay.
      if state != .moving {
        var place = vertex
        if !trustsRest { (place, place.time) = (anchor, vertex.time) }
        move(to: place, .stationary)
      }
      return nil
    }
    var next = Chord(
      start: anchor.time, end: vertex.time, vector: vector, length: length, noise: noise)
    next.isMotion = hasMoved
    next.knownSpeed = anchor.speed.flatMap { before in vertex.speed.map { (before + $0) / 2 } }
    var turn: Double?
    if !isResting, let chord { turn = next.turn(after: chord) }
    next.startTurn = turn
    defer {
      chord = next
      move(to: vertex, state)
    }
    usual.append(length, seconds: seconds)
    return chord.map { $0.step(endTurn: turn, usual) }
  }

  private mutating func move(to vertex: Vertex, _ state: MovingState) {
    anchor = vertex
    hasMoved = state == .moving
    isResting = state == .stationary
  }

  /// All but the settings, which are the reader's.
  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&sum, &variance, &bias, &anchor, &isResting)
    archive.pass(&hasMoved, &chord)
    usual.pass(through: &archive)
  }
}

extension Odometer {
  /// An estimate in the odometer's units.
  fileprivate struct Vertex: Sendable {
    var time: Timestamp
    /// Earth-centred, metres.
    var position: SIMD3<Double>
    /// The variance along one axis, m².
    var variance: Double
    /// m/s; nil where it is not known well.
    var speed: Double?
    var radius68: Double { (variance * EarthCentredPoint.squaredRadius68).squareRoot() }
  }

  /// The straight line between two estimates.
  fileprivate struct Chord: Sendable {
    var start, end: Timestamp
    var vector: SIMD3<Double>
    var length: Double
    /// The variance along one axis of the difference of the errors of its ends, m².
    var noise: Double
    /// Whether the phone was seen to move along it.
    var isMotion = false
    /// The mean of the speeds at its ends, m/s, and the angle at its start, radians, if known.
    var knownSpeed, startTurn: Double?

    /// The angle from `before` to this chord, 0 to π, as far as the errors let it show.
    func turn(after before: Chord) -> Double {
      let cosine = (before.vector * vector).sum() / (before.length * length)
      let angle = acos(min(max(cosine, -1), 1))
      let shorter = min(before.length, length)
      let square = shorter * shorter
      return angle * square / (square + before.noise + noise)
    }

    /// The path along the chord.
    func step(endTurn: Double?, _ usual: UsualSteps) -> Step {
      let seconds = end.seconds(since: start)
      let turn = ((startTurn ?? endTurn ?? 0) + (endTurn ?? startTurn ?? 0)) / 2
      let square = turn * turn
      var (excess, unknown) = (0.0, 0.0)
      // From second to second a path has no room to wind.
      if square > 0.01 || seconds > 5 {
        let whole = max(min(usual.speed, knownSpeed ?? .infinity) * seconds, length)
        let slow = max(0, Odometer.slowness - length / whole)
        let (byTime, byWay) = usual.regularity(of: length, seconds: seconds)
        let regularity = max(byTime, byWay)
        excess =
          Odometer.winding * byTime * square * length
          + regularity * min(Odometer.windingPerSlowness * slow * square * length, whole - length)
        unknown = Odometer.detour * (1 - regularity) * length
        // The less is seen the more a way winds, but in silences of the receiver, underground.
        let old = seconds * seconds
        excess +=
          Odometer.silentWinding * (1 - regularity) * min(1, 10 * usual.time / seconds) * length
          * old / (old + Odometer.silentTime * Odometer.silentTime)
      }
      // Errors turn about harder than people do: beyond 0.7 m/s² sideways the ground is theirs.
      let sideways = turn * length / (0.7 * seconds * seconds)
      let own =
        max(0, 1 - 4 * noise / (length * length)) / (1 + sideways * sideways * sideways * sideways)
      // What is left of the errors makes a chord longer, on average by noise / (2 · length); as
      // most receivers filter their fixes, and their errors hardly change, by a part of that.
      return Step(
        start: start, end: end, length: length + excess - noise / (12 * length),
        variance: noise / 2 + unknown * unknown,
        bias: Odometer.windingDeviation * excess + noise / (4 * length) + 0.0025 * length,
        ground: isMotion ? length * own * usual.steadiness : 0)
    }
  }

  /// At what speed the phone usually goes, and what chose the points.
  fileprivate struct UsualSteps: Sendable {
    private static let capacity = 32
    /// How far from the usual one a step is no step of the kind, as a part of it.
    private static let tolerance: Float = 0.3
    private var chords = SIMD32<Float>.zero
    private var times = SIMD32<Float>.zero
    private var count = 0

    mutating func append(_ chord: Double, seconds: Double) {
      chords[count % Self.capacity] = Float(chord)
      times[count % Self.capacity] = Float(seconds)
      count += 1
      // Once full, the number says no more than where the next one goes.
      if count == 2 * Self.capacity { count = Self.capacity }
    }

    private var filled: Int { min(count, Self.capacity) }

    /// The speed that three of four chords don't exceed, m/s.
    var speed: Double {
      let speeds = chords / times
      return Double(Self.quantile(of: speeds, filled, rank: 3 * filled / 4))
    }

    /// The median time between estimates, seconds.
    var time: Double { Double(Self.quantile(of: times, filled, rank: filled / 2)) }

    /// How steady the speeds are: 0 where they vary as those of errors do, whose squared
    /// coefficient of variation is 4/π − 1 = 0.27, and 1 from 0.1 down.
    var steadiness: Double {
      guard filled >= 4 else { return 0 }
      var (sum, squares) = (Float(0), Float(0))
      for lane in 0..<filled {
        let speed = chords[lane] / times[lane]
        sum += speed
        squares += speed * speed
      }
      let variation = squares * Float(filled) / (sum * sum) - 1
      return Double(min(max((0.25 - variation) / 0.15, 0), 1))
    }

    /// How sure it is that a clock chose the points, and that a distance did, each 0 to 1.
    ///
    /// A step unlike the others was chosen by neither: a pause, as likely as not.
    func regularity(of chord: Double, seconds: Double) -> (byTime: Double, byWay: Double) {
      (
        Self.regularity(of: times, filled, at: Float(seconds)),
        Self.regularity(of: chords, filled, at: Float(chord))
      )
    }

    private static func regularity(
      of values: SIMD32<Float>, _ count: Int, at value: Float
    ) -> Double {
      let usual = quantile(of: values, count, rank: count / 2)
      guard abs(value - usual) <= 2 * tolerance * usual else { return 0 }
      var near = 0
      for lane in 0..<count where abs(values[lane] - usual) <= tolerance * usual { near += 1 }
      return min(max((Double(near) / Double(max(count, 1)) - 0.5) / 0.4, 0), 1)
    }

    /// The value that `rank` of the first values don't exceed.
    private static func quantile(of values: SIMD32<Float>, _ count: Int, rank: Int) -> Float {
      var sorted = values
      for index in 1..<max(count, 2) {
        let value = sorted[index]
        var place = index
        while place > 0, sorted[place - 1] > value {
          sorted[place] = sorted[place - 1]
          place -= 1
        }
        sorted[place] = value
      }
      return sorted[min(rank, count - 1)]
    }

    mutating func pass(through archive: inout StateArchive) {
      archive.pass(&chords, &times)
      archive.pass(&count, in: 0...63)
    }
  }
}

extension Odometer.Vertex {
  /// Nil for an estimate that says nothing.
  init?(_ estimate: LocationEstimate) {
    let plausibleSpeed = estimate.speed.map { $0 >= 0 && $0 <= Odometer.fastestSpeed } ?? true
    guard estimate.timestamp.isPlausible, abs(estimate.latitude) <= 90,
      estimate.longitude.isFinite, estimate.radius68 >= 0, estimate.radius68 <= 1e7,
      plausibleSpeed
    else { return nil }
    time = estimate.timestamp
    position = WGS84.earthCentred(latitude: estimate.latitude, longitude: estimate.longitude)
    variance = estimate.radius68 * estimate.radius68 / EarthCentredPoint.squaredRadius68
    if let own = estimate.speed, let deviation = estimate.speedDeviation,
      deviation < 0.4 + 0.1 * own
    {
      speed = own
    }
  }
}

extension Odometer.Vertex: StateElement {
  fileprivate static let blank = Odometer.Vertex(time: .blank, position: .zero, variance: 0)

  fileprivate mutating func pass(through archive: inout StateArchive) {
    archive.pass(&time, &position, &variance, &speed)
  }
}

extension Odometer.Chord: StateElement {
  fileprivate static let blank = Odometer.Chord(
    start: .blank, end: .blank, vector: .zero, length: 0, noise: 0)

  fileprivate mutating func pass(through archive: inout StateArchive) {
    archive.pass(&start, &end, &vector, &length, &noise)
    archive.pass(&isMotion, &knownSpeed, &startTurn)
  }
}
