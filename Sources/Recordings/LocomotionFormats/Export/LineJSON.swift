internal import LocomotionRecordings
package import LocomotionSensing

/// The lines of JSON that `locomotion record` reads: members of times, columns and fixes.
package enum LineJSON {
  /// `Float` or `Double`.
  package typealias Number = BinaryFloatingPoint & CustomStringConvertible

  /// The names of all columns beside that of times.
  package static let columns =
    SensorNames.accelerations + SensorNames.rotationRates + [SensorNames.pressures]

  /// A line of members.
  package static func line(_ members: [String]) -> String {
    "{" + members.joined(separator: ",") + "}\n"
  }

  /// The members of samples: their times, seconds, and a column for each name, null where a value
  /// is not finite.
  package static func samples(
    _ timestamps: [Timestamp], _ names: [String], _ columns: [[some Number]]
  ) -> [String] {
    ["\"t\":[" + timestamps.map(seconds).joined(separator: ",") + "]"]
      + zip(names, columns).map { name, values in
        "\"\(name)\":[" + values.map { number($0) }.joined(separator: ",") + "]"
      }
  }

  /// Fixes, without what is not known of them.
  package static func fixes(_ fixes: [LocationFix]) -> String {
    let objects = fixes.map { fix in
      let known = zip(LocationFix.quantityNames, fix.quantities).compactMap { name, value in
        value.map { ",\"\(name)\":\(number($0))" }
      }
      return "{\"t\":\(seconds(fix.timestamp))\(known.joined())}"
    }
    return "\"fixes\":[" + objects.joined(separator: ",") + "]"
  }

  private static func number(_ value: some Number) -> String {
    value.isFinite ? value.description : "null"
  }

  private static func seconds(_ time: Timestamp) -> String {
    var text: [UInt8] = []
    text.append(time)
    return String(decoding: text, as: UTF8.self)
  }
}
