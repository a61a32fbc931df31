internal import LocomotionActivityRecognition
internal import LocomotionSignals

// The windows of the stages. The ring may hold cells beyond the end of the second, as many as
// `beyond`; windows stop before them.
extension LocomotionPipeline {
  /// Cells from which the direction of gravity is taken for the levels.
  private static let gravityWindow = 200

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

  static func analyze(
    _ second: WindowSecond, with stages: inout WindowStages, on ring: SampleRing, available: Int,
    beyond: Int, _ rotation: RotationGrid, into analysis: inout WindowAnalysis
  ) {
    let length = min(WindowStages.longestWindow, available)
    ring.withLatest(length + beyond) { window in
      rotation.withWindow(before: second.end) { rates in
        stages.analyze(
          second, window: window.extracting(first: length), rotation: rates, into: &analysis)
      }
    }
  }
}
