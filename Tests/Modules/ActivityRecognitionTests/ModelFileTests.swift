import Foundation
import LocomotionActivityRecognition
import TestSupport
import Testing

@Suite struct ModelFileTests {
  private let model = ActivityModel(.random(seed: 1, classes: [.stationary, .walking]))
  private let rotating: ActivityModel = {
    var parameters = ActivityModel.Parameters.random(seed: 1, classes: [.stationary, .walking])
    parameters.rotation = .random(seed: 2, classes: [.stationary, .walking])
    return ActivityModel(parameters)
  }()
  private let tracking = ActivityModel(.random(seed: 1, classes: [.stationary, .walking]))
    .with(track: .random(seed: 5, classes: [.stationary, .walking]))
  /// A schema of one feature makes files of 200 bytes, small enough for a million mutations.
  private let tiny = FeatureSchema([
    .init(id: "norm.logDeviation", version: 1, definition: "the only one")
  ])

  private let tinyRotation = FeatureSchema([
    .init(id: "rotation.logPower", version: 1, definition: "the only one")
  ])

  private func refusal(_ bytes: [UInt8]) -> ModelFileError? { ModelFileError(reading: bytes) }

  private func replacing(_ bytes: [UInt8], at offset: Int, with value: UInt32) -> [UInt8] {
    bytes[..<offset] + little(value) + bytes[(offset + 4)...]
  }

  @Test func theChecksumMatchesZips() {
    var checksum = CyclicRedundancyCheck()
    #expect(checksum.value == 0)
    let digits = Array("123456789".utf8)
    checksum.update(with: digits[0..<5].span)
    checksum.update(with: digits[5..<9].span)
    #expect(checksum.value == 0xCBF4_3926)
  }

  @Test func aModelRoundTripsThroughItsFile() throws {
    for classes in [[.train, .cycling], Activity.allCases] as [[Activity]] {
      var parameters = ActivityModel.Parameters.random(seed: 2, classes: classes)
      parameters.filteredTemperature = 1.3
      parameters.hindsightDwellFactor = 2.5
      parameters.hindsightEvidenceFactor = 0.2
      parameters.hindsightTemperature = 0.6
      for rotation in [nil, ActivityModel.RotationTerm.random(seed: 3, classes: classes)] {
        parameters.rotation = rotation
        let model = ActivityModel(parameters)
        #expect(try ActivityModel(file: model.file) == model)
        #expect(try ActivityModel(file: model.file).file == model.file)
      }
    }
  }

  @Test func theFileHasNoPadding() {
    let model = ActivityModel(.random(seed: 3))
    let features = FeatureExtractor.schema.count
    let numbers = 6 + features * 8 + 6 * (1 + features * 7)
    let text = model.parameters.manifest.utf8.count
    #expect(model.file.count == 76 + 4 * numbers + text + 4)
    var parameters = model.parameters
    parameters.rotation = .random(seed: 4)
    let rotation = RotationFeatureExtractor.schema.count
    let more = 2 + rotation * 8 + 6 * (1 + rotation * 7)
    #expect(ActivityModel(parameters).file.count == 76 + 4 * (numbers + more) + text + 4)
  }

  @Test func aTermForFixesChangesNoOtherByte() throws {
    for custom in [nil, customActivities(("bus", .automotive))] as [[CustomActivity]?] {
      var parameters = rotating.parameters
      parameters.custom = custom.map { .random(seed: 7, activities: $0) }
      let without = ActivityModel(parameters)
      parameters.track = .random(seed: 5, classes: parameters.classes)
      let with = ActivityModel(parameters)
      #expect(try ActivityModel(file: with.file) == with)
      #expect(try ActivityModel(file: with.file).file == with.file)
      let features = TrackFeatureExtractor.schema.count
      let numbers = 4 + features * 8 + 2 * (1 + features * 7)
      let header = custom == nil ? 12 : 8
      #expect(with.file.count == without.file.count + 4 * numbers + header)
      #expect(Array(with.file[4..<8]) == [5, 0, 0, 0])
      #expect(
        Array(with.file[80..<88]) == little(TrackFeatureExtractor.schema.digest)
          + little(UInt32(features)))
      #expect(
        Array(with.file[88..<4_000]) == Array(without.file[(88 - header)..<(4_000 - header)]))
      #expect(with.with(track: nil).file == without.file)
    }
  }

  @Test func aTermForOtherFeaturesOfFixesIsRefused() {
    let file = tracking.file
    #expect(
      refusal(sealed(replacing(file, at: 80, with: 3)))
        == .schemaMismatch(found: 3, expected: TrackFeatureExtractor.schema.digest, offset: 80))
    let count = UInt32(TrackFeatureExtractor.schema.count)
    #expect(
      refusal(sealed(replacing(file, at: 84, with: 9)))
        == .invalidCount(
          field: "features of fixes", found: 9, expected: count...count, offset: 84))
    let scale =
      file.count - 4 - tracking.parameters.manifest.utf8.count
      - 4 * 2 * (1 + Int(count) * 7) - 4 * Int(count) * 7
    let error = refusal(sealed(replacing(file, at: scale, with: 0)))
    #expect(error?.invalidField == "track.scales at byte \(scale)")
  }

  @Test func headerFieldsHaveTheirOffsets() {
    let file = model.file
    #expect(Array(file[..<4]) == Array("LACM".utf8))
    #expect(Array(file[4..<8]) == [3, 0, 0, 0])
    #expect(Array(file[8..<12]) == little(FeatureExtractor.schema.digest))
    #expect(Array(file[12..<16]) == little(UInt32(file.count)))
    #expect(Array(file[36..<40]) == little(Float(0.7).bitPattern))
    #expect(Array(file[68..<76]) == little(0) + little(0))
    let rotation = RotationFeatureExtractor.schema
    #expect(
      Array(rotating.file[68..<76]) == little(rotation.digest) + little(UInt32(rotation.count)))
  }

  @Test func everyFlippedBitIsDetected() {
    for var file in [model.file, rotating.file, tracking.file] { expectFlippedBitsFound(&file) }
  }

  private func expectFlippedBitsFound(_ file: inout [UInt8]) {
    for index in file.indices {
      for bit in 0..<8 {
        file[index] ^= 1 << UInt8(bit)
        if refusal(file) == nil { Issue.record("bit \(bit) of byte \(index) went unnoticed") }
        file[index] ^= 1 << UInt8(bit)
      }
    }
    #expect(refusal(file) == nil)
  }

  @Test(arguments: [false, true])
  func everyTruncationIsDetected(hasRotation: Bool) {
    let file = (hasRotation ? rotating : model).file
    for count in file.indices {
      let error = refusal(Array(file[..<count]))
      if case .wrongLength(count, _, _)? = error { continue }
      Issue.record("\(count) bytes: \(String(describing: error))")
    }
    #expect(refusal(file + [0]) != nil)
  }

  @Test func errorsHaveTheValueTheOffsetAndTheExpectedValue() {
    let file = model.file
    let end = file.count - 4
    #expect(
      refusal(replacing(file, at: 0, with: 7))
        == .notAModel(found: 7, expected: 0x4D43_414C, offset: 0))
    #expect(
      refusal(replacing(file, at: 4, with: 2))
        == .unsupportedVersion(found: 2, expected: 3, offset: 4))
    #expect(
      refusal(sealed(replacing(file, at: 8, with: 3)))
        == .schemaMismatch(found: 3, expected: FeatureExtractor.schema.digest, offset: 8))
    #expect(
      refusal(replacing(file, at: 12, with: 9))
        == .wrongLength(found: file.count, expected: 9, offset: 12))
    let checksum = refusal(replacing(file, at: 20, with: 1))
    let isMismatch = if case .checksumMismatch(_, _, end)? = checksum { true } else { false }
    #expect(isMismatch, "\(String(describing: checksum))")
    #expect(
      refusal(sealed(replacing(file, at: 76, with: 6))) == .unknownClass(found: 6, offset: 76))
    #expect(
      refusal(sealed(replacing(file, at: 68, with: 3)))
        == .schemaMismatch(found: 3, expected: 0, offset: 68))
    #expect(
      refusal(sealed(replacing(rotating.file, at: 68, with: 3)))
        == .schemaMismatch(
          found: 3, expected: RotationFeatureExtractor.schema.digest, offset: 68))
  }

  @Test func hostileCountsAreRejectedBeforeAllocation() {
    let file = model.file
    for (offset, expected) in [(16, "classes"), (20, "features"), (24, "knots per feature")] {
      for value in [0, 1, 7, 0x7FFF_FFFF, 0xFFFF_FFFF] as [UInt32] {
        let error = refusal(sealed(replacing(file, at: offset, with: value)))
        if case .invalidCount(expected, value, _, offset)? = error { continue }
        Issue.record("\(value) \(expected): \(String(describing: error))")
      }
    }
    for value in [1, 7, 23, 0x7FFF_FFFF, 0xFFFF_FFFF] as [UInt32] {
      #expect(
        refusal(sealed(replacing(file, at: 72, with: value)))
          == .invalidCount(field: "rotation features", found: value, expected: 0...22, offset: 72))
    }
    // A missing term, and one that isn't counted.
    #expect(refusal(sealed(replacing(file, at: 72, with: 22))) != nil)
    #expect(refusal(sealed(replacing(rotating.file, at: 72, with: 0))) != nil)
    let error = refusal(sealed(replacing(file, at: 28, with: 0xFFFF_FFFF)))
    #expect(error?.invalidField == "bytes of manifest at byte 28")
    // A plausible count that doesn't fill the file.
    #expect(refusal(sealed(replacing(file, at: 28, with: 1 << 20))) != nil)
    #expect(refusal(sealed(replacing(file, at: 16, with: 6))) != nil)
  }

  @Test func invalidNumbersWithAValidChecksumAreRejected() {
    let file = rotating.file
    let features = FeatureExtractor.schema.count
    let arrays = 76 + 4 * 2
    let term = arrays + 32 * features + 4 * 2 * (1 + 7 * features)
    let rotation = RotationFeatureExtractor.schema.count
    let places: [(offset: Int, value: Float, field: String)] = [
      (36, 0, "windowTemperature"), (40, .nan, "dwellSeconds"), (44, -1, "evidenceExponent"),
      (48, 2, "confidenceThreshold"), (52, .infinity, "filteredTemperature"),
      (56, 0, "hindsightDwellFactor"), (60, .nan, "hindsightEvidenceFactor"),
      (64, 0, "hindsightTemperature"),
      (arrays, .nan, "means"), (arrays + 4 * features, 0, "scales"),
      (arrays + 8 * features + 4, .infinity, "knots"),
      (arrays + 32 * features, -.infinity, "weights"),
      (term, 0, "rotation.filteredTemperature"), (term + 4, .nan, "rotation.hindsightTemperature"),
      (term + 8, .nan, "rotation.means"), (term + 8 + 4 * rotation, 0, "rotation.scales"),
      (term + 8 + 8 * rotation + 4, .infinity, "rotation.knots"),
      (term + 8 + 32 * rotation, -.infinity, "rotation.weights"),
    ]
    for (offset, value, field) in places {
      let error = refusal(sealed(replacing(file, at: offset, with: value.bitPattern)))
      #expect(error?.invalidField == "\(field) at byte \(offset)")
      #expect(error?.description.isEmpty == false)
    }
    #expect(refusal(sealed(replacing(file, at: 80, with: 0))) != nil, "a repeated class")
  }

  @Test func aManifestThatIsNotTextIsRejected() {
    let file = model.file
    let start = file.count - 4 - model.parameters.manifest.utf8.count
    var damaged = file
    damaged[start] = 0xFF
    #expect(refusal(sealed(damaged)) == .invalidText(offset: start))
  }

  @Test func theBuiltInModelIsTheFileInThePackage() throws {
    let file = TestFiles.packageRoot.appendingPathComponent(
      "Sources/Device/CLocomotionModel/default.model")
    #expect(try ActivityModel.default.file == [UInt8](Data(contentsOf: file)))
  }

  /// Half of the mutants get a valid checksum, so that the later checks are reached.
  @Test func mutantsNeverTrap() {
    var parameters = ActivityModel.Parameters.random(
      seed: 5, classes: [.walking, .train], features: 1)
    let plain = ActivityModel(parameters).file(schema: tiny, rotationSchema: tinyRotation)
    parameters.rotation = .random(seed: 6, classes: [.walking, .train], features: 1)
    let rotating = ActivityModel(parameters).file(schema: tiny, rotationSchema: tinyRotation)
    parameters.rotation = nil
    parameters.custom = .random(
      seed: 7, activities: customActivities(("bus", .automotive), ("ski", nil)), features: 1)
    let custom = ActivityModel(parameters).file(schema: tiny, rotationSchema: tinyRotation)
    var random = SplitMix64(seed: 99)
    var (accepted, acceptedRotating) = (0, 0)
    let features: [Float] = [0.5]
    let rates: [Float] = [-0.5]
    let rounds = TestLength.runs(100_000, long: 1_000_000)
    for round in 0..<rounds {
      let seed = round % 8 < 2 ? plain : round % 8 < 4 ? custom : rotating
      var mutant = seed
      for _ in 0...Int(random.next() % 4) {
        let position = Int(random.next() % UInt64(mutant.count))
        switch random.next() % 8 {
        case 0: mutant.removeSubrange(position..<min(mutant.count, position + 4))
        case 1: mutant.insert(UInt8(truncatingIfNeeded: random.next()), at: position)
        case 2: mutant[position] = 0xFF
        default: mutant[position] = UInt8(truncatingIfNeeded: random.next())
        }
        if mutant.isEmpty { mutant = seed }
      }
      if round % 2 == 0 && mutant.count >= 16 {
        mutant.replaceSubrange(12..<16, with: little(UInt32(mutant.count)))
        mutant = sealed(mutant)
      }
      guard
        let model = try? ActivityModel(
          file: mutant, schema: tiny, rotationSchema: tinyRotation)
      else { continue }
      accepted += 1
      if model.rotationFeatureCount > 0 { acceptedRotating += 1 }
      let probabilities = model.probabilities(of: features.slice.span, rotation: rates.slice.span)
      let sum = Activity.allCases.reduce(0) { $0 + probabilities[$1] }
      if abs(sum - 1) > 1e-5 { Issue.record("sum \(sum) in round \(round)") }
    }
    // Enough of them passed every check: the evaluation was exercised as well.
    #expect(accepted > rounds / 100)
    #expect(acceptedRotating > rounds / 200)
  }
}
