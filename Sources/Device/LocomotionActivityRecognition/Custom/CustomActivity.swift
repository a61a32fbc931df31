/// An activity beside the six of ``Activity``, named by who trained the model: a scooter, skiing, a
/// wheelchair.
///
/// One that behaves like an activity of the six is a part of it: a scooter ride is cycling wherever
/// only six activities are known (steps, timeline, map), and ``ActivityDecision/customActivity``
/// says that it is a scooter. One that behaves like none is an "unknown" with
/// ``ActivityDecision/UnknownReason/customActivity``.
public struct CustomActivity: Hashable, Sendable {
  /// The name in place, filled up with zeros: decisions hold it, and are copied without counting
  /// references.
  private let inlineName: SIMD32<UInt8>
  /// The activity that it is a part of; nil when it behaves like none of the six.
  public let behavesLike: Activity?

  /// What is none of the six and has no name of its own: jumping, rowing, climbing, chores.
  ///
  /// The built-in model has it.
  public static let other = CustomActivity(validName: Array("other".utf8), behavesLike: nil)

  /// An activity of the given name; nil when the name isn't valid.
  public init?(name: String, behavesLike: Activity?) {
    self.init(nameBytes: Array(name.utf8), behavesLike: behavesLike)
  }

  /// The same, given the name as UTF-8.
  init?(nameBytes: [UInt8], behavesLike: Activity?) {
    guard Self.isValid(nameBytes) else { return nil }
    self.init(validName: nameBytes, behavesLike: behavesLike)
  }

  init(validName: [UInt8], behavesLike: Activity?) {
    var name = SIMD32<UInt8>.zero
    for (place, byte) in validName.enumerated() { name[place] = byte }
    inlineName = name
    self.behavesLike = behavesLike
  }

  /// The name as UTF-8.
  package var nameBytes: [UInt8] {
    inlineName.indices.map { inlineName[$0] }.filter { $0 != 0 }
  }

  /// The name in files and on the command line; see ``isValid(name:)``.
  public var name: String { String(decoding: nameBytes, as: UTF8.self) }

  /// Whether `name` has 1 to 32 lower-case letters, digits, `-` and `_`, begins with a letter, and
  /// is no name that has a meaning already.
  public static func isValid(name: String) -> Bool { isValid(Array(name.utf8)) }

  private static func isValid(_ bytes: [UInt8]) -> Bool {
    guard let first = bytes.first, bytes.count <= longestName, isLetter(first) else { return false }
    let isPlain = bytes.allSatisfy {
      isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x5F
    }
    let taken =
      Activity.allCases.map { Array($0.name.utf8) } + ["unknown", "none"].map { Array($0.utf8) }
    return isPlain && !taken.contains(bytes)
  }

  /// The longest name, bytes.
  static let longestName = 32

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
}

#if !hasFeature(Embedded)
  extension CustomActivity {
    /// The name, and after a space the name of the activity that it is a part of, if any.
    package var text: String { behavesLike.map { "\(name) \($0.name)" } ?? name }

    /// An activity from its ``text``; nil when it is none.
    package init?(text: String) {
      let words = text.split(separator: " ", omittingEmptySubsequences: false)
      let parent = words.dropFirst().first.flatMap { Activity(name: String($0)) }
      guard words.count == (parent == nil ? 1 : 2) else { return nil }
      self.init(name: String(words[0]), behavesLike: parent)
    }
  }

  extension CustomActivity: Codable {
    /// An activity from a text: its name, and after a space what it behaves like, if anything.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: `DecodingError` for a name that is not valid.
    public init(from decoder: any Decoder) throws {
      let text = try decoder.singleValueContainer().decode(String.self)
      guard let activity = CustomActivity(text: text) else {
        throw DecodingError.dataCorrupted(
          DecodingError.Context(
            codingPath: decoder.codingPath,
            debugDescription: "expected the name of a custom activity, found \"\(text)\""))
      }
      self = activity
    }

    /// Encodes the name, and after a space what the activity behaves like, if anything.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }
  }
#endif

/// The probability of each custom activity, given the activity that it is a part of.
///
/// The custom activities that behave like one activity and the ordinary kind of it are exclusive:
/// their probabilities sum to 1. Those that behave like none are exclusive with each other and with
/// all six.
public struct CustomProbabilities: Equatable, Sendable {
  /// The probabilities by the position in ``ActivityModel/CustomTerm/activities``; the others 0.
  package var lanes: SIMD8<Float>

  /// The probability of the custom activity at `index` of ``ActivityModel/CustomTerm/activities``.
  ///
  /// - Precondition: the index is 0 to 7.
  public subscript(index: Int) -> Float { lanes[index] }
}
