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
    .with { $0.track = .random(seed: 5, classes: [.stationary, .walking]) }
    .with { $0.custom = .random(seed: 7, activities: customActivities(("scooter", .cycling))) }

  private func refusal(_ bytes: [UInt8]) -> ModelFileError? { ModelFileError(reading: bytes) }

  private func invalidField(_ bytes: [UInt8]) -> String? { refusal(bytes)?.invalidField }

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
      parameters.function.filteredTemperature = 1.3
      parameters.hindsightDwellFactor = 2.5
      parameters.hindsightEvidenceFactor = 0.2
      parameters.function.hindsightTemperature = 0.6
      let custom = customActivities(("bus", .automotive), ("ski", nil))
      let rows = (0..<3).map { row in (0..<610).map { Double(row) - Double($0 % 7) } }
      for terms in 0..<16 {
        parameters.rotation = terms & 1 == 0 ? nil : .random(seed: 3, classes: classes)
        parameters.custom = terms & 2 == 0 ? nil : .random(seed: 7, activities: custom)
        parameters.track = terms & 4 == 0 ? nil : .random(seed: 5, classes: classes)
        parameters.moments = terms & 8 == 0 ? nil : .init(rounding: rows)
        let model = ActivityModel(parameters)
        #expect(try ActivityModel(file: model.file) == model)
        #expect(try ActivityModel(file: model.file).file == model.file)
      }
    }
  }

  @Test func eachFieldHasItsPlace() throws {
    let (file, features) = (model.file, FeatureExtractor.schema.count)
    #expect(Array(file[..<4]) == Array("LACM".utf8))
    #expect(Array(file[4..<8]) == little(7))
    #expect(Array(file[16..<24]) == little(UInt32(file.count)) + little(0))
    #expect(Array(file[24..<34]) == little(2) + little(0) + [0, 1])
    #expect(Array(file[34..<42]) == little(UInt32(features)) + little(0))
    #expect(Array(file[42..<46]) == little(model.parameters.function.means[0].bitPattern))
    let numbers = features * 8 + 2 * (1 + features * 7) + 8
    let text = model.parameters.manifest.utf8.count
    #expect(file.count == 34 + 4 * 8 + 4 * numbers + 4 + 8 + text + 4)
    for term in [rotating, tracking] { #expect(term.file.count > file.count) }
  }

  @Test func aTermThatIsTakenAwayLeavesNoTrace() {
    #expect(tracking.with { ($0.track, $0.custom) = (nil, nil) }.file == model.file)
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
      if error == .damaged || count < 28 && error == .notAModel { continue }
      Issue.record("\(count) bytes: \(String(describing: error))")
    }
    #expect(refusal(file + [0]) == .damaged)
  }

  @Test func errorsHaveTheValueAndTheExpectedOne() throws {
    let file = model.file
    #expect(refusal(replacing(file, at: 0, with: 7)) == .notAModel)
    for version in 2...6 as ClosedRange<UInt32> {
      let error = try #require(refusal(replacing(file, at: 4, with: version)))
      #expect(error == .unsupportedVersion(found: version, expected: 7))
      #expect(error.description.contains("Datasets/convert-model.py"))
    }
    #expect(
      refusal(sealed(replacing(file, at: 12, with: 3)))
        == .schemaMismatch(found: 3, expected: file.littleEndian(at: 12)))
    #expect(refusal(replacing(file, at: 40, with: 1)) == .damaged, "the checksum")
    #expect(refusal(sealed(replacing(file, at: 16, with: 9))) == .damaged, "the length")
    #expect(refusal(sealed(file[..<32] + [6] + file[33...])) == .damaged, "a class")
    #expect(invalidField(sealed(file[..<33] + [0] + file[34...])) == "classes")
  }

  @Test func hostileCountsAreRejectedBeforeAllocation() {
    let file = model.file
    let manifest = file.count - 4 - model.parameters.manifest.utf8.count - 8
    for offset in [24, 34, manifest] {
      for value in [0, 1, 7, 0x7FFF_FFFF, 0xFFFF_FFFF] as [UInt32] {
        for half in [0, 4] {
          let mutant = sealed(replacing(file, at: offset + half, with: value))
          #expect(mutant == file || refusal(mutant) != nil, "\(value) at \(offset + half)")
        }
      }
    }
    // A missing term, and one that isn't said to be there.
    #expect(refusal(sealed(file[..<(manifest - 4)] + [1] + file[(manifest - 3)...])) == .damaged)
  }

  @Test func invalidNumbersWithAValidChecksumAreRejected() {
    let (file, features) = (model.file, FeatureExtractor.schema.count)
    let settings = 34 + 4 * 8 + 4 * (features * 8 + 2 * (1 + features * 7))
    let places: [(offset: Int, value: Float, field: String)] = [
      (settings, 0, "filteredTemperature"), (settings + 4, 0, "hindsightTemperature"),
      (settings + 8, 0, "windowTemperature"), (settings + 16, -1, "evidenceExponent"),
      (settings + 20, 2, "confidenceThreshold"), (42, 2e9, "means"),
      (42 + 4 * features + 8, 0, "scales"), (42 + 8 * features + 20, 1e9, "knots"),
    ]
    for (offset, value, field) in places {
      let mutant = sealed(replacing(file, at: offset, with: value.bitPattern))
      #expect(invalidField(mutant) == field)
      #expect(refusal(mutant)?.description.isEmpty == false)
    }
    // What is no number is an impossible value already.
    for value in [Float.nan, .infinity, -.infinity] {
      #expect(refusal(sealed(replacing(file, at: 42, with: value.bitPattern))) == .damaged)
    }
  }

  @Test func aManifestThatIsNotTextIsRejected() {
    var damaged = model.file
    damaged[damaged.count - 4 - model.parameters.manifest.utf8.count] = 0xFF
    #expect(refusal(sealed(damaged)) == .damaged)
  }

  @Test func theBuiltInModelIsTheFileInThePackage() throws {
    let file = TestFiles.packageRoot.appendingPathComponent(
      "Sources/Device/CLocomotionModel/default.model")
    #expect(try ActivityModel.default.file == [UInt8](Data(contentsOf: file)))
  }

  /// Half of the mutants get a valid checksum, so that the later checks are reached; files of one
  /// feature have few bytes.
  @Test func mutantsNeverTrap() {
    var parameters = ActivityModel.Parameters.random(
      seed: 5, classes: [.walking, .train], features: 1)
    let plain = ActivityModel(parameters).file
    parameters.rotation = .random(seed: 6, classes: [.walking, .train], features: 1)
    let rotating = ActivityModel(parameters).file
    parameters.rotation = nil
    parameters.custom = .random(
      seed: 7, activities: customActivities(("bus", .automotive), ("ski", nil)), features: 1)
    let custom = ActivityModel(parameters).file
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
      if round % 2 == 0 && mutant.count >= 24 {
        mutant.replaceSubrange(16..<20, with: little(UInt32(mutant.count)))
        mutant = sealed(mutant)
      }
      guard
        let model = try? ActivityModel(
          file: mutant, features: 1, rotationFeatures: 1)
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
