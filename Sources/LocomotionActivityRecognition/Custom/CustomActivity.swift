/// An activity beside the six of ``Activity``, named by who trained the model: a scooter, skiing, a
/// wheelchair.
///
/// One that behaves like an activity of the six is a part of it: a scooter ride is cycling wherever
/// only six activities are known (steps, timeline, map), and ``ActivityDecision/customActivity``
/// says that it is a scooter. One that behaves like none is an "unknown" with
/// ``ActivityDecision/UnknownReason/customActivity``.
public struct CustomActivity: Hashable, Sendable, Codable {
  /// The name in files and on the command line; see ``isValid(name:)``.
  public let name: String
  /// The activity that it is a part of; nil when it behaves like none of the six.
  public let behavesLike: Activity?

  /// An activity of the given name; nil when the name isn't valid.
  public init?(name: String, behavesLike: Activity?) {
    guard Self.isValid(name: name) else { return nil }
    self.init(validName: name, behavesLike: behavesLike)
  }

  init(validName name: String, behavesLike: Activity?) {
    self.name = name
    self.behavesLike = behavesLike
  }

  /// Whether `name` has 1 to 32 lower-case letters, digits, `-` and `_`, begins with a letter, and
  /// is no name that has a meaning already.
  public static func isValid(name: String) -> Bool {
    let bytes = Array(name.utf8)
    guard let first = bytes.first, bytes.count <= longestName, isLetter(first) else { return false }
    let isPlain = bytes.allSatisfy {
      isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x5F
    }
    return isPlain && Activity(name: name) == nil && name != "unknown" && name != "none"
  }

  /// The longest name, bytes.
  static let longestName = 32

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }

  /// Restores an activity; throws when its name isn't valid.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let name = try container.decode(String.self, forKey: .name)
    let parent = try container.decodeIfPresent(Activity.self, forKey: .behavesLike)
    guard let restored = CustomActivity(name: name, behavesLike: parent) else {
      throw DecodingError.dataCorruptedError(
        forKey: .name, in: container, debugDescription: "the name of a custom activity: \(name)")
    }
    self = restored
  }
}

/// The probability of each custom activity, given the activity that it is a part of.
///
/// The custom activities that behave like one activity and the ordinary kind of it are exclusive:
/// their probabilities sum to 1. Those that behave like none are exclusive with each other and with
/// all six.
public struct CustomProbabilities: Hashable, Sendable, Codable {
  /// The probabilities by the position in ``ActivityModel/CustomTerm/activities``; the others 0.
  package var lanes: SIMD8<Float>

  package init(lanes: SIMD8<Float>) {
    self.lanes = lanes
  }

  /// The probability of the custom activity at `index` of ``ActivityModel/CustomTerm/activities``.
  ///
  /// - Precondition: the index is 0 to 7.
  public subscript(index: Int) -> Float { lanes[index] }

  /// Restores eight probabilities.
  public init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    lanes = .zero
    for lane in lanes.indices {
      let value = try container.decode(Float.self)
      guard value >= 0, value <= 1 else {
        throw DecodingError.dataCorruptedError(
          in: container, debugDescription: "probability \(value)")
      }
      lanes[lane] = value
    }
  }

  /// Stores eight probabilities.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for lane in lanes.indices { try container.encode(lanes[lane]) }
  }
}
