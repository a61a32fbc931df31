/// The names of the sensors' columns in tables and lines of JSON.
package enum SensorNames {
  /// The components of accelerations.
  package static let accelerations = ["ax", "ay", "az"]
  /// The components of rotation rates.
  package static let rotationRates = ["gx", "gy", "gz"]
  /// Pressures of the air.
  package static let pressures = "pressure"
}
