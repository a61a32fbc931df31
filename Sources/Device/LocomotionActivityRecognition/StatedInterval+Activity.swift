public import LocomotionSensing

extension StatedInterval {
  /// The class of the activity that is stated; stationary for a visit, and nil for one that is none
  /// of the classes (flying, sailing) or is not told.
  public var activity: Activity? {
    guard case .activity(let name, _) = kind else { return .stationary }
    return name.flatMap { Activity(name: $0) ?? Self.classes[$0] }
  }

  /// The classes of further names of labels.
  private static let classes: [String: Activity] = [
    "hiking": .walking, "scooter": .automotive, "car": .automotive, "bus": .automotive,
    "motorcycle": .automotive, "taxi": .automotive, "metro": .train, "tram": .train,
    "funicular": .train,
  ]
}
