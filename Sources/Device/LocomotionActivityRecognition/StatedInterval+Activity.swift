extension StatedInterval {
  /// The class of the activity that is stated; stationary for a visit, and nil for one that is none
  /// of the classes (flying, sailing) or is not told, and for a pause.
  public var activity: Activity? {
    switch kind {
    case .visit: .stationary
    case .activity(let name, _): name.flatMap { Activity(name: $0) ?? Self.classes[$0] }
    case .pause, .unrecorded: nil
    }
  }

  /// The classes of further names of labels.
  private static let classes: [String: Activity] = [
    "hiking": .walking, "mountaineering": .walking, "snowshoeing": .walking,
    "e-biking": .cycling, "scooter": .automotive, "car": .automotive, "bus": .automotive,
    "motorcycle": .automotive, "taxi": .automotive, "metro": .train, "tram": .train,
    "funicular": .train,
  ]
}
