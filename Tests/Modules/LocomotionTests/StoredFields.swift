import LocomotionSensing
import LocomotionSignals

/// What a value stores, property by property, by reflection: none is forgotten when a type gets a
/// new one.
struct StoredFields {
  /// A text for each stored value, by its path from the whole.
  private var texts: [String: String] = [:]
  /// The property that a path ends with, as "Type.property".
  private var properties: [String: String] = [:]

  /// What `value` stores, but for settings and for what `omitted` names as "Type.property".
  init(of value: Any, omitting omitted: Set<String>) {
    add(value, at: "", of: "", omitting: omitted)
  }

  /// All properties.
  var allProperties: Set<String> { Set(properties.values) }

  /// The properties of which a value differs from that at the same path of `other`.
  func differences(from other: StoredFields) -> Set<String> {
    let paths = Set(texts.keys).union(other.texts.keys).filter { texts[$0] != other.texts[$0] }
    return Set(paths.compactMap { properties[$0] ?? other.properties[$0] })
  }

  private mutating func add(
    _ value: Any, at path: String, of property: String, omitting omitted: Set<String>
  ) {
    let mirror = Mirror(reflecting: value)
    if let ring = value as? SampleRing {
      // Its memory also holds what the window has left behind.
      texts[path] = ring.withLatest(ring.count) { cells in
        "\(ring.capacity)" + cells.indices.map { " \(cells[$0])" }.joined()
      }
      properties[path] = property
    } else if mirror.children.isEmpty || value is any SIMD {
      texts[path] = "\(value)"
      properties[path] = property
    } else if mirror.displayStyle == .optional {
      for child in mirror.children {
        add(child.value, at: path, of: property, omitting: omitted)
      }
    } else {
      for (index, child) in mirror.children.enumerated() {
        let name = child.label.map { "\(mirror.subjectType).\($0)" }
        if child.label == "settings" || name.map(omitted.contains) ?? false { continue }
        add(
          child.value, at: "\(path).\(child.label ?? "\(index)")", of: name ?? property,
          omitting: omitted)
      }
    }
  }
}
