package import LocomotionSensing

extension LocationFix {
  /// The names of `quantities` in lines of JSON and, as far as it has them, the tidy form.
  package static let quantityNames = [
    "lat", "lon", "alt", "hacc", "vacc", "speed", "sacc", "course", "cacc",
  ]

  /// A fix of what `number` gives for each of ``quantityNames``; an unknown coordinate is NaN.
  package init(at time: Timestamp, _ number: (String) -> Double?) {
    self.init(at: time, Self.quantityNames.map(number))
  }

  /// A fix of quantities in the order of ``quantityNames``; an unknown coordinate is NaN.
  package init(at time: Timestamp, _ values: [Double?]) {
    self.init(
      timestamp: time, latitude: values[0] ?? .nan, longitude: values[1] ?? .nan,
      altitude: values[2], horizontalAccuracy: values[3], verticalAccuracy: values[4],
      speed: values[5], speedAccuracy: values[6], course: values[7], courseAccuracy: values[8])
  }
}
