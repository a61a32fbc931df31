internal import CLocomotionPage

/// The script of every page, `page.js`, which draws its document: lists, tables, a map that moves,
/// and one instant in the strip, the list, the map and the charts at once.
///
/// The script loads nothing but the tiles that the page names, and keeps nothing.
package enum PageScript {
  /// The hash by which the content security policy admits ``text``: SHA-256, Base64.
  package static let hash = "sha256-BsSEfu6k9G7tnn+VACea9T7p9mefPm6M+9J3absGHQc="

  /// The script; no character of it is changed by escaping.
  package static let text = unsafe String(cString: locomotion_page_script())
}

/// The style sheet of the page, `page.css`, with the colours of ``ReportPalette``.
package enum ReportStyle {
  /// The hash by which the content security policy admits ``sheet``: SHA-256, Base64.
  package static let hash = "sha256-Ig5vDIHYhOhFnxwY2lqyKQS9+ulRHugB1x5QIWnC2Q0="

  /// The whole style sheet.
  package static let sheet = unsafe String(cString: locomotion_page_style())
}
