/// What a person is doing, as one of six exclusive classes.
public enum Activity: Int, CaseIterable, Hashable, Sendable {
  /// Standing, sitting or lying; also a phone on a table.
  case stationary
  /// Going on foot, stairs included.
  case walking
  /// Running or jogging.
  case running
  /// Riding a bicycle.
  case cycling
  /// Riding a road vehicle: car, bus, motorcycle.
  case automotive
  /// Riding a rail vehicle: train, metro, tram. It is automotive too; see ``isMotorized``.
  case train

  /// The class's name in files and on the command line.
  public var name: String {
    switch self {
    case .stationary: "stationary"
    case .walking: "walking"
    case .running: "running"
    case .cycling: "cycling"
    case .automotive: "automotive"
    case .train: "train"
    }
  }

  /// The class with this ``name``, or nil.
  public init?(name: String) {
    guard let match = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = match
  }

  /// Whether the class is a road or rail vehicle.
  public var isMotorized: Bool { self == .automotive || self == .train }

  /// Whether the class is riding: by bicycle or vehicle, without a step.
  package var isRide: Bool { self == .cycling || isMotorized }

  /// The class on the first level, which has one class for all vehicles: ``automotive``.
  public var parent: Activity { self == .train ? .automotive : self }
}

#if !hasFeature(Embedded)
  extension Activity: Codable {}
#endif
