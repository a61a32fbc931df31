import Foundation

/// The reading of a body outside the server's loop, which meanwhile serves other clients.
///
/// Unchecked, because the outcome is only accessed under the lock.
final class HTTPReading: @unchecked Sendable {
  /// What was read, and what that has cost.
  struct Outcome: Sendable {
    let value: any Sendable
    /// The processor time of the reader's thread, seconds.
    let processorSeconds: Double
  }

  /// Whose body it is.
  let owner: Int
  let since = ContinuousClock.now
  fileprivate let order: HTTPTurns.Order
  private let lock = NSLock()
  private var state: Outcome?

  fileprivate init(of owner: Int, _ order: HTTPTurns.Order) {
    (self.owner, self.order) = (owner, order)
  }

  /// The outcome; nil until it is there.
  fileprivate(set) var outcome: Outcome? {
    get { lock.withLock { state } }
    set { lock.withLock { state = newValue } }
  }
}

/// The order in which owners get the readers: fair queueing by virtual start times.
///
/// Each further request of an owner is one turn behind the one before it, and none is before the
/// turn that runs. So an owner with many requests waits for their own, and nobody for ever.
struct HTTPTurns {
  /// The place of a request: its turn, and in the turn the order of arrival.
  struct Order: Comparable {
    fileprivate let turn: Int
    fileprivate let arrival: Int

    static func < (one: Order, other: Order) -> Bool {
      (one.turn, one.arrival) < (other.turn, other.arrival)
    }
  }

  private var turn = 0
  private var arrivals = 0
  /// The turn of the last request of each owner who is ahead of the turn that runs.
  private var last: [Int: Int] = [:]

  /// The place of a new request of an owner.
  mutating func order(for owner: Int) -> Order {
    let own = max(turn, last[owner].map { $0 + 1 } ?? 0)
    last[owner] = own
    arrivals += 1
    return Order(turn: own, arrival: arrivals)
  }

  /// Notes that a request is being read.
  mutating func begin(_ order: Order) {
    guard order.turn > turn else { return }
    turn = order.turn
    last = last.filter { $0.value >= turn }
  }
}

/// The threads that read bodies: of each lane at most so many at a time, and of each owner one.
///
/// Unchecked, because all is only accessed under the lock.
final class HTTPReadings: @unchecked Sendable {
  /// How busy the readers of a lane are.
  struct State: Sendable {
    /// The readers that read.
    var busy = 0
    /// The requests that wait for one.
    var waiting = 0
    /// The time since the oldest of all these came, seconds.
    var oldest = 0.0
  }

  private struct Lane {
    /// The readers that are free; of a queue of its own each, so that one that waits for the
    /// disk or the database takes no thread from another.
    var free: [DispatchQueue]
    var turns = HTTPTurns()
    var waiting: [(reading: HTTPReading, read: @Sendable () -> any Sendable)] = []
    var running: [HTTPReading] = []
  }

  /// How many requests of an owner may wait for a reader.
  private static let mostWaitingOfOwner = 8

  private let lock = NSLock()
  private var lanes: [HTTPLane: Lane]
  private let processorSeconds: @Sendable () -> Double

  /// - Parameters:
  ///   - counts: How many requests of each lane are read at a time.
  ///   - processorSeconds: The processor time of the calling thread.
  init(counts: [HTTPLane: Int], processorSeconds: @escaping @Sendable () -> Double) {
    self.processorSeconds = processorSeconds
    lanes = Dictionary(
      uniqueKeysWithValues: HTTPLane.allCases.map { lane in
        (
          lane,
          Lane(
            free: (0..<max(counts[lane] ?? 1, 1)).map { number in
              DispatchQueue(label: "\(lane) \(number)")
            })
        )
      })
  }

  /// Reads as soon as it is the owner's turn; nil when too many requests of the owner wait.
  func begin(
    _ lane: HTTPLane, of owner: Int, _ read: @escaping @Sendable () -> any Sendable
  ) -> HTTPReading? {
    lock.withLock {
      guard var state = lanes[lane],
        state.waiting.count(where: { $0.reading.owner == owner }) < Self.mostWaitingOfOwner
      else { return nil }
      let reading = HTTPReading(of: owner, state.turns.order(for: owner))
      state.waiting.append((reading, read))
      lanes[lane] = state
      beginNext(lane)
      return reading
    }
  }

  /// Forgets a reading for whose outcome nobody waits any more, unless it runs.
  func cancel(_ reading: HTTPReading) {
    lock.withLock {
      for lane in HTTPLane.allCases {
        lanes[lane]?.waiting.removeAll { $0.reading === reading }
      }
    }
  }

  /// How busy the readers of a lane are.
  func state(of lane: HTTPLane) -> State {
    let now = ContinuousClock.now
    return lock.withLock {
      guard let lane = lanes[lane] else { return State() }
      let all = lane.running + lane.waiting.map(\.reading)
      return State(
        busy: lane.running.count, waiting: lane.waiting.count,
        oldest: all.map(\.since).min().map { (now - $0) / .seconds(1) } ?? 0)
    }
  }

  /// Gives free readers to those whose turn it is; under the lock.
  private func beginNext(_ lane: HTTPLane) {
    guard var state = lanes[lane] else { return }
    while !state.free.isEmpty {
      // One at a time, as the next would wait for the first in the database.
      let owners = Set(state.running.map(\.owner))
      let next = state.waiting.indices.filter { !owners.contains(state.waiting[$0].reading.owner) }
        .min { state.waiting[$0].reading.order < state.waiting[$1].reading.order }
      guard let next else { break }
      let (reading, read) = state.waiting.remove(at: next)
      let queue = state.free.removeLast()
      state.running.append(reading)
      state.turns.begin(reading.order)
      queue.async { [self] in run(reading, read, lane, queue) }
    }
    lanes[lane] = state
  }

  private func run(
    _ reading: HTTPReading, _ read: @Sendable () -> any Sendable, _ lane: HTTPLane,
    _ queue: DispatchQueue
  ) {
    let start = processorSeconds()
    let value = read()
    let outcome = HTTPReading.Outcome(
      value: value, processorSeconds: processorSeconds() - start)
    lock.withLock {
      lanes[lane]?.running.removeAll { $0 === reading }
      lanes[lane]?.free.append(queue)
      beginNext(lane)
    }
    reading.outcome = outcome
  }
}
