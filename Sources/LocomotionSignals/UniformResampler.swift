public import LocomotionSensing

/// Puts three-axis samples that come at any rate onto a uniform grid.
///
/// Time is cut into cells of one grid period, [kT, (k+1)T). The value of a cell is the mean over
/// it of the straight lines that join neighbouring samples. At rates below the grid's this is
/// linear interpolation, slightly smoothed; above it is a box filter that ends most aliasing. The
/// frequency response at the grid's rate is sinc(f T) times that of the interpolation: −0.6 dB at
/// 20 Hz on a 100 Hz grid.
///
/// The grid is tied to the clock's zero, not to the first sample: the same sample gives the same
/// cells wherever a recording or a batch begins.
///
/// ## Faults
/// Every sample gets a ``Verdict`` and is counted in ``counts``.
/// - A step in time longer than `longestGap` is a gap: nothing is interpolated across it, and the
///   ring begins anew.
/// - The first sample after a gap is held until a neighbour confirms it, so that one damaged
///   timestamp can't displace the clock.
/// - Samples that run backwards are dropped, until they have gone forward on their own time line
///   for `clockResetAfter`: then the clock was set back, and that line is taken.
///
/// - Complexity: O(1) per sample and cell; allocates nothing.
public struct UniformResampler: Sendable, Hashable, Codable {
  /// How samples are judged and gridded.
  public struct Settings: Sendable, Hashable, Codable {
    /// The grid's period, nanoseconds; 10,000,000 for 100 Hz.
    public var period: Int64 = 10_000_000
    /// The longest step between samples that is interpolated, nanoseconds.
    public var longestGap: Int64 = 250_000_000
    /// How long a time line that was set back must run before it is taken, nanoseconds.
    public var clockResetAfter: Int64 = 1_000_000_000
    /// A component of at least this magnitude is counted as saturated; 0 counts none.
    ///
    /// The default is 99.5 % of 16 standard gravities, the widest range of phones' accelerometers.
    public var saturationLevel: Float = 156.1
    /// A sample with a component beyond this magnitude is dropped.
    public var largestComponent: Float = 1_000

    /// The defaults, for accelerations in m/s² on a 100 Hz grid.
    public init() {}
  }

  /// What becomes of a sample.
  public enum Verdict: Hashable, Sendable {
    /// It follows the sample before it.
    case continues
    /// It confirms the sample that was held, and both begin a new stretch.
    case begins
    /// It may be the first of a new stretch and waits for a neighbour.
    case held
    /// It is not used.
    case dropped(IntakeCounts.DropReason)
  }

  private struct Sample: Sendable, Hashable, Codable {
    var nanoseconds: Int64
    var value: SIMD4<Float>
  }

  /// How samples are judged and gridded.
  public let settings: Settings
  /// What became of the samples so far.
  public private(set) var counts = IntakeCounts()
  /// The index of the first cell that isn't complete: its start is `nextCell` × period.
  public private(set) var nextCell: Int64 = 0

  /// The newest sample of the current stretch.
  private var newest: Sample?
  private var held: Sample?
  /// The integral over the part of `nextCell` that is known, value × seconds of the cell.
  private var partial = SIMD4<Float>.zero
  /// First and last time of a run of samples that are earlier than `newest`.
  private var reversedRun: ClosedRange<Int64>?

  /// A resampler that has seen nothing.
  ///
  /// - Precondition: the period is positive and no longer than the longest gap.
  public init(settings: Settings = Settings()) {
    precondition(
      settings.period > 0 && settings.period <= settings.longestGap,
      "expected a period of 1 to \(settings.longestGap) ns, got \(settings.period)")
    self.settings = settings
  }

  /// When the held first sample of a new stretch was taken.
  public var heldTimestamp: Timestamp? { held.map { Timestamp(nanoseconds: $0.nanoseconds) } }

  /// Judges one sample and counts it.
  ///
  /// After `.begins`, call ``beginStretch(in:)``; after `.begins` or `.continues`, call
  /// ``append(x:y:z:at:to:)`` with the sample. Between the two a caller can finish what belongs to
  /// the time before.
  public mutating func judge(x: Float, y: Float, z: Float, at timestamp: Timestamp) -> Verdict {
    counts.received += 1
    let magnitude = max(abs(x), abs(y), abs(z))
    guard x.isFinite, y.isFinite, z.isFinite else { return drop(.notFinite) }
    guard magnitude <= settings.largestComponent, timestamp.isPlausible else {
      return drop(.outOfRange)
    }
    let verdict = judge(timestamp.nanoseconds)
    if case .dropped(let reason) = verdict { return drop(reason) }
    if verdict == .held { held = Sample(nanoseconds: timestamp.nanoseconds, value: [x, y, z, 0]) }
    reversedRun = nil
    counts.kept += 1
    if settings.saturationLevel > 0, magnitude >= settings.saturationLevel {
      counts.saturated += 1
    }
    return verdict
  }

  /// Judges a time alone.
  private mutating func judge(_ time: Int64) -> Verdict {
    if let newest {
      if time == newest.nanoseconds { return .dropped(.duplicate) }
      if time > newest.nanoseconds, time - newest.nanoseconds <= settings.longestGap {
        releaseHeld()
        return .continues
      }
    }
    if let held {
      if time == held.nanoseconds { return .dropped(.duplicate) }
      if time > held.nanoseconds, time - held.nanoseconds <= settings.longestGap {
        return .begins
      }
    }
    if let newest, time < newest.nanoseconds {
      guard let run = reversedRun, time > run.upperBound else {
        reversedRun = time...time
        return .dropped(.outOfOrder)
      }
      reversedRun = run.lowerBound...time
      guard time - run.lowerBound >= settings.clockResetAfter else {
        return .dropped(.outOfOrder)
      }
      counts.clockResets += 1
    }
    releaseHeld()
    return .held
  }

  /// Gives up the held sample, which had no neighbour.
  private mutating func releaseHeld() {
    guard held != nil else { return }
    held = nil
    counts.kept -= 1
    counts.drop(.isolated)
  }

  private mutating func drop(_ reason: IntakeCounts.DropReason) -> Verdict {
    counts.drop(reason)
    return .dropped(reason)
  }

  /// Begins a new stretch at the held sample and empties `ring`.
  ///
  /// - Precondition: the last verdict was `.begins`.
  public mutating func beginStretch(in ring: inout SampleRing) {
    guard let first = held else { preconditionFailure("no sample is held") }
    if newest != nil { counts.gaps += 1 }
    ring.removeAll()
    newest = first
    held = nil
    partial = .zero
    nextCell = cell(after: first.nanoseconds)
  }

  /// Appends the cells that end at or before `timestamp` to `ring`, lane 3 holding the norm.
  ///
  /// - Precondition: the last verdict on this sample was `.continues` or `.begins`.
  public mutating func append(
    x: Float, y: Float, z: Float, at timestamp: Timestamp, to ring: inout SampleRing
  ) {
    guard let first = newest else { preconditionFailure("no stretch has begun") }
    let last = Sample(nanoseconds: timestamp.nanoseconds, value: [x, y, z, 0])
    let slope = (last.value - first.value) / Float(last.nanoseconds - first.nanoseconds)
    var from = max(first.nanoseconds, nextCell * settings.period)
    while true {
      let end = (nextCell + 1) * settings.period
      let to = min(end, last.nanoseconds)
      guard to > from || to == end else { break }
      // The mean of a straight line over an interval is its value in the middle.
      let middle = Float((from - first.nanoseconds) + (to - first.nanoseconds)) * 0.5
      let share = Float(to - from) / Float(settings.period)
      partial += (first.value + slope * middle) * share
      guard to == end else { break }
      partial.w = (partial.x * partial.x + partial.y * partial.y + partial.z * partial.z)
        .squareRoot()
      ring.append(partial)
      partial = .zero
      nextCell += 1
      from = end
    }
    newest = last
  }

  /// Judges a sample and, when it is used, appends the cells that it completes to `ring`.
  public mutating func resample(
    x: Float, y: Float, z: Float, at timestamp: Timestamp, into ring: inout SampleRing
  ) -> Verdict {
    let verdict = judge(x: x, y: y, z: z, at: timestamp)
    if verdict == .begins { beginStretch(in: &ring) }
    if verdict == .begins || verdict == .continues {
      append(x: x, y: y, z: z, at: timestamp, to: &ring)
    }
    return verdict
  }

  /// Forgets the samples and keeps the counts.
  public mutating func reset() {
    releaseHeld()
    newest = nil
    partial = .zero
    nextCell = 0
    reversedRun = nil
  }

  /// The first cell that starts at or after `time`.
  private func cell(after time: Int64) -> Int64 {
    let (quotient, remainder) = time.quotientAndRemainder(dividingBy: settings.period)
    return remainder > 0 ? quotient + 1 : quotient
  }
}
