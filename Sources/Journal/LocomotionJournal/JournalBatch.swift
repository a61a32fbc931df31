public import LocomotionSensing

/// Samples and fixes that are appended to a journal in one transaction.
public struct JournalBatch: Equatable, Sendable {
  /// Specific force, m/s², Android's sign.
  public var accelerations = SampleSeries()
  /// Angular velocity, rad/s.
  public var rotationRates = SampleSeries()
  /// Pressures of the air, hPa.
  public var pressures = SensorBatch.PressureSeries()
  /// Location fixes.
  public var fixes: [LocationFix] = []

  /// An empty batch.
  public init() {}

  /// The content of a sensor batch.
  public init(_ batch: SensorBatch) {
    accelerations = SampleSeries(batch.accelerations)
    rotationRates = SampleSeries(batch.rotationRates)
    pressures = batch.pressures
    fixes = batch.fixes
  }

  /// Whether the batch holds nothing.
  public var isEmpty: Bool { count == 0 }

  /// Whether the times of all samples and fixes meet a condition.
  func hasOnlyTimes(_ isIncluded: (Timestamp) -> Bool) -> Bool {
    sampleTimes.allSatisfy { $0.allSatisfy(isIncluded) }
      && fixes.allSatisfy { isIncluded($0.timestamp) }
  }

  /// Removes the samples and fixes whose times a journal doesn't take.
  ///
  /// - Returns: How many there were.
  public mutating func removeImplausibleTimes() -> Int {
    let before = count
    self = filtered(\.isPlausible)
    return before - count
  }

  /// The samples and fixes whose time meets a condition.
  package func filtered(_ isIncluded: (Timestamp) -> Bool) -> JournalBatch {
    guard !hasOnlyTimes(isIncluded) else { return self }
    var result = JournalBatch()
    result.accelerations = accelerations.filtered(isIncluded)
    result.rotationRates = rotationRates.filtered(isIncluded)
    result.pressures = pressures.filtered(isIncluded)
    result.fixes = fixes.filter { isIncluded($0.timestamp) }
    return result
  }

  var sampleTimes: [[Timestamp]] {
    [accelerations.timestamps, rotationRates.timestamps, pressures.timestamps]
  }

  /// The time of the first event of a batch in order of time; nil when it is empty.
  var firstTime: Timestamp? {
    (sampleTimes.map(\.first) + [fixes.first?.timestamp]).compactMap { $0 }.min()
  }

  /// The time of its last event.
  var lastTime: Timestamp? {
    (sampleTimes.map(\.last) + [fixes.last?.timestamp]).compactMap { $0 }.max()
  }

  /// The number of samples and fixes.
  var count: Int { accelerations.count + rotationRates.count + pressures.count + fixes.count }

  /// Appends everything of `other`.
  public mutating func append(contentsOf other: JournalBatch) {
    accelerations.append(contentsOf: other.accelerations)
    rotationRates.append(contentsOf: other.rotationRates)
    pressures.append(contentsOf: other.pressures)
    fixes += other.fixes
  }
}

extension SensorBatch {
  /// The content of a journal's batch, rounded to Floats.
  init(_ batch: JournalBatch) {
    self.init()
    accelerations.append(contentsOf: batch.accelerations)
    rotationRates.append(contentsOf: batch.rotationRates)
    pressures = batch.pressures
    fixes = batch.fixes
  }
}

extension SensorBatch.Series {
  fileprivate mutating func append(contentsOf series: SampleSeries) {
    append(
      x: series.x.map { Float($0) }, y: series.y.map { Float($0) }, z: series.z.map { Float($0) },
      at: series.timestamps)
  }
}

/// Samples of a three-axis sensor as the journal stores them, exact to the bit.
///
/// The four arrays always have the same length. Components are Double because an imported recording
/// may have more digits than a Float holds; those of a `SensorBatch` are restored as the same
/// Floats.
public struct SampleSeries: Hashable, Sendable {
  /// The time of each sample, in recording order.
  public private(set) var timestamps: [Timestamp] = []
  /// The components of each sample along the device axes; NaN where the sensor gave none.
  public private(set) var x: [Double] = [], y: [Double] = [], z: [Double] = []

  /// An empty series.
  public init() {}

  /// The samples of a sensor batch.
  public init(_ series: SensorBatch.Series) {
    timestamps = series.timestamps
    x = series.x.map { Double($0) }
    y = series.y.map { Double($0) }
    z = series.z.map { Double($0) }
  }

  /// Pressures as `x`.
  init(_ pressures: SensorBatch.PressureSeries) {
    let none = [Double](repeating: .nan, count: pressures.count)
    self.init(
      timestamps: pressures.timestamps, x: pressures.hectopascals.map { Double($0) }, y: none,
      z: none)
  }

  /// The number of samples.
  public var count: Int { timestamps.count }

  /// Appends one sample.
  public mutating func append(x: Double, y: Double, z: Double, at timestamp: Timestamp) {
    timestamps.append(timestamp)
    self.x.append(x)
    self.y.append(y)
    self.z.append(z)
  }

  /// Appends all samples of `other`.
  public mutating func append(contentsOf other: SampleSeries) {
    timestamps += other.timestamps
    x += other.x
    y += other.y
    z += other.z
  }

  /// The samples at these indices.
  public subscript(range: Range<Int>) -> SampleSeries {
    SampleSeries(
      timestamps: Array(timestamps[range]), x: Array(x[range]), y: Array(y[range]),
      z: Array(z[range]))
  }

  /// The samples at these indices, in their order.
  func samples(at indices: [Int]) -> SampleSeries {
    SampleSeries(
      timestamps: indices.map { timestamps[$0] }, x: indices.map { x[$0] },
      y: indices.map { y[$0] }, z: indices.map { z[$0] })
  }

  /// The samples whose time meets a condition.
  func filtered(_ isIncluded: (Timestamp) -> Bool) -> SampleSeries {
    samples(at: timestamps.indices.filter { isIncluded(timestamps[$0]) })
  }

  init(timestamps: [Timestamp], x: [Double], y: [Double], z: [Double]) {
    self.timestamps = timestamps
    self.x = x
    self.y = y
    self.z = z
  }
}

extension SensorBatch.PressureSeries {
  /// The pressures in `x`.
  init(_ series: SampleSeries) {
    self.init()
    append(series.x.map { Float($0) }, at: series.timestamps)
  }

  /// The pressures whose time meets a condition.
  func filtered(_ isIncluded: (Timestamp) -> Bool) -> Self {
    var result = Self()
    for (value, time) in zip(hectopascals, timestamps) where isIncluded(time) {
      result.append(value, at: time)
    }
    return result
  }
}
