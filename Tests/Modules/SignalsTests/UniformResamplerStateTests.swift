import Foundation
import LocomotionSensing
import LocomotionSignals
import Testing

/// The validation of a stored resampler.
@Suite struct UniformResamplerStateTests {
  /// The stored state of a resampler in the middle of a stretch, after a late sample.
  static func stored() throws -> [String: Any] {
    var result = Resampling(walk(hertz: 104, from: 3_000_000, seconds: 1))
    result.append(TimedSample(500_000_000, 0, 0, 9.8))
    let data = try JSONEncoder().encode(result.resampler)
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  static func restore(_ state: [String: Any]) throws -> UniformResampler {
    try JSONDecoder().decode(
      UniformResampler.self, from: JSONSerialization.data(withJSONObject: state))
  }

  @Test func anUnchangedStateIsRestored() throws {
    let restored = try Self.restore(try Self.stored())
    #expect(restored.nextCell == 100)
    #expect(restored.counts.outOfOrder == 1)
    #expect(restored.counts.kept == 105)
  }

  static let settings: [(String, Double)] = [
    ("period", 0), ("period", -1), ("period", 250_000_001), ("longestGap", 9_999_999),
    ("longestGap", 3_600_000_000_001), ("longestGap", 9e18), ("largestComponent", 0),
    ("largestComponent", -1), ("largestComponent", 1.1e15),
  ]

  @Test(arguments: settings) func invalidSettingsAreRejected(
    field: String, value: Double
  ) throws {
    var state = try Self.stored()
    var settings = try #require(state["settings"] as? [String: Any])
    settings[field] = field == "largestComponent" ? value as Any : Int64(value)
    state["settings"] = settings
    #expect(throws: DecodingError.self) { try Self.restore(state) }
  }

  @Test(arguments: [-1, 98, 99, 102, Int64.max])
  func aCellThatIsNotOpenIsRejected(nextCell: Int64) throws {
    var state = try Self.stored()
    state["nextCell"] = nextCell
    #expect(throws: DecodingError.self) { try Self.restore(state) }
  }

  @Test(arguments: ["newest", "held"]) func invalidSamplesAreRejected(field: String) throws {
    var state = try Self.stored()
    for nanoseconds in [Int64.min, -Timestamp.limit, Timestamp.limit, .max] {
      state[field] = ["nanoseconds": nanoseconds, "value": [0, 0, 0, 0]] as [String: Any]
      #expect(throws: DecodingError.self) { try Self.restore(state) }
    }
    let time = 1_003_000_000
    state[field] = ["nanoseconds": time, "value": [0, 1_000, 0, 0]] as [String: Any]
    #expect(throws: Never.self) { try Self.restore(state) }
    state[field] = ["nanoseconds": time, "value": [0, 1_001, 0, 0]] as [String: Any]
    #expect(throws: DecodingError.self) { try Self.restore(state) }
  }

  @Test func anInvalidIntegralIsRejected() throws {
    var state = try Self.stored()
    state["partial"] = [0, 0, 1e30, 0]
    #expect(throws: DecodingError.self) { try Self.restore(state) }
  }

  @Test func anInvalidRunIsRejected() throws {
    var state = try Self.stored()
    for run in [[5, 4], [Int64.min, 0], [0, Int64.max]] {
      state["reversedRun"] = run
      #expect(throws: DecodingError.self) { try Self.restore(state) }
    }
  }

  @Test func settingsAtTheLimitsAreAccepted() {
    var settings = UniformResampler.Settings()
    settings.period = 3_600_000_000_000
    settings.longestGap = 3_600_000_000_000
    settings.largestComponent = 1e15
    let samples = (0...3).map { TimedSample(Int64($0) * 3_600_000_000_000, 1e15, -1e15, 1e15) }
    let result = Resampling(samples, settings: settings)
    #expect(result.counts.kept == 4)
    #expect(result.stretches[0].cells.count == 3)
    #expect(result.stretches[0].cells.allSatisfy { abs($0.w - 1.7320508e15) <= 1e9 })
  }
}
