internal import CLocomotionPage

/// The script of every page, `page.js`, which draws its document: lists, tables, a map that moves,
/// and one instant in the strip, the list, the map and the charts at once.
///
/// The script loads nothing but the tiles that the page names, and keeps nothing.
enum PageScript {
  /// The hash by which the content security policy admits ``text``: SHA-256, Base64.
  static let hash = "sha256-Roi8n/5GIZkWB5HJyM48M9ZTl1glIWb3AcosShMjoBs="

  /// The script; no character of it is changed by escaping.
  static let text = unsafe String(cString: locomotion_page_script())
}

/// The style sheet of the page, `page.css`, with the colours of ``ReportPalette``.
enum ReportStyle {
  /// The hash by which the content security policy admits ``sheet``: SHA-256, Base64.
  static let hash = "sha256-JGYwzO7hO6AFVq9gYSuH2joVIVkszIPV8ZOAVezdpVs="

  /// The whole style sheet.
  static let sheet = unsafe String(cString: locomotion_page_style())
}
