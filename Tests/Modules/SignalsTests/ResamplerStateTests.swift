import LocomotionSignals
import TestSupport
import Testing

/// The validation of an archived resampler.
@Suite struct UniformResamplerStateTests {
  private struct Sample: StateElement {
    static let blank = Sample(nanoseconds: 0)
    var nanoseconds: Int64
    var value = SIMD4<Float>.zero

    mutating func pass(through archive: inout StateArchive) {
      archive.pass(&nanoseconds, &value)
    }
  }

  /// The fields that a resampler archives, with any values.
  private struct Fields: StateArchivable {
    var counts = IntakeCounts()
    var nextCell: Int64 = 0
    var newest: Sample?
    var held: Sample?
    var partial = SIMD4<Float>.zero
    var reversedRun: SIMD2<Int64>?
    var ring = SampleRing(capacity: 1)

    mutating func pass(through archive: inout StateArchive) {
      archive.pass(&counts, &nextCell, &newest, &held, &partial)
      archive.pass(&reversedRun, &ring)
    }

    func restore() throws -> UniformResampler {
      try restored(UniformResampler(), from: archived(self))
    }
  }

  /// The state of a resampler in the middle of a stretch, after a late sample.
  private static func fields() throws -> Fields {
    var result = Resampling(walk(hertz: 104, from: 3_000_000, seconds: 1))
    result.append(TimedSample(500_000_000, 0, 0, 9.8))
    return try restored(Fields(), from: archived(result.resampler))
  }

  @Test(arguments: [.min, -1, 98, 99, 102, .max] as [Int64])
  func aCellThatIsNotOpenIsRejected(nextCell: Int64) throws {
    var fields = try Self.fields()
    fields.nextCell = nextCell
    #expect(throws: DamagedArchive.self) { try fields.restore() }
  }

  @Test(arguments: [true, false]) func invalidSamplesAreRejected(isHeld: Bool) throws {
    var fields = try Self.fields()
    func set(_ nanoseconds: Int64, y: Float = 0) {
      let sample = Sample(nanoseconds: nanoseconds, value: SIMD4(0, y, 0, 0))
      if isHeld { fields.held = sample } else { fields.newest = sample }
    }
    for nanoseconds in [Int64.min, -Timestamp.limit, Timestamp.limit, .max] {
      set(nanoseconds)
      #expect(throws: DamagedArchive.self) { try fields.restore() }
    }
    set(1_003_000_000, y: 1_000)
    #expect(throws: Never.self) { try fields.restore() }
    set(1_003_000_000, y: 1_001)
    #expect(throws: DamagedArchive.self) { try fields.restore() }
  }

  @Test func anInvalidIntegralIsRejected() throws {
    var fields = try Self.fields()
    fields.partial = SIMD4(0, 0, 1e30, 0)
    #expect(throws: DamagedArchive.self) { try fields.restore() }
  }

  @Test func anInvalidRunIsRejected() throws {
    var fields = try Self.fields()
    for run in [SIMD2(5, 4), SIMD2(.min, 0), SIMD2(0, .max)] as [SIMD2<Int64>] {
      fields.reversedRun = run
      #expect(throws: DamagedArchive.self) { try fields.restore() }
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

@Suite struct IntakeCountsTests {
  @Test func theReasonsSumToTheDropped() {
    var counts = IntakeCounts()
    for _ in 0..<100 { counts.count(nil) }
    for (place, reason) in IntakeCounts.DropReason.allCases.enumerated() {
      for _ in 0..<1 << place { counts.count(reason) }
    }
    let byReason = IntakeCounts.DropReason.allCases.map(counts.dropped(for:))
    #expect(byReason == [1, 2, 4, 8, 16])
    #expect(counts.dropped == 31)
    #expect(counts.received == counts.kept + counts.dropped)
  }
}
