#if canImport(CoreMotion) && !os(macOS)
  public import CoreLocation
  public import CoreMotion
  internal import struct Foundation.Date
  #if os(Linux)
    public import LocomotionSensing
  #endif

  extension SensorBatch {
    /// Adds an accelerometer reading of Core Motion, converted from g with Apple's sign.
    ///
    /// Core Motion counts seconds since boot and Core Location uses the time of day: `bootTime`
    /// converts both to one clock. Compute it once, when the recording starts, because the system
    /// corrects the time of day now and then and the samples must not jump with it:
    ///
    /// ```swift
    /// let boot = Date.now.timeIntervalSince1970 - ProcessInfo.processInfo.systemUptime
    /// guard let bootTime = Timestamp(seconds: boot) else { return }
    /// ```
    ///
    /// A reading whose time isn't a number is added with an impossible timestamp, so that the
    /// resampler counts it.
    ///
    /// - Parameters:
    ///   - data: the reading.
    ///   - bootTime: when the reading's clock was zero, on the clock of the fixes.
    public mutating func append(_ data: CMAccelerometerData, bootTime: Timestamp) {
      let gravities = data.acceleration
      append(
        Acceleration(appleGravitiesX: gravities.x, y: gravities.y, z: gravities.z),
        at: Self.timestamp(secondsSinceBoot: data.timestamp, bootTime: bootTime))
    }

    /// Adds the acceleration and the rotation rate of a device motion of Core Motion.
    ///
    /// The acceleration is gravity plus user acceleration, which is what the accelerometer read.
    ///
    /// - Parameters:
    ///   - motion: the device motion.
    ///   - bootTime: when the motion's clock was zero, on the clock of the fixes, as for an
    ///     accelerometer reading.
    public mutating func append(_ motion: CMDeviceMotion, bootTime: Timestamp) {
      let timestamp = Self.timestamp(secondsSinceBoot: motion.timestamp, bootTime: bootTime)
      let (gravity, user) = (motion.gravity, motion.userAcceleration)
      append(
        Acceleration(
          appleGravitiesX: gravity.x + user.x, y: gravity.y + user.y, z: gravity.z + user.z),
        at: timestamp)
      let rate = motion.rotationRate
      append(
        RotationRate(x: Float(rate.x), y: Float(rate.y), z: Float(rate.z)), at: timestamp)
    }

    private static func timestamp(
      secondsSinceBoot seconds: Double, bootTime: Timestamp
    ) -> Timestamp {
      guard let sinceBoot = Timestamp(seconds: seconds) else {
        return Timestamp(nanoseconds: .max)
      }
      return bootTime.advanced(byNanoseconds: sinceBoot.nanoseconds)
    }
  }

  extension LocationFix {
    /// A fix of Core Location, on the Unix clock; nil when its position is invalid.
    ///
    /// The position is invalid when the horizontal accuracy is negative or not a number. Likewise
    /// an altitude counts only with a positive vertical accuracy, and a speed or a course only when
    /// its accuracy isn't negative. The floor is ignored.
    ///
    /// Apple's horizontal accuracy h is interpreted as the root mean square of the error in two
    /// dimensions (an answer on Apple's developer forum, thread 699996; the reference doesn't state
    /// it). With equal normal errors σ = h/√2 along both axes, the radius that holds the position
    /// with probability p is σ√(−2 ln(1 − p)). For p = 0.6827, the probability within one standard
    /// deviation that "68 %" stands for, it is 1.5152 σ, and ``horizontalAccuracy`` is √(−ln
    /// 0.3173) h = 1.0714 h.
    public init?(_ location: CLLocation) {
      guard location.horizontalAccuracy >= 0,
        let timestamp = Timestamp(seconds: location.timestamp.timeIntervalSince1970)
      else { return nil }
      self.init(
        timestamp: timestamp,
        latitude: location.coordinate.latitude,
        longitude: location.coordinate.longitude,
        altitude: location.verticalAccuracy > 0 ? location.altitude : nil,
        horizontalAccuracy: Self.radius68PerRootMeanSquare * location.horizontalAccuracy,
        verticalAccuracy: location.verticalAccuracy,
        speed: location.speedAccuracy >= 0 ? location.speed : nil,
        speedAccuracy: location.speedAccuracy,
        course: location.courseAccuracy >= 0 ? location.course : nil,
        courseAccuracy: location.courseAccuracy)
    }

    /// √(−ln(1 − p)) with p = erf(1/√2) = 0.682 689.
    private static let radius68PerRootMeanSquare = 1.071_389_035_061
  }
#endif
