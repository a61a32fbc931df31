internal import LocomotionActivityRecognition
internal import LocomotionGait
internal import LocomotionPositioning
internal import LocomotionSignals

// The windows of the stages. The ring may hold cells beyond the end of the second, as many as
// `beyond`; windows stop before them.
extension LocomotionPipeline {
  /// Cells from which the direction of gravity is taken for the levels.
  private static let gravityWindow = 200
  /// Cells that the cadence is found in.
  private static let cadenceWindow = 600

  /// Cells by which the window of rotation rates ends before that of the accelerations.
  package static var rotationLag: Int64 { RotationGrid.lag }

  static func levels(
    of ring: SampleRing, newest: Int, available: Int, beyond: Int
  ) -> AccelerationLevels? {
    let length = min(gravityWindow, available)
    return ring.withLatest(length + beyond) { window in
      AccelerationLevels(window: window.extracting(first: length), newest: newest)
    }
  }

  static func decide(
    _ classifier: inout ActivityClassifier, on ring: SampleRing, available: Int, beyond: Int,
    rotation: RotationGrid, before end: Int64, location: LocationEstimate?
  ) -> ActivityDecision {
    let speed = location?.speed.map { speed in
      SpeedEvidence(
        metresPerSecond: Float(speed), deviation: location?.speedDeviation.map { Float($0) })
    }
    let length = min(FeatureExtractor.windowLength, available)
    return ring.withLatest(length + beyond) { window in
      rotation.withWindow(before: end) { rates in
        classifier.update(
          window: window.extracting(first: length), rotation: rates, hopSeconds: 1, speed: speed)
      }
    }
  }

  static func findSteps(
    _ estimator: inout CadenceEstimator, in ring: SampleRing, available: Int, beyond: Int,
    hint: GaitHint
  ) -> CadenceUpdate {
    let length = min(cadenceWindow, available)
    return ring.withLatest(length + beyond) { window in
      estimator.update(window: window.extracting(first: length), hint: hint)
    }
  }
}
