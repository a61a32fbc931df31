import Foundation
import Locomotion
import LocomotionActivityRecognition
import LocomotionReport
import LocomotionSensing
import Testing

/// What a person says about a report and chooses for it: corrections, units, clock, towns.
@Suite struct ReportChoicesTests {
  /// The day of the script, one leg of which the person corrected.
  private static func corrected() -> AnalysisResult {
    var day = ReportScript.day()
    for case .trip(let trip) in day.items {
      for leg in trip.legs where leg.activity == .running {
        day.annotations[leg.start, default: .init()].isCorrected = true
      }
    }
    return day
  }

  @Test func aCorrectionIsMarkedInEveryView() {
    let plain = HTMLReport(ReportScript.day()).html
    #expect(!plain.contains("class=\"corrected\"") && !plain.contains("corrected by"))
    let html = HTMLReport(Self.corrected()).html
    // Strip and chart in two widths each, and two legends.
    #expect(html.matches(of: /<path class="corrected"/).count == 6)
    #expect(html.matches(of: /corrected by the person<\/li>/).count == 2)
    #expect(html.contains("your\u{A0}correction"))
    // The track of the map says it when it is pointed at.
    #expect(html.contains(#/<g class="leg"[^>]*><title>Trip 6[^<]*, corrected by the person</#))
  }
}
