internal import CLocomotionMath

/// Resamples three-axis samples of any rate to a uniform grid, and holds the newest cells, of which
/// windows are cut.
///
/// Time is cut into cells of one grid period, [kT, (k+1)T). The value of a cell is the mean over it
/// of the straight lines that join neighbouring samples. At rates below the grid's this is linear
/// interpolation, slightly smoothed; above it is a box filter that suppresses most aliasing. The
/// frequency response at the grid's rate is sinc(f T) times that of the interpolation: −0.6 dB at
/// 20 Hz on a 100 Hz grid.
///
/// The grid is tied to the clock's zero, not to the first sample: the same sample gives the same
/// cells wherever a recording or a batch begins.
///
/// ## Faults
/// Every sample gets a ``Verdict`` and is counted in ``counts``.
/// - A step in time longer than `longestGap` is a gap: no straight line is drawn across it. One of
///   at most `longestBridge` is filled from the signal before it (``bridge()``); a longer one ends
///   the stretch, whose cells are forgotten.
/// - The first sample after a gap is held until a second one within `longestGap` confirms it, so
///   that one damaged timestamp can't shift the clock.
/// - Samples that run backwards are dropped, until they have advanced for `clockResetAfter` without
///   a gap: then the clock was set back, and the new time line is adopted.
///
/// ## Accuracy
/// The arithmetic is Float. With n line segments in a cell, each component is within (n/2 + 8) ε of
/// the exact mean, relative to the largest magnitude among the joined samples
/// (`UniformResamplerAccuracyTests`).
///
/// - Complexity: O(1) per sample and cell; allocates nothing.
public struct UniformResampler: Sendable, StateArchivable {
  /// How samples are validated and resampled.
  public struct Settings: Sendable {
    /// The grid's period, nanoseconds; 10,000,000 for 100 Hz.
    public var period: Int64 = 10_000_000
    /// The longest step between samples that is interpolated, nanoseconds; at most an hour.
    public var longestGap: Int64 = 250_000_000
    /// The longest gap that is filled, nanoseconds; at most an hour, and 0 fills none.
    ///
    /// Phones pause: a recorder flushes its file for half a second, packets get lost. Pauses of
    /// three seconds leave two of a window of five as they were observed.
    public var longestBridge: Int64 = 3_500_000_000
    /// How long a time line that was set back must advance before it is adopted, nanoseconds.
    public var clockResetAfter: Int64 = 1_000_000_000
    /// A component of at least this magnitude is counted as saturated; 0 counts none.
    ///
    /// The default is 99.5 % of 16 standard gravities, the widest range of phones' accelerometers.
    public var saturationLevel: Float = 156.1
    /// A sample with a component beyond this magnitude is dropped; at most 10¹⁵, so that the norm
    /// stays finite.
    public var largestComponent: Float = 1_000

    /// The defaults, for accelerations in m/s² on a 100 Hz grid.
    public init() {}

    fileprivate func isSaturated(_ value: SIMD4<Float>) -> Bool {
      saturationLevel > 0 && value.magnitude >= saturationLevel
    }

    /// A description of the invalid setting, or nil.
    fileprivate var fault: String? {
      let hour: Int64 = 3_600_000_000_000
      guard longestGap <= hour else {
        return "expected a longest gap of at most \(hour) ns, got \(longestGap)"
      }
      guard longestBridge >= 0, longestBridge <= hour else {
        return "expected a longest bridge of 0 to \(hour) ns, got \(longestBridge)"
      }
      guard period > 0, period <= longestGap else {
        return "expected a period of 1 to \(longestGap) ns, got \(period)"
      }
      guard largestComponent > 0, largestComponent <= 1e15 else {
        return "expected a largest component of 0 to 1e15, got \(largestComponent)"
      }
      return nil
    }
  }

  /// The validation result of a sample.
  public enum Verdict: Hashable, Sendable {
    /// It follows the sample before it.
    case continues
    /// It confirms the sample that was held, and both begin a new stretch.
    case begins
    /// It confirms the sample that was held, and both go on behind a gap that can be filled.
    case resumes
    /// It may be the first of a new stretch and is held until the next sample.
    case held
    /// It is not used.
    case dropped(IntakeCounts.DropReason)
  }

  private struct Sample: Sendable, StateElement {
    var nanoseconds: Int64
    var value: SIMD4<Float>

    static let blank = Sample(nanoseconds: 0, value: .zero)

    mutating func pass(through archive: inout StateArchive) {
      archive.pass(&nanoseconds, &value)
    }
  }

  /// How samples are validated and resampled.
  public let settings: Settings
  /// The counts of the samples so far.
  public private(set) var counts = IntakeCounts()
  /// The index of the first cell that isn't complete: its start is `nextCell` × period.
  public private(set) var nextCell: Int64 = 0

  /// The newest cells, lane 3 holding the norm.
  private var ring: SampleRing
  /// The newest sample of the current stretch.
  private var newest: Sample?
  private var held: Sample?
  /// The integral over the part of `nextCell` that is known, divided by the period.
  private var partial = SIMD4<Float>.zero
  /// First and last time of a run of samples that are earlier than `newest`.
  private var reversedRun: ClosedRange<Int64>?

  /// A resampler without samples that holds up to `capacity` cells.
  ///
  /// - Precondition: 0 < period ≤ longest gap ≤ one hour, 0 < largest component ≤ 10¹⁵, and the
  ///   capacity is positive.
  public init(settings: Settings = Settings(), capacity: Int = 1024) {
    if let fault = settings.fault { preconditionFailure(fault) }
    self.settings = settings
    ring = SampleRing(capacity: capacity)
  }

  /// Cells that can be held; when set, those that are held are forgotten.
  public var capacity: Int {
    get { ring.capacity }
    set { ring = SampleRing(capacity: newValue) }
  }

  /// The number of cells that are held, all just before ``nextCell``.
  public var count: Int { ring.count }

  /// The number of cells that are held before the cell `end`.
  public func count(before end: Int64) -> Int {
    Int(max(0, Int64(ring.count) - max(0, nextCell - end)))
  }

  /// Calls `body` with the newest cells before the cell `end`, as many as are held up to `length`.
  public func withCells<Result>(
    before end: Int64, atMost length: Int, _ body: (Span<SIMD4<Float>>) -> Result
  ) -> Result {
    let available = count(before: end)
    let count = min(length, available)
    return ring.withLatest(count + ring.count - available) { body($0.extracting(first: count)) }
  }

  /// When the held first sample of a new stretch was taken.
  public var heldTimestamp: Timestamp? { held.map { Timestamp(nanoseconds: $0.nanoseconds) } }

  /// Validates one sample and counts it.
  ///
  /// After `.begins`, call ``beginStretch()``, after `.resumes` ``bridge()``; after them and after
  /// `.continues`, call ``append(x:y:z:at:)`` with the sample. Between the two a caller can
  /// complete the stretch before.
  public mutating func validate(x: Float, y: Float, z: Float, at timestamp: Timestamp) -> Verdict {
    counts.received += 1
    guard x.isFinite, y.isFinite, z.isFinite else { return drop(.notFinite) }
    let sample = Sample(nanoseconds: timestamp.nanoseconds, value: SIMD4(x, y, z, 0))
    guard sample.value.magnitude <= settings.largestComponent, timestamp.isPlausible else {
      return drop(.outOfRange)
    }
    let verdict = validate(timestamp.nanoseconds)
    if case .dropped(let reason) = verdict { return drop(reason) }
    if verdict == .held { held = sample }
    reversedRun = nil
    counts.kept += 1
    if settings.isSaturated(sample.value) { counts.saturated += 1 }
    return verdict
  }

  /// Validates a timestamp alone.
  private mutating func validate(_ time: Int64) -> Verdict {
    if let newest {
      if time == newest.nanoseconds { return .dropped(.duplicate) }
      if isNeighbour(time, after: newest) {
        releaseHeld()
        return .continues
      }
    }
    if let held {
      if time == held.nanoseconds { return .dropped(.duplicate) }
      if isNeighbour(time, after: held) {
        return newest.map { canBridge(from: $0, to: held) } ?? false ? .resumes : .begins
      }
    }
    if let newest, time < newest.nanoseconds, let reason = reasonAgainstReset(at: time) {
      return .dropped(reason)
    }
    releaseHeld()
    return .held
  }

  private func isNeighbour(_ time: Int64, after sample: Sample) -> Bool {
    time > sample.nanoseconds && time - sample.nanoseconds <= settings.longestGap
  }

  private func canBridge(from first: Sample, to last: Sample) -> Bool {
    last.nanoseconds > first.nanoseconds
      && last.nanoseconds - first.nanoseconds <= settings.longestBridge
  }

  /// Extends the run of timestamps earlier than `newest`; returns nil when the clock was set back.
  ///
  /// A duplicate or a late sample inside the run does not break it: the new time line may have the
  /// same faults as the old one.
  private mutating func reasonAgainstReset(at time: Int64) -> IntakeCounts.DropReason? {
    guard let run = reversedRun, time >= run.lowerBound,
      time - run.upperBound <= settings.longestGap
    else {
      reversedRun = time...time
      return .outOfOrder
    }
    if time == run.upperBound { return .duplicate }
    guard time > run.upperBound else { return .outOfOrder }
    reversedRun = run.lowerBound...time
    return time - run.lowerBound >= settings.clockResetAfter ? nil : .outOfOrder
  }

  /// Drops the held sample, which is isolated.
  private mutating func releaseHeld() {
    guard let sample = held else { return }
    held = nil
    counts.kept -= 1
    if settings.isSaturated(sample.value) { counts.saturated -= 1 }
    counts.drop(.isolated)
  }

  private mutating func drop(_ reason: IntakeCounts.DropReason) -> Verdict {
    counts.drop(reason)
    return .dropped(reason)
  }

  /// Begins a new stretch at the held sample, and forgets the cells of the one before.
  ///
  /// - Precondition: the last verdict was `.begins`.
  public mutating func beginStretch() {
    guard let first = held else { preconditionFailure("no sample is held") }
    if let newest {
      if first.nanoseconds > newest.nanoseconds {
        counts.gaps += 1
      } else {
        counts.clockResets += 1
      }
    }
    ring.removeAll()
    newest = first
    held = nil
    partial = .zero
    nextCell = cell(after: first.nanoseconds)
  }

  /// Fills the gap before the held sample from the signal before it, and returns the cells that are
  /// filled.
  ///
  /// - Precondition: the last verdict was `.resumes`.
  public mutating func bridge() -> Range<Int64> {
    guard let first = held else { preconditionFailure("no sample is held") }
    let filled = nextCell..<max(nextCell, cell(after: first.nanoseconds))
    ring.appendContinuation(count: filled.count, to: first.value)
    newest = first
    held = nil
    partial = .zero
    nextCell = filled.upperBound
    counts.bridgedGaps += 1
    return filled
  }

  /// Appends the cells that end at or before `timestamp`, the time of the sample.
  ///
  /// - Precondition: the last verdict on this sample was `.continues`, `.begins` or `.resumes`.
  public mutating func append(x: Float, y: Float, z: Float, at timestamp: Timestamp) {
    guard let first = newest else { preconditionFailure("no stretch has begun") }
    var line = Line(first: first, partial: partial, nextCell: nextCell)
    line.join(
      to: Sample(nanoseconds: timestamp.nanoseconds, value: SIMD4(x, y, z, 0)),
      period: settings.period
    ) { ring.append($1) }
    newest = line.first
    partial = line.partial
    nextCell = line.nextCell
  }

  /// Appends the samples of `series` from `first` on, for as long as each continues the one before
  /// it and is earlier than `limit`, and returns their number.
  ///
  /// The same as ``validate(x:y:z:at:)`` and ``append(x:y:z:at:)`` for each of them, in a fraction
  /// of the time. None is taken while a sample is held or before a stretch has begun.
  public mutating func appendRun(
    of series: SensorBatch.Series, from first: Int, before limit: Timestamp
  ) -> Int {
    guard let start = newest, held == nil else { return 0 }
    var run = Run(line: Line(first: start, partial: partial, nextCell: nextCell))
    let limit = min(limit.nanoseconds, Timestamp.limit)
    let (range, settings) = (first..<series.count, settings)
    let (x, y, z) = (series.x[range], series.y[range], series.z[range])
    let timestamps = series.timestamps[range]
    repeat {
      ring.append(room: run.needsRoom ? max(1, ring.capacity / 4) : 1) { memory, place in
        run.take(
          x: x.span, y: y.span, z: z.span, at: timestamps.span, before: limit, settings,
          into: &memory, at: place)
      }
    } while run.needsRoom
    guard run.taken > 0 else { return 0 }
    newest = run.line.first
    partial = run.line.partial
    nextCell = run.line.nextCell
    reversedRun = nil
    counts.received += run.taken
    counts.kept += run.taken
    counts.saturated += run.saturated
    return run.taken
  }

  /// A run of continuing samples, which need no further validation.
  private struct Run {
    var line: Line
    var taken = 0
    var saturated = 0
    /// Whether the run ended only for lack of room for cells.
    var needsRoom = false

    /// Integrates samples for as long as they continue the run and their cells have room, and
    /// returns the number of completed cells.
    mutating func take(
      x: Span<Float>, y: Span<Float>, z: Span<Float>, at timestamps: Span<Timestamp>,
      before limit: Int64, _ settings: Settings,
      into memory: inout MutableSpan<SIMD4<Float>>, at place: Int
    ) -> Int {
      needsRoom = false
      let largest = settings.largestComponent
      var line = line
      let firstCell = line.nextCell
      // A sample before this time completes no more cells than there is room for.
      let full = (firstCell + Int64(memory.count - place)) * settings.period
      for index in taken..<timestamps.count {
        let last = Sample(
          nanoseconds: timestamps[index].nanoseconds, value: SIMD4(x[index], y[index], z[index], 0))
        let step = last.nanoseconds &- line.first.nanoseconds
        // Compared one by one, because a maximum of three could drop a NaN.
        guard step > 0, step <= settings.longestGap, last.nanoseconds < limit,
          abs(x[index]) <= largest, abs(y[index]) <= largest, abs(z[index]) <= largest
        else { break }
        guard last.nanoseconds < full else {
          // A sample whose cells don't fit even then is left to `append(x:y:z:at:)`.
          needsRoom = line.nextCell > firstCell
          break
        }
        if settings.isSaturated(last.value) { saturated += 1 }
        line.join(to: last, period: settings.period) { cell, value in
          memory[place &+ Int(cell &- firstCell)] = value
        }
        taken += 1
      }
      self.line = line
      return Int(line.nextCell - firstCell)
    }
  }

  /// The linear interpolation from the newest sample on, and its integral over the open cell.
  private struct Line {
    var first: Sample
    var partial: SIMD4<Float>
    var nextCell: Int64

    /// Integrates the line to the next sample; `complete` receives the cells that end by then.
    @inline(__always)
    mutating func join(
      to last: Sample, period: Int64, complete: (Int64, SIMD4<Float>) -> Void
    ) {
      // Differences of plausible timestamps can't overflow.
      let length = last.nanoseconds &- first.nanoseconds
      let slope = (last.value - first.value) / Float(length)
      var start = nextCell &* period
      var from = max(first.nanoseconds, start)
      while from < last.nanoseconds {
        let end = start &+ period
        let to = min(end, last.nanoseconds)
        // The mean of a line over an interval is its value at the midpoint.
        let middle = Float((from &- first.nanoseconds) &+ (to &- first.nanoseconds)) * 0.5
        let fraction = Float(to &- from) / Float(period)
        // C functions stay vectorised here; operators are split into lanes, at twice the cost.
        let mean = product(slope, SIMD4(repeating: middle), plus: first.value)
        partial = product(mean, SIMD4(repeating: fraction), plus: partial)
        if to == end {
          partial.w = (partial * partial).sum().squareRoot()
          complete(nextCell, partial)
          partial = .zero
          nextCell &+= 1
          start = end
        }
        from = to
      }
      first = last
    }
  }

  /// Validates a sample and, when it is used, appends the cells that it completes.
  public mutating func take(x: Float, y: Float, z: Float, at timestamp: Timestamp) -> Verdict {
    let verdict = validate(x: x, y: y, z: z, at: timestamp)
    switch verdict {
    case .held, .dropped: return verdict
    case .begins: beginStretch()
    case .resumes: _ = bridge()
    case .continues: break
    }
    append(x: x, y: y, z: z, at: timestamp)
    return verdict
  }

  /// Drops samples and cells, and keeps the counts.
  public mutating func reset() {
    releaseHeld()
    newest = nil
    partial = .zero
    nextCell = 0
    reversedRun = nil
    ring.removeAll()
  }

  /// Whether a restored state can be gone on with.
  private var isSound: Bool {
    let times = [
      newest?.nanoseconds, held?.nanoseconds, reversedRun?.lowerBound, reversedRun?.upperBound,
    ].compactMap { $0 }
    let values = [newest?.value, held?.value, 0.5 * partial].compactMap { $0 }
    // The magnitude of the least integer isn't one.
    guard nextCell > .min, times.allSatisfy({ Timestamp(nanoseconds: $0).isPlausible }),
      values.allSatisfy({ $0.magnitude <= settings.largestComponent })
    else { return false }
    guard let newest else { return abs(nextCell) <= Timestamp.limit / settings.period }
    // The newest sample lies in the open cell, or before it when the stretch has just begun.
    let last = cell(after: newest.nanoseconds)
    return nextCell == last || nextCell == last - 1
  }

  /// The first cell that starts at or after `time`.
  private func cell(after time: Int64) -> Int64 {
    Timestamp(nanoseconds: time).firstInterval(of: settings.period)
  }

  /// The counts, the state and the cells; the settings are the reader's.
  package mutating func pass(through archive: inout StateArchive) {
    archive.pass(&counts, &nextCell, &newest, &held, &partial)
    var run = reversedRun.map { SIMD2($0.lowerBound, $0.upperBound) }
    archive.pass(&run)
    archive.require(run.map { $0.x <= $0.y } ?? true)
    if archive.isReading, !archive.isDamaged {
      reversedRun = run.map { $0.x...$0.y }
      archive.require(isSound)
    }
    archive.pass(&ring)
  }
}

extension SIMD4<Float> {
  /// The largest magnitude of a component on the three axes.
  fileprivate var magnitude: Float { Swift.max(abs(x), abs(y), abs(z)) }
}
