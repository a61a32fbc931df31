import CAllocationCounter
import Foundation

/// The time of one iteration of an entry, and its allocations.
public struct Timing: Sendable {
  /// The entry's name.
  public var name: String
  /// Items per iteration.
  public var items: Int
  /// What the items are.
  public var unit: String
  /// Iterations in each timed sample.
  public var iterations: Int
  /// Wall-clock nanoseconds per iteration of each sample, ascending.
  public var nanoseconds: [Double]
  /// Processor nanoseconds of this thread per iteration of each sample, ascending.
  public var processorNanoseconds: [Double]
  /// Allocations per iteration after the warm-up; nil where they cannot be counted.
  public var allocations: Double?
  /// Bytes of heap that the entry holds once it is warm, its data included; nil where unknown.
  public var heldBytes: Int?
  /// Whether the entry must not allocate.
  public var isAllocationFree: Bool
  /// Processor time divided by that of the base, the median over rounds; nil but in comparisons.
  public var ratio: Double?
  /// The same for wall-clock times, which count when there are several threads.
  public var wallRatio: Double?

  /// The middle sample's wall-clock nanoseconds per iteration.
  public var median: Double { Self.median(of: nanoseconds) }
  /// The fastest sample's wall-clock nanoseconds per iteration.
  public var minimum: Double { nanoseconds.first ?? .nan }
  /// The middle sample's processor nanoseconds per iteration.
  public var processorMedian: Double { Self.median(of: processorNanoseconds) }

  /// Whether the entry meets its allocation limit, as far as allocations can be counted here.
  public var keepsPromise: Bool { !isAllocationFree || (allocations ?? 0) == 0 }

  static func median(of sorted: [Double]) -> Double {
    guard !sorted.isEmpty else { return .nan }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : 0.5 * (sorted[middle - 1] + sorted[middle])
  }
}

/// Measures entries: warm-up, then samples of equal work.
public struct Stopwatch: Sendable {
  /// How many timed samples are taken of each entry.
  public var samples: Int
  /// Each sample repeats the work until it lasts this long, seconds.
  public var sampleLength: Double

  /// 15 samples of 20 ms.
  public static let thorough = Stopwatch(samples: 15, sampleLength: 0.02)
  /// 5 samples of 2 ms, to check that everything runs.
  public static let quick = Stopwatch(samples: 5, sampleLength: 0.002)

  /// Work that takes longer than this, seconds, is sampled five times and not repeated.
  private static let longWork = 0.5

  /// Measures one entry by itself.
  public func measure(_ entry: Entry) -> Timing {
    measure([entry])[0]
  }

  /// Measures entries in turns, one sample of each per round; ratios are to the first.
  public func measure(_ comparison: Comparison) -> [Timing] {
    measure(comparison.entries).map { timing in
      var timing = timing
      timing.name = comparison.name + "/" + timing.name
      return timing
    }
  }

  private func measure(_ entries: [Entry]) -> [Timing] {
    var held: [Int?] = []
    var counts: [Int?] = []
    let works = entries.map { entry in
      let before = Self.heldBytes
      let work = entry.prepare()
      counts.append(iterations(of: work))
      held.append(before.flatMap { before in Self.heldBytes.map { $0 - before } })
      return work
    }
    var timings = zip(entries, works).enumerated().map { index, pair in
      Timing(
        name: pair.0.name, items: pair.0.items, unit: pair.0.unit,
        iterations: counts[index] ?? 1, nanoseconds: [], processorNanoseconds: [],
        allocations: Self.allocations(of: pair.1, repeated: counts[index] == nil ? 1 : 5),
        heldBytes: held[index],
        isAllocationFree: pair.0.isAllocationFree)
    }
    for _ in 0..<(counts.contains(nil) ? min(samples, 5) : samples) {
      for (index, work) in works.enumerated() {
        let taken = Self.sample(of: work, repeated: timings[index].iterations)
        timings[index].nanoseconds.append(taken.wall)
        timings[index].processorNanoseconds.append(taken.processor)
      }
    }
    let (base, wallBase) = (timings[0].processorNanoseconds, timings[0].nanoseconds)
    for index in timings.indices {
      if index > 0 {
        timings[index].ratio = Self.ratio(timings[index].processorNanoseconds, to: base)
        timings[index].wallRatio = Self.ratio(timings[index].nanoseconds, to: wallBase)
      }
      timings[index].nanoseconds.sort()
      timings[index].processorNanoseconds.sort()
    }
    return timings
  }

  /// The median over the rounds of one entry's times divided by another's.
  private static func ratio(_ times: [Double], to base: [Double]) -> Double {
    Timing.median(of: zip(times, base).map { $0 / $1 }.sorted())
  }

  /// Warms `work` up, and returns how often it must be repeated to fill a sample.
  public func repetitions(of work: () -> Void) -> Int { iterations(of: work) ?? 1 }

  /// Wall-clock and processor nanoseconds per call of `work`.
  public static func sample(
    of work: () -> Void, repeated count: Int
  ) -> (wall: Double, processor: Double) {
    let processor = processorSeconds()
    let start = ContinuousClock.now
    for _ in 0..<count { work() }
    let elapsed = seconds(ContinuousClock.now - start)
    let used = processorSeconds() - processor
    return (elapsed * 1e9 / Double(count), used * 1e9 / Double(count))
  }

  /// Warms the work up and finds how often it must be repeated to fill a sample; nil for long work.
  private func iterations(of work: () -> Void) -> Int? {
    var count = 1
    while true {
      let start = ContinuousClock.now
      for _ in 0..<count { work() }
      let elapsed = Self.seconds(ContinuousClock.now - start)
      if count == 1, elapsed > Self.longWork { return nil }
      if elapsed >= 0.5 * sampleLength, count > 1 {
        return max(1, Int((Double(count) * sampleLength / elapsed).rounded()))
      }
      count *= elapsed < 0.05 * sampleLength ? 8 : 2
    }
  }

  /// Allocations per call of `work`; nil where they cannot be counted.
  static func allocations(of work: () -> Void, repeated count: Int) -> Double? {
    guard allocation_counter_supported() == 1 else { return nil }
    let before = allocation_counter_count()
    for _ in 0..<count { work() }
    return Double(allocation_counter_count() - before) / Double(count)
  }

  private static var heldBytes: Int? {
    let held = allocation_counter_held_bytes()
    return held < 0 ? nil : held
  }

  private static func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
  }

  private static func processorSeconds() -> Double {
    var time = timespec()
    guard unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { return .nan }
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}

/// Whether allocations are counted here, and whether the counter detects a known allocation.
public enum AllocationControl: Sendable {
  /// No counting: not glibc, or under a sanitizer.
  case unsupported
  /// An iteration that makes one array was counted as one allocation.
  case passed
  /// It was not: the counts are not reliable.
  case failed(counted: Double)

  /// Runs the positive control.
  public static func run() -> AllocationControl {
    var length = 10
    let work = {
      length += 1
      blackHole(Array(repeating: 1.0, count: length).withSpan { $0[length - 1] })
    }
    let counted = Stopwatch.allocations(of: work, repeated: 5)
    guard let counted else { return .unsupported }
    return counted == 1 ? .passed : .failed(counted: counted)
  }
}

extension Array {
  @inline(never)
  fileprivate func withSpan<Result>(_ body: (Span<Element>) -> Result) -> Result { body(span) }
}

/// Uses `value`, so that the optimizer cannot remove its computation.
public func blackHole(_ value: Double) { allocation_counter_consume(value) }

/// Uses `value`, so that the optimizer cannot remove its computation.
public func blackHole(_ value: Float) { allocation_counter_consume(Double(value)) }

/// Uses `value`, so that the optimizer cannot remove its computation.
public func blackHole(_ value: Int) { allocation_counter_consume(Double(value)) }
