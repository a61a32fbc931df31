public import LocomotionRecordings
public import LocomotionSensing

/// The body of one request that a phone app sends while it records.
@_spi(Server) public struct LiveMessage: Sendable {
  /// The app that sends a message.
  public enum App: String, CaseIterable, Sendable {
    case overland, sensorlogger
  }

  /// The app that sent the message.
  public let app: App
  /// The name of the session that it belongs to, if the app gives one.
  public private(set) var session: String?
  /// Samples and fixes.
  public private(set) var batches: [SensorBatch] = []
  /// What was read, kept and dropped.
  public let report: ImportReport

  /// Decodes the message of an app; without one, its top level identifies the app.
  ///
  /// - Parameters:
  ///   - bytes: JSON.
  ///   - app: The app that sent it; nil to detect it from the content.
  ///   - isApple: Whether Sensor Logger's accelerations have Apple's sign.
  ///   - times: The possible times of its samples and fixes; those outside are dropped and counted.
  ///     Nil accepts every time.
  /// - Throws: `RecordingError` when it is not JSON of the expected schema. Defects of single
  ///   points and samples are in the report.
  public init(
    _ bytes: [UInt8], app: App? = nil, isApple: Bool = false,
    times: ClosedRange<Timestamp>? = nil
  ) throws(RecordingError) {
    let source = ImportSource(name: "body", files: ["body": bytes])
    let found = if let app { app } else { try Self.app(source) }
    var batches: [SensorBatch] = []
    let sink = ImportSink(times: times) { (event) throws(RecordingError) in
      if case .batch(let batch) = event { batches.append(batch) }
    }
    switch found {
    case .overland: try FeatureImporter(source, sink).read()
    case .sensorlogger:
      let messages = SensorLoggerMessages(source, sink)
      messages.isApple = isApple
      try messages.read()
      session = messages.session
    }
    try sink.finish()
    (self.app, self.batches, report) = (found, batches, sink.report)
  }

  private static func app(_ source: ImportSource) throws(RecordingError) -> App {
    var stream = JSONStream(try source.bytes(of: "body"))
    var app: App?
    guard try stream.peek() == UInt8(ascii: "{") else {
      throw try stream.unexpected("an object with locations or payload")
    }
    let apps: [String: App] = [
      "locations": .overland, "features": .overland, "payload": .sensorlogger,
    ]
    try stream.object { (stream: inout JSONStream, member) throws(RecordingError) in
      app = app ?? apps[member]
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
