internal import CLocomotionMath
package import LocomotionSensing

/// How far the phone has gone: the expected length of its path, given where it was and how well
/// that is known.
///
/// From one estimate to the next the path is at least as long as the chord between them. It is
/// longer where it turned, and that shows: by the angles between a chord and its neighbours, and
/// by the chord being short for its time at the usual speed. Who samples a path at its turns, or
/// so densely that the chords follow it, sees the angles and no shortness, and the length is the
/// sum of chords; who samples it once a minute sees both. There is one rule for every rate.
///
/// At rest nothing is added, so that a phone on a table stays where it is for days; the way from
/// the place of rest to where the phone is found moving is added then. An angle, and a chord,
/// count as far as the errors of their ends are small against them: errors change slowly, so that
/// those of neighbouring estimates are alike.
///
/// - Complexity: O(1) per estimate; allocates nothing.
public struct Odometer: Sendable {
  /// What the odometer assumes.
  public struct Settings: Hashable, Sendable {
    /// Seconds after which an estimate's error has become another one; default 40.
    public var errorMemory = 40.0
    /// By what part of its chord, per squared radian of the mean angle at its ends, a path is longer
    /// that was gone at the usual speed; default 0.042: an arc has 1/24.
    public var winding = 0.042
    /// How much more of it there is per missing part of the speed; default 1.1.
    public var windingPerSlowness = 1.1
    /// The part of the usual speed below which speed is missing; default 0.9.
    public var slowness = 0.92
    /// The part of such an excess by which it is uncertain; default 0.35.
    public var windingDeviation = 0.35
    /// How far coarse fixes jump, metres, where nothing else tells of a journey; default 1,000.
    public var coarseJump = 1_000.0
    /// How fast they go on from there without one, m/s; default 8.
    public var fastestDrift = 8.0
    /// The fastest plausible speed, m/s; default 350.
    public var fastestSpeed = 350.0
    /// The longest gap that a chord bridges, seconds; default 3,600.
    public var longestGap = 3_600.0

    /// The defaults.
    public init() {}
  }

  /// The path from one estimate to the next.
  package struct Step: Hashable, Sendable {
    package var start: Timestamp
    package var end: Timestamp
    /// The expected length, metres.
    package var length: Double
    /// The variance of ``length`` by errors that are another in every step, m².
    package var variance: Double
    /// One standard deviation of ``length`` by what is alike in all steps, metres.
    package var bias: Double
  }

  /// What the odometer assumes.
  public let settings: Settings
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
  private var usual = UsualSpeed()

  /// The distance so far, metres.
  public var distance: Double { sum + (step?.length ?? 0) }

  /// One standard deviation of ``distance``, metres.
  public var deviation: Double {
    let open = step
    let alike = bias + (open?.bias ?? 0)
    return (variance + (open?.variance ?? 0) + alike * alike).squareRoot()
  }

  /// The newest step as far as it is known; the next estimate may lengthen it.
  package var step: Step? { chord.map { $0.step(endTurn: nil, settings, usual) } }

  /// An odometer at zero.
  public init(settings: Settings = .init()) {
    self.settings = settings
  }

  /// Back to zero.
  public mutating func reset() {
    self = Odometer(settings: settings)
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
    guard let vertex = Vertex(estimate, settings) else { return nil }
    guard let anchor else {
      move(to: vertex, state)
      return nil
    }
    let seconds = vertex.time.seconds(since: anchor.time)
    guard seconds > 0 else { return nil }
    let vector = vertex.position - anchor.position
    let length = min(arcLength(ofChord: vector), settings.fastestSpeed * seconds)
    // Without a speed it may be a guess across a gap, unless it went far beyond such a guess.
    guard estimate.speed != nil || length > anchor.radius + vertex.radius else { return nil }
    // Who is neither seen to rest nor to move may have been moved by a coarse fix alone.
    let isFast =
      state == .uncertain && length > settings.coarseJump + settings.fastestDrift * seconds
    guard hasMoved || isFast, seconds <= settings.longestGap else {
      rest(at: vertex, state)
      return nil
    }
    let changed = 1 - exp(-seconds / settings.errorMemory)
    let noise = (anchor.variance + vertex.variance) * (isResting ? 1 : changed)
    guard length * length > 4 * noise else {
      // Nearer than the errors tell: wait for the next one, or stay.
      if state != .moving { rest(at: vertex, state) }
      return nil
    }
    let ends = (anchor.variance + vertex.variance) / 2
    var next = Chord(
      start: anchor.time, end: vertex.time, vector: vector, length: length, noise: noise,
      ends: ends)
    var turn: Double?
    if !isResting, let chord { turn = next.turn(after: chord) }
    next.startTurn = turn
    defer {
      chord = next
      move(to: vertex, state)
    }
    usual.append(length / seconds)
    return chord.map { $0.step(endTurn: turn, settings, usual) }
  }

  private mutating func move(to vertex: Vertex, _ state: MovingState) {
    anchor = vertex
    hasMoved = state == .moving
    isResting = state == .stationary
  }

  /// Follows the time and, while nothing moves, the place.
  private mutating func rest(at vertex: Vertex, _ state: MovingState) {
    move(to: vertex, state)
    isResting = true
  }
}

extension Odometer {
  /// An estimate in the odometer's units.
  fileprivate struct Vertex: Hashable, Sendable {
    var time: Timestamp
    /// Earth-centred, metres.
    var position: SIMD3<Double>
    var radius: Double
    /// The variance along one axis, m².
    var variance: Double
  }

  /// The straight line between two estimates.
  fileprivate struct Chord: Hashable, Sendable {
    var start, end: Timestamp
    var vector: SIMD3<Double>
    var length: Double
    /// The variance along one axis of the difference of the errors of its ends, m².
    var noise: Double
    /// The mean variance of its ends, m².
    var ends: Double
    /// The angle at its start, radians; nil where nothing came before.
    var startTurn: Double?

    /// The angle from `before` to this chord, 0 to π, as far as the errors let it show.
    func turn(after before: Chord) -> Double {
      let cosine = (before.vector * vector).sum() / (before.length * length)
      let angle = acos(min(max(cosine, -1), 1))
      let shorter = min(before.length, length)
      let square = shorter * shorter
      return angle * square / (square + before.noise + noise)
    }

    /// The path along the chord.
    func step(endTurn: Double?, _ settings: Settings, _ usual: UsualSpeed) -> Step {
      let seconds = end.seconds(since: start)
      let turn = ((startTurn ?? endTurn ?? 0) + (endTurn ?? startTurn ?? 0)) / 2
      var excess = 0.0
      if turn > 0.05 {
        let whole = usual.speed * seconds
        let slow = max(0, settings.slowness - length / max(whole, length))
        excess =
          length * turn * turn * settings.winding
          + min(length * turn * turn * settings.windingPerSlowness * slow, whole - length, whole)
        excess = max(0, excess)
      }
      return Step(
        start: start, end: end, length: length + excess - noise / (16 * length), variance: ends,
        bias: settings.windingDeviation * excess + noise / (6 * length) + 0.004 * length)
    }
  }

  /// The speed at which the phone usually goes, and how steadily.
  fileprivate struct UsualSpeed: Hashable, Sendable {
    private var speeds = SIMD32<Float>.zero
    private var count = 0

    mutating func append(_ speed: Double) {
      speeds[count % 32] = Float(speed)
      count += 1
      // Once full, the number says no more than where the next one goes.
      if count == 64 { count = 32 }
    }

    /// The speed that three of four chords don't exceed, m/s.
    var speed: Double {
      let filled = min(count, 32)
      guard filled > 0 else { return 0 }
      let rank = 3 * filled / 4
      var best = Float.infinity
      for index in 0..<filled where speeds[index] < best {
        // Unused lanes are zero, and don't count.
        let below = speeds .<= speeds[index]
        var number = 0
        for lane in 0..<filled where below[lane] { number += 1 }
        if number > rank { best = speeds[index] }
      }
      return Double(best.isFinite ? best : speeds.max())
    }

    mutating func pass(through archive: inout StateArchive) {
      archive.pass(lanesOf: &speeds)
      archive.pass(&count, in: 0...63)
    }
  }
}

extension Odometer.Vertex {
  /// Nil for an estimate that says nothing.
  init?(_ estimate: LocationEstimate, _ settings: Odometer.Settings) {
    let plausibleSpeed = estimate.speed.map { $0 >= 0 && $0 <= settings.fastestSpeed } ?? true
    guard estimate.timestamp.isPlausible, abs(estimate.latitude) <= 90,
      estimate.longitude.isFinite, estimate.radius68 >= 0, estimate.radius68 <= 1e7,
      plausibleSpeed
    else { return nil }
    time = estimate.timestamp
    position = WGS84.earthCentred(latitude: estimate.latitude, longitude: estimate.longitude)
    radius = estimate.radius68
    variance = radius * radius / LocationEpoch.squaredRadius68
  }
}

extension Odometer: StateArchivable {
  /// All but the settings, which are the reader's.
  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&sum)
    archive.pass(&variance)
    archive.pass(&bias)
    archive.pass(&anchor)
    archive.pass(&isResting)
    archive.pass(&hasMoved)
    archive.pass(&chord)
    usual.pass(through: &archive)
  }
}

extension Odometer.Step: StateElement {
  package static let blank = Odometer.Step(
    start: .blank, end: .blank, length: 0, variance: 0, bias: 0)

  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&start)
    archive.pass(&end)
    archive.pass(&length)
    archive.pass(&variance)
    archive.pass(&bias)
  }
}

extension Odometer.Vertex: StateElement {
  fileprivate static let blank = Odometer.Vertex(
    time: .blank, position: .zero, radius: 0, variance: 0)

  fileprivate mutating func pass(through archive: inout StateArchive) {
    archive.pass(&time)
    archive.pass(&position)
    archive.pass(&radius)
    archive.pass(&variance)
  }
}

extension Odometer.Chord: StateElement {
  fileprivate static let blank = Odometer.Chord(
    start: .blank, end: .blank, vector: .zero, length: 0, noise: 0, ends: 0)

  fileprivate mutating func pass(through archive: inout StateArchive) {
    archive.pass(&start)
    archive.pass(&end)
    archive.pass(&vector)
    archive.pass(&length)
    archive.pass(&noise)
    archive.pass(&ends)
    archive.pass(&startTurn)
  }
}
