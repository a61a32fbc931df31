public import LocomotionSensing

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
