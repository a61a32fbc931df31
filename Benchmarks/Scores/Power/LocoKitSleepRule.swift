internal import Locomotion

/// When LocoKit lets its receiver and motion sensors rest, restated.
///
/// Three minutes at rest end in sleep, without motion sensors; every minute it wakes up. At rest it
/// sleeps again, moving it records, uncertain it goes on looking, and without any fix for half a
/// minute it sleeps again. The moving state is this package's.
struct LocoKitSleepRule: ReceiverRule {
  let name = "LocoKit's rule"
  private static let restBeforeSleep = 180.0
  private static let cycle = 60.0
  private static let longestLook = 30.0

  private enum Phase { case recording, sleeping, looking }

  private var phase = Phase.recording
  private var phaseStart: Timestamp?
  private var restStart: Timestamp?
  private var hasFix = false

  var hasAccelerations: Bool { phase != .sleeping }

  mutating func isOn(at time: Timestamp, after samples: [LocomotionSample]) -> Bool {
    let start = phaseStart ?? time
    phaseStart = start
    for sample in samples {
      restStart = sample.movingState == .stationary ? restStart ?? sample.end : nil
      if sample.rawLocation != nil, sample.end > start { hasFix = true }
    }
    let inPhase = time.seconds(since: start)
    switch phase {
    case .recording:
      if let restStart, time.seconds(since: restStart) >= Self.restBeforeSleep {
        enter(.sleeping, time)
      }
    case .sleeping:
      if inPhase >= Self.cycle { enter(.looking, time) }
    case .looking:
      let state = samples.last?.movingState
      if hasFix, state == .moving {
        restStart = nil
        enter(.recording, time)
      } else if hasFix, state == .stationary {
        enter(.sleeping, time)
      } else if !hasFix, inPhase >= Self.longestLook {
        enter(.sleeping, time)
      }
    }
    return phase != .sleeping
  }

  private mutating func enter(_ next: Phase, _ time: Timestamp) {
    phase = next
    phaseStart = time
    hasFix = false
  }
}
