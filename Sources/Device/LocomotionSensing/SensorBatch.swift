/// The samples and fixes since the last batch, as a structure of arrays.
///
/// Keep one batch, fill it, pass it to the pipeline and empty it with ``removeAll()``: after the
/// first few rounds nothing is allocated.
///
/// ```swift
/// var batch = SensorBatch()
/// batch.append(Acceleration(x: 0.1, y: 0.2, z: 9.8), at: Timestamp(nanoseconds: 0))
/// batch.append(fix)
/// ```
///
/// ## Order
/// A batch represents one sequence of events, in which a fix comes before the first acceleration
/// that is not earlier than it. An event later than the next one of its sensor is processed at that
/// one's position, so that a single wrong timestamp delays nothing. Cutting a recording anywhere in
/// that sequence gives the same answers.
public struct SensorBatch: Equatable, Sendable {
  /// Three-axis samples with their times; the four arrays always have the same length.
  public struct Series: Equatable, Sendable {
    /// When each sample was taken.
    public private(set) var timestamps: [Timestamp] = []
    /// The component of each sample along each device axis.
    public private(set) var x: [Float] = [], y: [Float] = [], z: [Float] = []

    /// An empty series.
    public init() {}

    /// The number of samples.
    public var count: Int { timestamps.count }

    /// Adds one sample.
    public mutating func append(x: Float, y: Float, z: Float, at timestamp: Timestamp) {
      timestamps.append(timestamp)
      self.x.append(x)
      self.y.append(y)
      self.z.append(z)
    }

    /// Adds samples from the spans of arrays, several times faster than one by one.
    ///
    /// - Parameters:
    ///   - x: The component of each sample along the first device axis; its values are `stride`
    ///     places apart. What lies between and behind them is not read.
    ///   - y: The same along the second axis.
    ///   - z: The same along the third axis.
    ///   - timestamps: When each sample was taken; as many are added as there are times.
    ///   - stride: 1 where each axis has an array of its own; 3 where one array holds the three
    ///     components of each sample side by side, and `x`, `y` and `z` begin at its first, second
    ///     and third value.
    /// - Precondition: `stride` is positive, and each axis has a value for each time.
    public mutating func append(
      x: Span<Float>, y: Span<Float>, z: Span<Float>, at timestamps: Span<Timestamp>,
      stride: Int = 1
    ) {
      let count = timestamps.count
      SensorBatch.append(timestamps, to: &self.timestamps, count: count, stride: 1)
      SensorBatch.append(x, to: &self.x, count: count, stride: stride)
      SensorBatch.append(y, to: &self.y, count: count, stride: stride)
      SensorBatch.append(z, to: &self.z, count: count, stride: stride)
    }

    /// Adds samples from arrays, several times faster than one by one.
    ///
    /// The parameters and the precondition are those of the method that takes spans. An array has a
    /// span itself only from iOS 26, macOS 26 and watchOS 26 on.
    public mutating func append(
      x: [Float], y: [Float], z: [Float], at timestamps: [Timestamp], stride: Int = 1
    ) {
      append(
        x: x[0..<x.count].span, y: y[0..<y.count].span, z: z[0..<z.count].span,
        at: timestamps[0..<timestamps.count].span, stride: stride)
    }

    /// Adds all samples of `other`.
    public mutating func append(contentsOf other: Series) {
      timestamps += other.timestamps
      x += other.x
      y += other.y
      z += other.z
    }

    /// Removes every sample and keeps the memory.
    public mutating func removeAll() {
      timestamps.removeAll(keepingCapacity: true)
      x.removeAll(keepingCapacity: true)
      y.removeAll(keepingCapacity: true)
      z.removeAll(keepingCapacity: true)
    }
  }

  /// Pressures of the air with their times; both arrays always have the same length.
  public struct PressureSeries: Equatable, Sendable {
    /// When each pressure was measured.
    public private(set) var timestamps: [Timestamp] = []
    /// Each pressure, hPa.
    public private(set) var hectopascals: [Float] = []

    /// An empty series.
    public init() {}

    /// The number of pressures.
    public var count: Int { timestamps.count }

    /// Adds one pressure, hPa.
    public mutating func append(_ pressure: Float, at timestamp: Timestamp) {
      timestamps.append(timestamp)
      hectopascals.append(pressure)
    }

    /// Adds pressures from the spans of arrays, hPa, `stride` places apart; as many as there are
    /// times.
    ///
    /// - Precondition: `stride` is positive, and there is a pressure for each time.
    public mutating func append(
      _ pressures: Span<Float>, at timestamps: Span<Timestamp>, stride: Int = 1
    ) {
      let count = timestamps.count
      SensorBatch.append(timestamps, to: &self.timestamps, count: count, stride: 1)
      SensorBatch.append(pressures, to: &hectopascals, count: count, stride: stride)
    }

    /// Adds pressures from arrays, hPa, `stride` places apart; as many as there are times.
    ///
    /// - Precondition: `stride` is positive, and there is a pressure for each time.
    public mutating func append(
      _ pressures: [Float], at timestamps: [Timestamp], stride: Int = 1
    ) {
      append(
        pressures[0..<pressures.count].span, at: timestamps[0..<timestamps.count].span,
        stride: stride)
    }

    /// Adds all pressures of `other`.
    public mutating func append(contentsOf other: PressureSeries) {
      timestamps += other.timestamps
      hectopascals += other.hectopascals
    }

    /// The pressures at these indices.
    public subscript(range: Range<Int>) -> PressureSeries {
      var part = PressureSeries()
      part.timestamps = Array(timestamps[range])
      part.hectopascals = Array(hectopascals[range])
      return part
    }

    /// Removes every pressure and keeps the memory.
    public mutating func removeAll() {
      timestamps.removeAll(keepingCapacity: true)
      hectopascals.removeAll(keepingCapacity: true)
    }
  }

  /// Specific force, m/s², Android's sign, in order of arrival.
  public var accelerations = Series()
  /// Angular velocity, rad/s, in order of arrival; empty when there is no gyroscope.
  public var rotationRates = Series()
  /// Pressures of the air, in order of arrival; empty when there is no barometer.
  public var pressures = PressureSeries()
  /// Location fixes in order of arrival.
  public var fixes: [LocationFix] = []

  /// An empty batch.
  public init() {}

  /// Whether the batch holds nothing.
  public var isEmpty: Bool {
    accelerations.count == 0 && rotationRates.count == 0 && pressures.count == 0 && fixes.isEmpty
  }

  /// Adds one acceleration.
  public mutating func append(_ acceleration: Acceleration, at timestamp: Timestamp) {
    accelerations.append(
      x: acceleration.x, y: acceleration.y, z: acceleration.z, at: timestamp)
  }

  /// Adds one rotation rate.
  public mutating func append(_ rate: RotationRate, at timestamp: Timestamp) {
    rotationRates.append(x: rate.x, y: rate.y, z: rate.z, at: timestamp)
  }

  /// Adds one pressure of the air, hPa.
  public mutating func append(pressure: Float, at timestamp: Timestamp) {
    pressures.append(pressure, at: timestamp)
  }

  /// Adds one location fix.
  public mutating func append(_ fix: LocationFix) {
    fixes.append(fix)
  }

  /// Adds all samples and fixes of `other`.
  public mutating func append(contentsOf other: SensorBatch) {
    accelerations.append(contentsOf: other.accelerations)
    rotationRates.append(contentsOf: other.rotationRates)
    pressures.append(contentsOf: other.pressures)
    fixes += other.fixes
  }

  /// Adds location fixes from the span of an array, in order.
  public mutating func append(_ fixes: Span<LocationFix>) {
    Self.append(fixes, to: &self.fixes, count: fixes.count, stride: 1)
  }

  /// Adds location fixes from an array, in order.
  public mutating func append(_ fixes: [LocationFix]) {
    self.fixes += fixes
  }

  /// Adds `count` of the values, `stride` places apart; allocates only where the array must grow.
  fileprivate static func append<Value>(
    _ values: Span<Value>, to array: inout [Value], count: Int, stride: Int
  ) {
    precondition(stride > 0, "expected a positive stride, got \(stride)")
    guard count > 0 else { return }
    let (last, overflow) = (count - 1).multipliedReportingOverflow(by: stride)
    precondition(
      !overflow && last < values.count,
      "expected \(count) values \(stride) places apart, got \(values.count) places")
    array.append(addingCapacity: count) { added in
      for index in 0..<count { added.append(values[index &* stride]) }
    }
  }

  /// Removes everything and keeps the memory.
  public mutating func removeAll() {
    accelerations.removeAll()
    rotationRates.removeAll()
    pressures.removeAll()
    fixes.removeAll(keepingCapacity: true)
  }
}
