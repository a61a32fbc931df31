internal import LocomotionRecordings
internal import LocomotionSensing

/// JSON, one object per line, as ``LineJSON`` describes it.
final class LineJSONImporter: FormatImporter {
  override func read() throws(RecordingError) {
    for name in source.names {
      var stream = JSONStream(try source.bytes(of: name))
      var hasBegun = false
      while try stream.peek() != nil {
        let line = try LineJSON(&stream, path: source.displayPath(of: name))
        if let recording = line.members["recording"]?.string {
          hasBegun = true
          try sink.begin(
            ImportedRecording(
              name: recording, subject: line.members["subject"]?.string,
              hasGyroscope: line.members["gyroscope"]?.isTrue ?? false,
              hasBarometer: line.members["barometer"]?.isTrue ?? false))
        } else if !hasBegun {
          hasBegun = true
          var recording = ImportedRecording(
            name: source.stem, hasGyroscope: line.has("gx"),
            hasBarometer: line.has(SensorNames.pressures))
          recording.isOfJournal = line.members["journal"] != nil
          try sink.begin(recording)
        }
        sink.annotate(["place", "edit"].compactMap { line.members[$0] })
        try give(line)
      }
    }
  }

  private func give(_ line: LineJSON) throws(RecordingError) {
    for names in [SensorNames.rotationRates, SensorNames.accelerations, [SensorNames.pressures]] {
      guard let (times, values) = try line.samples(of: names) else { continue }
      for (index, time) in times.enumerated() {
        guard let time else {
          sink.drop(.noTime)
          continue
        }
        let x = Float(values[0][index])
        guard values.count == 3 else {
          try sink.append(pressure: Double(x), at: time)
          continue
        }
        let (y, z) = (Float(values[1][index]), Float(values[2][index]))
        if names == SensorNames.accelerations {
          try sink.append(Acceleration(x: x, y: y, z: z), at: time)
        } else {
          try sink.append(RotationRate(x: x, y: y, z: z), at: time)
        }
      }
    }
    for fix in line.fixes {
      if let fix { try sink.append(fix) } else { sink.drop(.noTime) }
    }
    guard ["label", "start", "end"].contains(where: { line.members[$0] != nil }) else { return }
    guard let start = line.members["start"]?.time, let end = line.members["end"]?.time else {
      return sink.drop(.noTime)
    }
    try sink.label(line.members["label"]?.string ?? "", from: start, to: end)
  }
}
