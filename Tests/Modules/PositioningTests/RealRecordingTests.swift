import LocomotionPositioning
import TestSupport
import Testing

/// Accuracy on real phones and on days with real accelerations.
///
/// The Pixel 4 drive and day 1 set the parameters, beside simulated days and scripted trips. The
/// other drive and day 2 were looked at along the way (the span over which speeds and fixes are
/// compared was settled on both drives), so they are no clean hold-out. The bounds lie a little
/// above what was measured when they were written.
@Suite(
  .enabled(if: Recording.isPresent, "the data sets are not here: set LOCOMOTION_DATASETS"),
  .serialized)
struct RealRecordingTests {
  @Test(arguments: ["20200514usmtv1_pixel4", "20200514usmtv1_pixel4xlmodded"])
  func goodFixesAreNotHarmed(_ name: String) throws {
    let recording = try Recording("gsdc_chipset/\(name)")
    let live = recording.score(.live)
    print(name, "live:", live)
    #expect(live.rmse < 1.01 * live.rawRMSE)
    #expect(live.percentile95 < 1.02 * live.rawPercentile95)
    #expect(live.maximum <= live.rawMaximum)
    #expect(live.median < 1.07 * live.rawMedian)
    #expect(live.movingError < 0.005)
    #expect(live.coverageMoving > 0.6)
    for mode in [LocationSmoother.Mode.lagged, .smoothed] {
      let score = recording.score(mode)
      print(name, "\(mode):", score)
      #expect(score.rmse < score.rawRMSE && score.movingError < 0.002)
      #expect(score.maximum <= score.rawMaximum)
    }
  }

  @Test(arguments: ["day001", "day002"], [false, true])
  func wholeDaysAreCleanedUp(_ name: String, _ hasAccelerometer: Bool) throws {
    let recording = try Recording("days/\(name)", withAccelerometer: hasAccelerometer)
    let label = name + (hasAccelerometer ? " with accelerometer" : "")
    let bounds: [(LocationSmoother.Mode, rmse: Double, p95: Double, moving: Double)] =
      hasAccelerometer
      ? [(.live, 0.47, 0.48, 0.009), (.lagged, 0.45, 0.46, 0.004), (.smoothed, 0.41, 0.45, 0.004)]
      : [(.live, 0.51, 0.54, 0.015), (.lagged, 0.48, 0.52, 0.009), (.smoothed, 0.41, 0.47, 0.009)]
    for bound in bounds {
      let score = recording.score(bound.0)
      print(label, "\(bound.0):", score)
      #expect(score.rmse < bound.rmse * score.rawRMSE)
      #expect(score.percentile95 < bound.p95 * score.rawPercentile95)
      #expect(score.movingError < bound.moving)
      #expect((0.60...0.78).contains(score.coverageMoving))
      #expect((0.55...0.92).contains(score.coverageAtRest))
      #expect(score.maximum < 0.42 * score.rawMaximum)
    }
  }

  @Test func withoutAnySpeedFixesAreNotHarmedMuch() throws {
    let name = "20200514usmtv1_pixel4"
    let drive = try Recording("gsdc_chipset/\(name)", withSpeeds: false).score(.live)
    print(name, "without speeds, live:", drive)
    #expect(drive.rmse < 1.04 * drive.rawRMSE)
    for day in ["day001", "day002"] {
      let score = try Recording("days/\(day)", withSpeeds: false).score(.live)
      print(day, "without speeds, live:", score)
      #expect(score.rmse < 0.93 * score.rawRMSE)
      #expect(score.percentile95 < 0.85 * score.rawPercentile95)
      #expect(score.movingError < 0.09)
    }
  }

  /// Positions alone, as GPX files have them, a second and more apart.
  ///
  /// An unstated accuracy is taken for 4 m, as watches have. The worst is a phone that errs by
  /// 5.5 m: it falls behind by 75 m at a light, leaps to where it is, and is not believed for 7 s.
  @Test(
    arguments: [
      "20200514usmtv1_pixel4", "20200514usmtv1_pixel4xlmodded", "20200605usmtv2_pixel4",
      "20200605usmtv2_pixel4xl",
    ], [(1.0, 1.45), (10, 1.1), (30, 1.05)])
  func positionsAloneAreFollowed(_ name: String, _ bound: (spacing: Double, ratio: Double)) throws {
    let recording = try Recording(
      "gsdc_chipset/\(name)", withSpeeds: false, withAccuracies: false, spacing: bound.spacing)
    let (live, smoothed) = (recording.score(.live), recording.score(.smoothed))
    print(name, "positions alone, \(bound.spacing) s, live:", live, "smoothed:", smoothed)
    #expect(live.rmse < bound.ratio * live.rawRMSE)
    #expect(smoothed.rmse < 1.15 * live.rawRMSE)
    #expect(live.movingError < 0.04)
  }

  /// 173 hours of phones on a table, by networks and satellites.
  @Test func whatLiesStillGoesNowhere() throws {
    let files = try Recording.names(in: "mobilitynet_gps", containing: "stationary_only")
    #expect(files.count == 16)
    for file in files {
      let fixes = try Recording.fixes("mobilitynet_gps/\(file)")
      for mode in [LocationSmoother.Mode.live, .smoothed] {
        var odometer = Odometer()
        for row in LocationSmoother().estimates(for: fixes, mode: mode) {
          if let estimate = row.estimate {
            odometer.update(with: estimate, state: row.moving.state)
          }
        }
        #expect(odometer.distance == 0, "\(file), \(mode) of \(fixes.count)")
      }
    }
  }
}
