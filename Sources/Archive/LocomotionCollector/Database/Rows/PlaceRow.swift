/// A place that one device's journal remembers.
public struct PlaceRow: Hashable, Sendable {
  /// The place's number, unique on its device.
  public var number: Int
  /// The user's name for it; nil when nobody named it.
  public var name: String?
  /// Its centre.
  public var position: ItemRow.Point
  /// The radius, metres.
  public var radius: Double
  /// Whether it was learned from a stay, and the user has neither named nor added it.
  public var isLearned: Bool

  /// A row from its values.
  public init(
    number: Int, name: String?, position: ItemRow.Point, radius: Double, isLearned: Bool
  ) {
    self.number = number
    self.name = name
    self.position = position
    self.radius = radius
    self.isLearned = isLearned
  }
}
