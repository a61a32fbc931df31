import LocomotionPositioning
import TestSupport
import Testing

/// Accuracy on real phones and on days with real accelerations.
///
/// Tuned on the Pixel 4 drive and on day 1; the Pixel 4 XL drive and day 2 only check. The bounds
/// lie a little above what was measured when they were written.
@Suite(
  .enabled(if: Recording.isPresent, "the data sets are not here: set LOCOMOTION_DATASETS"),
  .serialized)
struct RealRecordingTests {
  @Test(arguments: ["20200514usmtv1_pixel4", "20200514usmtv1_pixel4xlmodded"])
  func goodFixesAreNotHarmed(_ name: String) throws {
    let recording = try Recording("gsdc_chipset/\(name)")
    let live = recording.score(.live)
    print(name, "live:", live)
    #expect(live.rmse < 1.0 * live.rawRMSE)
    #expect(live.percentile95 < 1.02 * live.rawPercentile95)
    #expect(live.median < 1.05 * live.rawMedian)
    #expect(live.movingError < 0.005)
    // How far a receiver's bias is hidden in its own reports differs by phone: 0.97 and 0.62.
    #expect((0.55...0.99).contains(live.coverageMoving))
    for mode in [LocationSmoother.Mode.lagged, .smoothed] {
      let score = recording.score(mode)
      print(name, "\(mode):", score)
      #expect(score.rmse < 0.98 * score.rawRMSE && score.movingError < 0.003)
    }
  }

  @Test(arguments: ["day001", "day002"], [false, true])
  func wholeDaysAreCleanedUp(_ name: String, _ hasAccelerometer: Bool) throws {
    let recording = try Recording("days/\(name)", withAccelerometer: hasAccelerometer)
    let label = name + (hasAccelerometer ? " with accelerometer" : "")
    let bounds: [(LocationSmoother.Mode, rmse: Double, p95: Double, moving: Double)] = [
      (.live, 0.50, 0.48, hasAccelerometer ? 0.013 : 0.019),
      (.lagged, 0.49, 0.47, hasAccelerometer ? 0.006 : 0.008),
      (.smoothed, 0.42, 0.45, 0.006),
    ]
    for bound in bounds {
      let score = recording.score(bound.0)
      print(label, "\(bound.0):", score)
      #expect(score.rmse < bound.rmse * score.rawRMSE)
      #expect(score.percentile95 < bound.p95 * score.rawPercentile95)
      #expect(score.movingError < bound.moving)
      #expect((0.62...0.75).contains(score.coverageMoving))
      #expect((0.62...0.84).contains(score.coverageAtRest))
    }
  }

  @Test func withoutAnySpeedFixesAreNotHarmedMuch() throws {
    let name = "20200514usmtv1_pixel4"
    let drive = try Recording("gsdc_chipset/\(name)", withSpeeds: false).score(.live)
    print(name, "without speeds, live:", drive)
    #expect(drive.rmse < 1.05 * drive.rawRMSE)
    for day in ["day001", "day002"] {
      let score = try Recording("days/\(day)", withSpeeds: false).score(.live)
      print(day, "without speeds, live:", score)
      #expect(score.rmse < 0.95 * score.rawRMSE && score.percentile95 < score.rawPercentile95)
    }
  }
}
