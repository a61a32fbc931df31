internal import CLocomotionPage

/// The script of the day's page, `page.js`: a map that moves, one instant in the strip, the list,
/// the map and the charts at once, and trips that light up everywhere.
///
/// The page has its texts and totals without it. The script makes its elements from what the page
/// already has, loads nothing but the tiles that the page names, and keeps nothing.
package enum PageScript {
  /// The hash by which the content security policy admits ``text``: SHA-256, Base64.
  package static let hash = "sha256-ws8KbDbgIB0LNWQI2+38S4fCTtZJsDxRIhY0XbxS5YA="

  /// The script; no character of it is changed by escaping.
  package static let text = unsafe String(cString: locomotion_page_script())
}

/// The style sheet of the page, `page.css`, with the colours of ``ReportPalette``.
package enum ReportStyle {
  /// The hash by which the content security policy admits ``sheet``: SHA-256, Base64.
  package static let hash = "sha256-75fU739si+ZRBBuTyWTdBorAJqbeT6IOQhvTptZ6Q3o="

  /// The whole style sheet.
  package static let sheet = Markup(
    stringLiteral: unsafe String(cString: locomotion_page_style()))
}
