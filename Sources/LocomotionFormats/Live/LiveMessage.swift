package import LocomotionRecordings
package import LocomotionSensing

/// What a phone app sends while it records, as one request.
package struct LiveMessage: Sendable {
  /// The app whose message it is.
  package enum App: String, CaseIterable, Sendable {
    case overland, sensorlogger
  }

  /// The app whose message it is.
  package let app: App
  /// The name of the recording that it belongs to, if the app gives one.
  package private(set) var session: String?
  /// Samples and fixes.
  package private(set) var batches: [SensorBatch] = []
  /// What was read, kept and dropped.
  package let report: ImportReport

  /// Reads a message of an app; without one its first level tells which it is.
  ///
  /// - Parameters:
  ///   - bytes: JSON.
  ///   - app: Whose it is; nil to tell it from the content.
  ///   - isApple: Whether Sensor Logger's accelerations have Apple's sign.
  ///   - times: When its samples and fixes can have been recorded; what is elsewhere is dropped
  ///     and counted. Nil takes every time.
  /// - Throws: `RecordingError` when it's not JSON of the expected form. What is wrong with single
  ///   points and samples is in the report.
  package init(
    _ bytes: [UInt8], app: App? = nil, isApple: Bool = false,
    times: ClosedRange<Timestamp>? = nil
  ) throws(RecordingError) {
    let source = ImportSource(name: "body", files: ["body": bytes])
    let found = if let app { app } else { try Self.app(source) }
    var batches: [SensorBatch] = []
    var session: String?
    let sink = ImportSink(times: times) { (event) throws(RecordingError) in
      if case .batch(let batch) = event { batches.append(batch) }
    }
    switch found {
    case .overland: try FeatureImporter.read(source, into: sink)
    case .sensorlogger:
      try SensorLoggerMessages.read(source, isApple: isApple, into: sink) { session = $0 }
    }
    try sink.flush()
    self.app = found
    self.session = session
    self.batches = batches
    report = sink.report
  }

  private static func app(_ source: ImportSource) throws(RecordingError) -> App {
    var stream = JSONStream(try source.bytes(of: "body"))
    var app: App?
    guard try stream.peek() == UInt8(ascii: "{") else {
      throw try stream.unexpected("an object with locations or payload")
    }
    try stream.object { (stream: inout JSONStream, member) throws(RecordingError) in
      switch member {
      case "locations", "features": app = app ?? .overland
      case "payload": app = app ?? .sensorlogger
      default: break
      }
      try stream.skip()
    }
    guard let app else {
      throw .malformed(
        path: source.path, place: "the whole object", expected: "locations or payload",
        found: "neither")
    }
    return app
  }
}
