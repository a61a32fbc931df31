import Foundation
import LocomotionActivityRecognition
import TestSupport
import Testing

@Suite struct ModelFileTests {
  private let model = ActivityModel(.random(seed: 1, classes: [.stationary, .walking]))
  /// A schema of one feature makes files of 200 bytes, which a million mutations can afford.
  private let tiny = FeatureSchema([
    .init(id: "norm.logDeviation", version: 1, definition: "the only one")
  ])

  private func refusal(_ bytes: [UInt8], _ schema: FeatureSchema? = nil) -> ModelFileError? {
    do throws(ModelFileError) {
      _ = try ActivityModel(file: bytes, schema: schema ?? FeatureExtractor.schema)
      return nil
    } catch {
      return error
    }
  }

  /// Writes the right checksum into the last four bytes.
  private func sealed(_ bytes: [UInt8]) -> [UInt8] {
    var checksum = CyclicRedundancyCheck()
    checksum.update(with: bytes.span.extracting(0..<bytes.count - 4))
    return bytes.dropLast(4) + little(checksum.value)
  }

  private func little(_ value: UInt32) -> [UInt8] {
    [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  private func replacing(_ bytes: [UInt8], at offset: Int, with value: UInt32) -> [UInt8] {
    bytes[..<offset] + little(value) + bytes[(offset + 4)...]
  }

  @Test func theChecksumIsThatOfZip() {
    var checksum = CyclicRedundancyCheck()
    #expect(checksum.value == 0)
    let digits = Array("123456789".utf8)
    checksum.update(with: digits.span.extracting(0..<5))
    checksum.update(with: digits.span.extracting(5..<9))
    #expect(checksum.value == 0xCBF4_3926)
  }

  @Test func aFileGivesTheModelBack() throws {
    for classes in [[.train, .cycling], Activity.allCases] as [[Activity]] {
      var parameters = ActivityModel.Parameters.random(seed: 2, classes: classes)
      parameters.filteredTemperature = 1.3
      parameters.hindsightDwellFactor = 2.5
      parameters.hindsightEvidenceFactor = 0.2
      parameters.hindsightTemperature = 0.6
      let model = ActivityModel(parameters)
      #expect(try ActivityModel(file: model.file) == model)
      #expect(try ActivityModel(file: model.file).file == model.file)
    }
  }

  @Test func theFileIsAsSmallAsItsNumbers() {
    let model = ActivityModel(.random(seed: 3))
    let features = FeatureExtractor.schema.count
    let numbers = 6 + features * 8 + 6 * (1 + features * 7)
    #expect(model.file.count == 68 + 4 * numbers + model.parameters.manifest.utf8.count + 4)
  }

  @Test func theHeaderStaysWhereReadersLookForIt() {
    let file = model.file
    #expect(Array(file[..<4]) == Array("LACM".utf8))
    #expect(Array(file[4..<8]) == [2, 0, 0, 0])
    #expect(Array(file[8..<12]) == little(FeatureExtractor.schema.digest))
    #expect(Array(file[12..<16]) == little(UInt32(file.count)))
    #expect(Array(file[36..<40]) == little(Float(0.7).bitPattern))
  }

  @Test func everyFlippedBitIsFound() {
    var file = model.file
    for index in file.indices {
      for bit in 0..<8 {
        file[index] ^= 1 << UInt8(bit)
        if refusal(file) == nil { Issue.record("bit \(bit) of byte \(index) went unnoticed") }
        file[index] ^= 1 << UInt8(bit)
      }
    }
    #expect(refusal(file) == nil)
  }

  @Test func everyTruncationIsFound() {
    let file = model.file
    for count in file.indices {
      guard case .wrongLength(let found, _, _) = refusal(Array(file[..<count])) else {
        Issue.record("\(count) bytes went unnoticed")
        continue
      }
      #expect(found == count)
    }
    #expect(refusal(file + [0]) != nil)
  }

  @Test func errorsSayWhatWhereAndWhatWasExpected() {
    let file = model.file
    let end = file.count - 4
    #expect(
      refusal(replacing(file, at: 0, with: 7))
        == .notAModel(found: 7, expected: 0x4D43_414C, offset: 0))
    #expect(
      refusal(replacing(file, at: 4, with: 1))
        == .unsupportedVersion(found: 1, expected: 2, offset: 4))
    #expect(
      refusal(sealed(replacing(file, at: 8, with: 3)))
        == .schemaMismatch(found: 3, expected: FeatureExtractor.schema.digest, offset: 8))
    #expect(
      refusal(replacing(file, at: 12, with: 9))
        == .wrongLength(found: file.count, expected: 9, offset: 12))
    guard case .checksumMismatch(_, _, offset: end) = refusal(replacing(file, at: 20, with: 1))
    else {
      Issue.record("expected a wrong checksum")
      return
    }
    #expect(
      refusal(sealed(replacing(file, at: 68, with: 6))) == .unknownClass(found: 6, offset: 68))
  }

  @Test func hostileCountsAreRefusedBeforeAnyMemoryIsTaken() {
    let file = model.file
    for (offset, expected) in [(16, "classes"), (20, "features"), (24, "knots per feature")] {
      for value in [0, 1, 7, 0x7FFF_FFFF, 0xFFFF_FFFF] as [UInt32] {
        guard
          case .invalidCount(expected, value, _, offset) =
            refusal(sealed(replacing(file, at: offset, with: value)))
        else {
          Issue.record("\(value) \(expected) went unnoticed")
          continue
        }
      }
    }
    let error = refusal(sealed(replacing(file, at: 28, with: 0xFFFF_FFFF)))
    guard case .invalidCount("bytes of manifest", _, _, 28) = error else {
      Issue.record("expected a refused manifest, got \(String(describing: error))")
      return
    }
    // A plausible count that doesn't fill the file.
    #expect(refusal(sealed(replacing(file, at: 28, with: 1 << 20))) != nil)
    #expect(refusal(sealed(replacing(file, at: 16, with: 6))) != nil)
  }

  @Test func wrongNumbersUnderARightChecksumAreRefused() {
    let file = model.file
    let features = FeatureExtractor.schema.count
    let arrays = 68 + 4 * 2
    let places: [(offset: Int, value: Float, field: String)] = [
      (36, 0, "windowTemperature"), (40, .nan, "dwellSeconds"), (44, -1, "evidenceExponent"),
      (48, 2, "doubtThreshold"), (52, .infinity, "filteredTemperature"),
      (56, 0, "hindsightDwellFactor"), (60, .nan, "hindsightEvidenceFactor"),
      (64, 0, "hindsightTemperature"),
      (arrays, .nan, "means"), (arrays + 4 * features, 0, "scales"),
      (arrays + 8 * features + 4, .infinity, "knots"),
      (arrays + 32 * features, -.infinity, "weights"),
    ]
    for (offset, value, field) in places {
      let error = refusal(sealed(replacing(file, at: offset, with: value.bitPattern)))
      guard case .invalidNumber(let defect, offset) = error else {
        Issue.record("\(field): \(String(describing: error))")
        continue
      }
      #expect(defect.field == field)
      #expect(error?.description.isEmpty == false)
    }
    #expect(refusal(sealed(replacing(file, at: 72, with: 0))) != nil, "a repeated class")
  }

  @Test func aManifestThatIsNotTextIsRefused() {
    let file = model.file
    let start = file.count - 4 - model.parameters.manifest.utf8.count
    var damaged = file
    damaged[start] = 0xFF
    #expect(refusal(sealed(damaged)) == .invalidText(offset: start))
  }

  /// Half of the mutants get a right checksum, so that the checks behind it are reached.
  @Test func aMillionMutantsNeverTrap() {
    let seed = ActivityModel(.random(seed: 5, classes: [.walking, .train], features: 1))
      .file(schema: tiny)
    var random = SplitMix64(seed: 99)
    var accepted = 0
    let features: [Float] = [0.5]
    for round in 0..<1_000_000 {
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
      guard let model = try? ActivityModel(file: mutant, schema: tiny) else { continue }
      accepted += 1
      let probabilities = model.probabilities(of: features.span)
      let sum = Activity.allCases.reduce(0) { $0 + probabilities[$1] }
      if abs(sum - 1) > 1e-5 { Issue.record("sum \(sum) in round \(round)") }
    }
    // Enough of them passed every check: the evaluation was exercised as well.
    #expect(accepted > 10_000)
  }

  @Test func hexadecimalTextGivesTheModelBack() throws {
    let text = model.hexadecimal
    #expect(text.count == 2 * model.file.count)
    #expect(try ActivityModel.embedded(hexadecimal: text) == model)
    #expect(try ActivityModel.embedded(hexadecimal: text.uppercased()) == model)
    let broken = text.enumerated().map { $0 % 97 == 96 ? "\($1)\n  " : "\($1)" }.joined()
    #expect(try ActivityModel.embedded(hexadecimal: broken) == model)
  }

  @Test func wrongHexadecimalTextIsRefused() {
    func refusal(_ text: String) -> ModelFileError? {
      do throws(ModelFileError) {
        _ = try ActivityModel.embedded(hexadecimal: text)
        return nil
      } catch {
        return error
      }
    }
    #expect(refusal("4c 4g") == .invalidHexadecimal(offset: 4))
    #expect(refusal("4c4") == .invalidHexadecimal(offset: 3))
    #expect(refusal("4c–") == .invalidHexadecimal(offset: 2))
    #expect(refusal("") == .wrongLength(found: 0, expected: 72, offset: 0))
  }

  @Test func swiftSourceFitsItsColumnsAndHoldsTheModel() throws {
    let source = model.swiftSource(named: "DefaultModel")
    let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.allSatisfy { $0.count <= 100 })
    #expect(lines.count < 400)
    #expect(source.contains("enum DefaultModel {\n  static let hex = \"\"\"\n"))
    let literal = source.components(separatedBy: "\"\"\"")
    #expect(literal.count == 3)
    #expect(try ActivityModel.embedded(hexadecimal: literal[1]) == model)
  }
}
