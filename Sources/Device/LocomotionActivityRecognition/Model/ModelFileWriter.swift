/// Appends numbers to a model file.
struct ModelFileWriter {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ value: UInt32) {
    for shift in stride(from: UInt32(0), to: 32, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  mutating func append(_ numbers: [Float]) { numbers.forEach { append($0.bitPattern) } }

  mutating func append(_ raw: [UInt8]) { bytes += raw }

  mutating func append(_ custom: ActivityModel.CustomTerm) {
    typealias Format = ActivityModel.FileFormat
    for activity in custom.activities {
      let name = activity.nameBytes
      append(activity.behavesLike.map { UInt32($0.rawValue) } ?? Format.noActivity)
      append(UInt32(name.count))
      append(name + [UInt8](repeating: 0, count: CustomActivity.longestName - name.count))
    }
    append(custom.means + custom.scales + custom.knots + custom.weights)
  }

  mutating func append(_ moments: ActivityModel.MomentTerm) {
    append(moments.scales)
    append(moments.rows.map { UInt8(bitPattern: $0) })
    let padding = ActivityModel.FileFormat.padded(moments.rows.count) - moments.rows.count
    append([UInt8](repeating: 0, count: padding))
  }

  /// The file, with its size written at `offset` and its checksum at the end.
  consuming func finish(sizeAt offset: Int) -> [UInt8] {
    let size = UInt32(bytes.count + ActivityModel.FileFormat.checksumSize)
    for (place, shift) in stride(from: UInt32(0), to: 32, by: 8).enumerated() {
      bytes[offset + place] = UInt8(truncatingIfNeeded: size >> shift)
    }
    var checksum = CyclicRedundancyCheck()
    checksum.update(with: bytes[0..<bytes.count].span)
    append(checksum.value)
    return bytes
  }
}

extension ActivityModel.Parameters {
  /// The oldest version of the file that holds all terms.
  var fileVersion: UInt32 {
    typealias Format = ActivityModel.FileFormat
    if moments != nil { return Format.momentVersion }
    if track != nil { return Format.trackVersion }
    return custom != nil ? Format.customVersion : Format.version
  }
}
