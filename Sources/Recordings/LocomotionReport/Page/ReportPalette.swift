import LocomotionActivityRecognition

/// One colour per activity, as in `page.css`, which adds that on a dark background and the dashes.
///
/// The colours are those of Okabe and Ito ("Color universal design", 2008), which are distinct for
/// every common type of colour vision; the dashes distinguish the lines without colour.
enum ReportPalette {
  /// The colour on a light background, `#rrggbb`.
  static func light(_ activity: Activity?) -> String {
    switch activity {
    case .stationary: "#6f7782"
    case .walking: "#009e73"
    case .running: "#d55e00"
    case .cycling: "#e69f00"
    case .automotive: "#0072b2"
    case .train: "#b0588f"
    case nil: "#8b8f96"
    }
  }

  /// The name in CSS classes.
  static func name(_ activity: Activity?) -> String { activity?.name ?? "unnamed" }
}
