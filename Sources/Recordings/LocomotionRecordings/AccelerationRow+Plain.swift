internal import LocomotionSensing

/// The meaning of a field in a row of an acceleration file.
enum SensorField {
  case time
  /// The component of the acceleration (0 to 2) or of the rotation rate (3 to 5).
  case component(Int)
  /// The pressure, which most rows leave empty: a barometer is slower than the accelerometer.
  case pressure
  /// A column that is not used, but must hold a number.
  case other
}

extension AccelerationRow {
  /// Parses the line that starts at `index` and moves `index` after its end; nil for every line
  /// that is not plain, or not completely in the buffer.
  ///
  /// One pass over the bytes, where `TableRows.next()` and ``DecimalField`` make three, which then
  /// parse the others. `hasTime` is false when the time is out of range.
  @inline(__always)
  init?(
    _ bytes: Span<UInt8>, _ index: inout Int, fields: Span<SensorField>, powers: Span<Double>,
    hasRotation: Bool, hasTime: inout Bool
  ) {
    var time: PlainDecimal?
    var components = SIMD8<Float>.zero
    for position in fields.indices {
      if position > 0 {
        guard index < bytes.count, bytes[index] == UInt8(ascii: ",") else { return nil }
        index += 1
      }
      if case .pressure = fields[position], index < bytes.count, bytes[index] < UInt8(ascii: "-") {
        continue
      }
      let value = PlainDecimal(bytes, &index)
      guard value.isExact else { return nil }
      switch fields[position] {
      case .time: time = value
      case .component(let component):
        guard value.isShort else { return nil }
        components[component] = value.component(powers)
      case .pressure:
        guard value.isShort else { return nil }
        pressure = value.component(powers)
      case .other: break
      }
    }
    if index < bytes.count, bytes[index] == UInt8(ascii: "\r") { index += 1 }
    guard index < bytes.count, bytes[index] == UInt8(ascii: "\n") else { return nil }
    index += 1
    let timestamp = time?.timestamp
    hasTime = timestamp != nil
    self.timestamp = timestamp ?? Timestamp(nanoseconds: 0)
    acceleration = Acceleration(x: components[0], y: components[1], z: components[2])
    if hasRotation {
      rotationRate = RotationRate(x: components[3], y: components[4], z: components[5])
    }
  }
}
