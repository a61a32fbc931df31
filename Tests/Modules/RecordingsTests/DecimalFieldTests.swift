import LocomotionRecordings
import LocomotionSensing
import TestSupport
import Testing

@Suite struct DecimalFieldTests {
  func field(_ text: String) -> DecimalField {
    let bytes = Array("x\(text)y".utf8)
    return DecimalField(bytes, in: 1..<bytes.count - 1)
  }

  /// Up to `digits` random digits, at least `minimum`.
  func digits(_ generator: inout SplitMix64, _ minimum: Int, _ maximum: Int) -> String {
    (0..<Int.random(in: minimum...maximum, using: &generator))
      .map { _ in String(Int.random(in: 0...9, using: &generator)) }.joined()
  }

  @Test func agreesWithTheStandardLibraryOnRandomNumbers() {
    var generator = SplitMix64(seed: 1)
    for _ in 0..<100_000 {
      // Up to 24 digits: the fast path for up to 19, the slow one above.
      var text = ["", "-", "+"].randomElement(using: &generator) ?? ""
      text += digits(&generator, 1, 12)
      if Bool.random(using: &generator) { text += "." + digits(&generator, 0, 12) }
      if Int.random(in: 0..<4, using: &generator) == 0 {
        text += "e\(Int.random(in: -30...30, using: &generator))"
      }
      #expect(field(text).value?.bitPattern == Double(text)?.bitPattern, "\(text)")
    }
  }

  @Test(arguments: [
    "0", "-0", "0.0", ".5", "5.", "1e22", "1e23", "9007199254740993", "0.1", "123456789012345678",
    "1.7976931348623157e308", "5e-324", "2.2250738585072011e-308", "00000000000000000000000001.5",
    "0.000000000000000000000000000000000001", "1E+5", "1e-5", "12345678901234567890.123456789",
  ])
  func agreesWithTheStandardLibraryOnHardNumbers(text: String) {
    #expect(field(text).value?.bitPattern == Double(text)?.bitPattern)
  }

  @Test(arguments: ["", "  ", "nan", "NaN", "-nan", "inf", "-Inf", "+INFINITY", "1e999", "\t"])
  func emptyAndNotFiniteFieldsAreMissing(text: String) {
    #expect(field(text) == .missing)
    #expect(field(text).value?.isNaN == true)
    #expect(field(text).timestamp == nil)
  }

  @Test(arguments: [
    "a", "1a", "1,5", "1 5", "0x10", "1e", "1e+", "e5", ".", "-", "+-1", "1.2.3", "1e5.0", "٣",
    "nano", "in", "1_000", "\u{0}", "1\u{0}", "--1", "1d5", "infinit", "²",
  ])
  func everythingElseIsText(text: String) {
    #expect(field(text) == .text)
    #expect(field(text).value == nil)
  }

  @Test func blanksAroundANumberAreIgnored() {
    #expect(field(" \t-1.25 ").value == -1.25)
  }

  @Test(
    arguments: [
      ("0.02", 20_000_000), ("-0.000000001", -1), ("1", 1_000_000_000), ("1e-9", 1),
      ("2e3", 2_000_000_000_000),
      ("0.0000000005", 1), ("0.0000000004999", 0), ("-0.0000000005", -1),
      // Seconds since 1970 with nine decimals: a Double would be off by up to 119 ns.
      ("1560742841.409123457", 1_560_742_841_409_123_457),
      ("4611686018.427387904", 1 << 62), ("-4611686018.427387904", -1 << 62),
      ("0.00000000000000000000000000000001", 0),
    ] as [(String, Int64)])
  func timesAreExactToTheNanosecond(text: String, nanoseconds: Int64) {
    #expect(field(text).timestamp?.nanoseconds == nanoseconds)
  }

  @Test(arguments: ["4611686018.427387905", "1e10", "-1e300", "9999999999999999999"])
  func timesBeyondTheLimitGiveNil(text: String) {
    #expect(field(text).timestamp == nil)
  }
}
