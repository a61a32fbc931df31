internal import CLocomotionMath

/// The features of a course by fixes: speeds, their changes, halts and turns, over the last two
/// minutes and over the leg; see ``schema``.
///
/// What tells modes apart is the course of a leg: a runner's speed is steady, a cyclist coasts, a
/// car turns at corners and leaves lights quickly, a train does neither and halts at stations. The
/// last two minutes follow changes.
///
/// Features are finite for every course.
///
/// - Complexity: O(n log n) for n steps; allocates nothing after the first call.
public struct TrackFeatureExtractor: Sendable {
  /// The duration of the recent part, seconds.
  static let recentSeconds = 120.0
  /// The longest part of a leg that counts, seconds.
  static let legSeconds = 1800.0
  /// The most that one step counts, seconds.
  private static let longestCount: Float = 120
  /// How many of the features are of the recent part.
  private static let recentCount = (schema.count - 3) / 2

  /// The features of the last call, in the order of ``schema``.
  package private(set) var features: ContiguousArray<Float>
  private var speeds: [Float] = []
  /// The steps that are described, while they are.
  private var steps: ArraySlice<TrackStep> = []
  /// The sum of the lengths of ``steps``, metres.
  private var way: Float = 0
  /// The place of the next feature.
  private var place = 0
  /// Values to be sorted, with their weights.
  private var pairs: [SIMD2<Float>] = []

  /// An extractor without features.
  public init() {
    features = ContiguousArray(repeating: 0, count: Self.schema.count)
  }

  /// Computes the features at the newest step of `history`, which has one.
  package mutating func extract(from history: TrackHistory) {
    guard let end = history.steps.last?.end else { return }
    func first(within seconds: Double) -> Int {
      var first = history.steps.count - 1
      while first > 0, end.seconds(since: history.steps[first - 1].end) < seconds { first -= 1 }
      return first
    }
    let last = history.steps.count - 1
    let leg = min(last, max(history.legStart, first(within: Self.legSeconds)))
    describe(recent: history.steps[first(within: Self.recentSeconds)...], history)
    describe(leg: history.steps[leg...], history)
  }

  /// Computes the features of the steps around one, by the speeds that `history` gives them.
  ///
  /// - Precondition: there is a step.
  mutating func describe(recent part: ArraySlice<TrackStep>, _ history: TrackHistory) {
    place = 0
    load(part, history)
    measureCourse()
    steps = []  // Or the history would be copied when it changes.
  }

  /// Computes the features of a leg; otherwise like ``describe(recent:_:)``.
  mutating func describe(leg part: ArraySlice<TrackStep>, _ history: TrackHistory) {
    place = Self.recentCount
    load(part, history)
    measureCourse()
    measureLeg()
    steps = []
  }

  private mutating func load(_ part: ArraySlice<TrackStep>, _ history: TrackHistory) {
    steps = part
    speeds.removeAll(keepingCapacity: true)
    speeds.reserveCapacity(TrackHistory.capacity)
    pairs.reserveCapacity(TrackHistory.capacity)
    for step in part { speeds.append(history.speed(of: step)) }
  }

  private func step(at index: Int) -> TrackStep { steps[steps.startIndex + index] }

  /// The time that a step counts, seconds.
  private func weight(_ index: Int) -> Float { min(Self.longestCount, step(at: index).seconds) }

  private mutating func put(_ value: Float) {
    features[place] = value.isFinite ? value : 0
    place += 1
  }

  // MARK: Every part

  private mutating func measureCourse() {
    var (time, moving, mean, highest) = (Float(0), Float(0), Float(0), Float(0))
    way = 0
    pairs.removeAll(keepingCapacity: true)
    for index in speeds.indices {
      let (step, seconds, speed) = (self.step(at: index), weight(index), speeds[index])
      time += seconds
      way += step.length
      highest = max(highest, speed, speed == step.meanSpeed ? step.highestSpeed : 0)
      guard speed > 0.6 else { continue }
      moving += seconds
      mean += seconds * speed
      pairs.append(SIMD2(speed, seconds))
    }
    mean /= max(1, moving)
    var variance: Float = 0
    for pair in pairs { variance += pair.y * (pair.x - mean) * (pair.x - mean) }
    pairs.sortByFirst()
    put(moving / time)
    put(log(max(0.3, weightedQuantile(0.1, of: moving))))
    put(log(max(0.3, weightedQuantile(0.25, of: moving))))
    put(log(max(0.3, weightedQuantile(0.5, of: moving))))
    put(log(max(0.3, weightedQuantile(0.75, of: moving))))
    put(log(max(0.3, weightedQuantile(0.95, of: moving))))
    put(log(max(0.3, highest)))
    put(min(2, (variance / max(1, moving)).squareRoot() / max(mean, 0.3)))
    put(log(max(0.2, way / time)))
    measureChanges()
    measureTurns()
  }

  private mutating func measureChanges() {
    var squares: Float = 0
    pairs.removeAll(keepingCapacity: true)
    for index in speeds.indices.dropFirst() {
      let seconds = max(1, (weight(index) + weight(index - 1)) / 2)
      let change = (speeds[index] - speeds[index - 1]) / seconds
      squares += change * change
      pairs.append(SIMD2(change, 0))
    }
    pairs.sortByFirst()
    put(quantile(0.9))
    put(-quantile(0.1))
    put((squares / Float(max(1, pairs.count))).squareRoot())
  }

  private mutating func measureTurns() {
    var (east, north, turned, turningWay) = (Float(0), Float(0), Float(0), Float(0))
    for step in steps {
      east += step.east
      north += step.north
    }
    put((east * east + north * north).squareRoot() / max(1, way))
    pairs.removeAll(keepingCapacity: true)
    for index in speeds.indices.dropFirst()
    where step(at: index).length > 12 && step(at: index - 1).length > 12 {
      let angle = turn(index)
      turned += angle
      turningWay += step(at: index).length
      pairs.append(SIMD2(angle, speeds[index] / max(1, weight(index))))
    }
    pairs.sortByFirst()
    put(turned / Float(max(1, pairs.count)))
    put(quantile(0.9))
    put(min(3, 100 * turned / max(20, turningWay)))
    for index in pairs.indices { pairs[index].x *= pairs[index].y }
    pairs.sortByFirst()
    put(min(6, quantile(0.9)))
  }

  /// The angle between a step and the one before, 0 to π.
  private func turn(_ index: Int) -> Float {
    let (a, b) = (step(at: index - 1), step(at: index))
    return abs(atan2(a.east * b.north - a.north * b.east, a.east * b.east + a.north * b.north))
  }

  // MARK: The leg

  private mutating func measureLeg() {
    measureCorners()
    measureSpacing()
    measureUnsteadiness()
  }

  private mutating func measureCorners() {
    var corners: Float = 0
    for index in speeds.indices.dropFirst() {
      let (a, b) = (step(at: index - 1), step(at: index))
      if a.length > 8, b.length > 8, a.length + b.length < 90, turn(index) > 0.8 { corners += 1 }
    }
    put(min(6, corners / max(0.2, way / 1000)))
  }

  /// Measures the ways between halts, stations or lights.
  private mutating func measureSpacing() {
    pairs.removeAll(keepingCapacity: true)
    var halts = 0
    var sinceHalt: Float?
    var isHalt = false
    for index in speeds.indices {
      let wasHalt = isHalt
      isHalt = speeds[index] < 0.6
      if isHalt && !wasHalt {
        halts += 1
        if let sinceHalt, sinceHalt > 100 { pairs.append(SIMD2(sinceHalt, 0)) }
        sinceHalt = 0
      }
      if let before = sinceHalt { sinceHalt = before + step(at: index).length }
    }
    pairs.sortByFirst()
    put(halts < 3 ? 6.5 : pairs.isEmpty ? 6 : log(quantile(0.5)))
  }

  private mutating func measureUnsteadiness() {
    pairs.removeAll(keepingCapacity: true)
    for index in speeds.indices.dropFirst()
    where speeds[index] > 3 && speeds[index - 1] > 3 && step(at: index).seconds < 20 {
      pairs.append(SIMD2(abs(speeds[index] - speeds[index - 1]), 0))
    }
    pairs.sortByFirst()
    put(quantile(0.5))
  }

  // MARK: Statistics of `pairs`

  /// The quantile of sorted values, interpolated; 0 of none.
  private func quantile(_ probability: Float) -> Float {
    guard !pairs.isEmpty else { return 0 }
    let position = probability * Float(pairs.count - 1)
    let index = min(pairs.count - 1, Int(position))
    let next = min(pairs.count - 1, index + 1)
    return pairs[index].x + (position - Float(index)) * (pairs[next].x - pairs[index].x)
  }

  /// The quantile of sorted values with weights of this sum, each at the middle of its weight.
  private func weightedQuantile(_ probability: Float, of total: Float) -> Float {
    guard var value = pairs.first?.x else { return 0 }
    let target = probability * total
    var (sum, before) = (Float(0), Float(0))
    for pair in pairs {
      let middle = sum + pair.y / 2
      if middle >= target {
        let span = middle - before
        return sum > 0 && span > 0 ? value + (pair.x - value) * (target - before) / span : pair.x
      }
      (value, before) = (pair.x, middle)
      sum += pair.y
    }
    return value
  }
}

extension [SIMD2<Float>] {
  /// Sorts by the first lane, in place and without memory of its own (heapsort, Williams 1964).
  fileprivate mutating func sortByFirst() {
    func sink(_ start: Int, _ end: Int) {
      var root = start
      while 2 * root + 1 < end {
        var child = 2 * root + 1
        if child + 1 < end, self[child].x < self[child + 1].x { child += 1 }
        guard self[root].x < self[child].x else { return }
        swapAt(root, child)
        root = child
      }
    }
    for start in stride(from: count / 2 - 1, through: 0, by: -1) { sink(start, count) }
    for end in stride(from: count - 1, to: 0, by: -1) {
      swapAt(0, end)
      sink(0, end)
    }
  }
}
