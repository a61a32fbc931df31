// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Core Motion in outline: names and types of the properties as in Apple's reference. The
// initialisers are for tests; the real classes have none.

public import Foundation

/// Acceleration along three axes, in units of standard gravity.
public struct CMAcceleration: Sendable {
  public var x, y, z: Double

  public init(x: Double, y: Double, z: Double) {
    self.x = x
    self.y = y
    self.z = z
  }
}

/// Angular velocity about three axes, rad/s.
public struct CMRotationRate: Sendable {
  public var x, y, z: Double

  public init(x: Double, y: Double, z: Double) {
    self.x = x
    self.y = y
    self.z = z
  }
}

/// Something that Core Motion measured.
public class CMLogItem {
  /// Seconds since the device booted.
  public let timestamp: Double

  init(timestamp: Double) {
    self.timestamp = timestamp
  }
}

/// A reading of the accelerometer.
public final class CMAccelerometerData: CMLogItem {
  public let acceleration: CMAcceleration

  public init(acceleration: CMAcceleration, timestamp: Double) {
    self.acceleration = acceleration
    super.init(timestamp: timestamp)
  }
}

/// What Core Motion makes of all its motion sensors.
public final class CMDeviceMotion: CMLogItem {
  public let gravity: CMAcceleration
  public let userAcceleration: CMAcceleration
  public let rotationRate: CMRotationRate

  public init(
    gravity: CMAcceleration, userAcceleration: CMAcceleration, rotationRate: CMRotationRate,
    timestamp: Double
  ) {
    self.gravity = gravity
    self.userAcceleration = userAcceleration
    self.rotationRate = rotationRate
    super.init(timestamp: timestamp)
  }
}

/// The service that delivers accelerations.
public final class CMMotionManager {
  public var accelerometerUpdateInterval = 0.0

  public init() {}
  public func startAccelerometerUpdates(
    to queue: OperationQueue,
    withHandler handler: @escaping (CMAccelerometerData?, (any Error)?) -> Void
  ) {}
  public func stopAccelerometerUpdates() {}
}

/// A reading of the barometer.
public final class CMAltitudeData: CMLogItem {
  /// The pressure, kPa.
  public let pressure: NSNumber

  public init(pressure: NSNumber, timestamp: Double) {
    self.pressure = pressure
    super.init(timestamp: timestamp)
  }
}

/// The service that delivers pressures.
public final class CMAltimeter {
  public init() {}
  public func startRelativeAltitudeUpdates(
    to queue: OperationQueue,
    withHandler handler: @escaping (CMAltitudeData?, (any Error)?) -> Void
  ) {}
  public func stopRelativeAltitudeUpdates() {}
}
