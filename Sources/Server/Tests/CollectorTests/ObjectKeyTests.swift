import LocomotionJournal
import LocomotionSensing
import Testing

@testable import LocomotionServer

@Suite struct ObjectKeyTests {
  private static let digest = SHA256Digest(of: [])

  private static func key(_ user: String, _ seconds: Double = 0) -> ObjectKey {
    ObjectKey(user: user, firstEvent: Timestamp(seconds: seconds), digest: digest)
  }

  @Test(arguments: [
    ("ada", "ada"), ("ada_1-b", "ada_1-b"), ("Ada", "%41da"), ("..", "%2E%2E"), (".", "%2E"),
    ("a/b", "a%2Fb"), ("../../etc", "%2E%2E%2F%2E%2E%2Fetc"), ("a\\b", "a%5Cb"),
    ("a%2Fb", "a%252%46b"),
    ("zoë", "zo%C3%AB"), ("zoe\u{308}", "zo%C3%AB"), ("a b", "a%20b"), ("a=b", "a%3Db"),
    ("~", "%7E"), ("con", "con"), ("a\u{0}b", "a%00b"),
  ])
  func aNameStaysInItsFolder(name: String, text: String) {
    #expect(ObjectKey.Owner(user: name).text == text)
    #expect(ObjectKey.Owner(user: name).user == name)
  }

  @Test func longNamesAreReplacedByADigestAndStayApart() {
    let names = (0..<3).map { String(repeating: "☃", count: 40) + "\($0)" }
    let owners = names.map { ObjectKey.Owner(user: $0) }
    #expect(Set(owners).count == 3)
    for owner in owners {
      #expect(owner.text.utf8.count == 65 && owner.text.hasPrefix("~"))
      #expect(owner.user == nil)
    }
  }

  @Test func randomNamesComeBack() {
    var random = SplitMix64(seed: 1)
    for _ in 0..<2_000 {
      let count = Int(random.next() % 20) + 1
      var name = ""
      for _ in 0..<count {
        if let scalar = Unicode.Scalar(UInt32(random.next() % 0x3000)) {
          name.unicodeScalars.append(scalar)
        }
      }
      let key = Self.key(name, Double(random.next() % 2_000_000_000))
      #expect(ObjectKey(key.text) == key)
      if let user = key.owner.user { #expect(user == name) }
      #expect(key.text.split(separator: "/").count == 3)
      #expect(key.text.utf8.allSatisfy { 0x21...0x7E ~= $0 })
    }
  }

  @Test(arguments: [
    (0.0, "1970-01-01"), (-1.0, "1969-12-31"), (86_399.999, "1970-01-01"), (86_400.0, "1970-01-02"),
    (951_782_400.0, "2000-02-29"), (1_709_164_800.0, "2024-02-29"), (1_709_251_200.0, "2024-03-01"),
    (4_107_542_400.0, "2100-03-01"), (-2_203_891_200.0, "1900-03-01"),
  ])
  func theDayIsThatOfUTC(seconds: Double, day: String) {
    #expect(Self.key("ada", seconds).day == day)
  }

  @Test func aUnitWithoutEventsHasADayOfItsOwn() {
    #expect(ObjectKey(user: "a", firstEvent: nil, digest: Self.digest).day == "0000-00-00")
  }

  @Test func othersAreNoKeys() {
    let good = Self.key("ada").text
    #expect(ObjectKey(good) != nil)
    let digest = Self.digest.hexadecimal
    for text in [
      "", "/", good + "/", "/" + good, good.uppercased(), good.replacing("ada", with: "Ada"),
      good.replacing("ada", with: ".."), good.replacing("ada", with: ""),
      good.replacing("ada", with: "%41"), good.replacing("ada", with: "%61da"),
      good.replacing("ada", with: "%2e"), good.replacing("ada", with: "%"),
      good.replacing("ada", with: "~abc"), good.replacing("1970-01-01", with: "1970-1-01"),
      good.replacing(".loco", with: ""), "user=ada/day=1970-01-01/../\(digest).loco",
      "user=ada/\(digest).loco", good.replacing("user=", with: "User="),
    ] {
      // '%41' is the right way to write 'A'.
      #expect((ObjectKey(text) != nil) == text.contains("user=%41/"), "\(text)")
    }
  }
}
