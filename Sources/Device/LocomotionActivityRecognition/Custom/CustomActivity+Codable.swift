#if !hasFeature(Embedded)
  extension CustomActivity: Codable {
    private enum CodingKeys: CodingKey {
      case name, behavesLike
    }

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

    /// Stores the name and what the activity behaves like.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
      try container.encodeIfPresent(behavesLike, forKey: .behavesLike)
    }
  }

  extension CustomProbabilities: Codable {
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
#else
  extension CustomActivity: Codable {}
  extension CustomProbabilities: Codable {}
#endif
