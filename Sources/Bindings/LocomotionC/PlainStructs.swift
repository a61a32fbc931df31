package import CLocomotion
package import Locomotion

// The answers as the structs of `locomotion.h`: unknown numbers are NaN.

extension LocationFix {
  /// A fix from the struct of C.
  package init(_ fix: locomotion_fix) {
    self.init(
      timestamp: Timestamp(nanoseconds: fix.time), latitude: fix.latitude,
      longitude: fix.longitude, altitude: fix.altitude,
      horizontalAccuracy: fix.horizontal_accuracy, verticalAccuracy: fix.vertical_accuracy,
      speed: fix.speed, speedAccuracy: fix.speed_accuracy, course: fix.course,
      courseAccuracy: fix.course_accuracy)
  }
}

extension locomotion_fix {
  /// A fix as the struct of C: unknown numbers are NaN.
  package init(_ fix: LocationFix) {
    self.init(
      time: fix.timestamp.nanoseconds, latitude: fix.latitude, longitude: fix.longitude,
      altitude: fix.altitude ?? .nan, horizontal_accuracy: fix.horizontalAccuracy ?? .nan,
      vertical_accuracy: fix.verticalAccuracy ?? .nan, speed: fix.speed ?? .nan,
      speed_accuracy: fix.speedAccuracy ?? .nan, course: fix.course ?? .nan,
      course_accuracy: fix.courseAccuracy ?? .nan)
  }
}

extension CaseIterable where Self: Equatable {
  /// The constant of the header: its enums have the cases in the order of Swift's.
  fileprivate var code: Int32 { Int32(Array(Self.allCases).firstIndex(of: self) ?? 0) }
}

extension locomotion_sample {
  /// The sample, given the custom activities of its model.
  package init(_ sample: LocomotionSample, _ custom: [CustomActivity]) {
    self.init()
    start = sample.start.nanoseconds
    end = sample.end.nanoseconds
    latitude = sample.location?.latitude ?? .nan
    longitude = sample.location?.longitude ?? .nan
    radius68 = sample.location?.radius68 ?? .nan
    speed = sample.location?.speed ?? .nan
    speed_deviation = sample.location?.speedDeviation ?? .nan
    course = sample.location?.course ?? .nan
    altitude = sample.altitude?.altitude ?? .nan
    altitude_deviation = sample.altitude?.deviation ?? .nan
    climb_rate = sample.altitude?.climbRate ?? .nan
    moving_probability = sample.movingProbability
    transition_began = sample.transition?.began.nanoseconds ?? 0
    moving = sample.movingState.code
    transition = sample.transition?.state.code ?? -1
    has_fix = sample.rawLocation == nil ? 0 : 1
    has_accelerations = sample.hasWindow ? 1 : 0
    activity = sample.activity?.activity?.code ?? -1
    unknown_reason = sample.activity?.unknownReason?.code ?? -1
    let lanes = sample.activity?.probabilities
    func probability(_ activity: Activity) -> Float { lanes?[activity] ?? .nan }
    probabilities = (
      probability(.stationary), probability(.walking), probability(.running),
      probability(.cycling), probability(.automotive), probability(.train)
    )
    cadence = sample.cadence?.stepsPerMinute ?? .nan
    cadence_confidence = sample.cadence?.confidence ?? .nan
    cadence_error = sample.cadence?.standardErrorStepsPerMinute ?? .nan
    steps = sample.steps
    horizontal_level = sample.horizontalAccelerationLevel ?? .nan
    vertical_level = sample.verticalAccelerationLevel ?? .nan
    rotation_level = sample.rotationLevel ?? .nan
    coverage = sample.coverage
    custom_activity = custom.code(of: sample.activity?.customActivity)
    let shares = sample.activity?.customProbabilities
    func share(_ index: Int) -> Float {
      custom.indices.contains(index) ? shares?[index] ?? .nan : 0
    }
    custom_probabilities = (
      share(0), share(1), share(2), share(3), share(4), share(5), share(6), share(7)
    )
  }
}

extension [CustomActivity] {
  /// The position of an activity, −1 for none.
  fileprivate func code(of activity: CustomActivity?) -> Int32 {
    activity.flatMap(firstIndex).map(Int32.init) ?? -1
  }
}

extension locomotion_fix_report {
  package init(_ report: FixReport) {
    self.init()
    fix = locomotion_fix(report.fix)
    latitude = report.location?.latitude ?? .nan
    longitude = report.location?.longitude ?? .nan
    radius68 = report.location?.radius68 ?? .nan
    speed = report.location?.speed ?? .nan
    speed_deviation = report.location?.speedDeviation ?? .nan
    course = report.location?.course ?? .nan
    altitude = report.location?.altitude ?? .nan
    altitude_deviation = report.location?.altitudeDeviation ?? .nan
    moving_probability = report.moving.probability
    moving = report.moving.state.code
    rejection = -1
    switch report.status {
    case .used: status = 0
    case .relocated: status = 1
    case .rejected(let reason):
      status = 2
      rejection = reason.code
    }
  }
}

extension locomotion_timeline_item {
  private init(_ type: Int32, _ start: Timestamp, _ end: Timestamp, _ isFinal: Bool) {
    self.init()
    (self.start, self.end) = (start.nanoseconds, end.nanoseconds)
    (self.type, activity, is_final) = (type, -1, isFinal ? 1 : 0)
    custom_activity = -1
    (latitude, longitude, radius68, distance, steps) = (.nan, .nan, .nan, .nan, .nan)
    (climb, climb_deviation, descent, descent_deviation) = (.nan, .nan, .nan, .nan)
  }

  private mutating func set(
    _ activity: Activity?, _ distance: Double?, _ steps: Double, _ change: AltitudeChange?
  ) {
    self.activity = activity?.code ?? -1
    self.distance = distance ?? .nan
    self.steps = steps
    climb = change?.climb ?? .nan
    climb_deviation = change?.climbDeviation ?? .nan
    descent = change?.descent ?? .nan
    descent_deviation = change?.descentDeviation ?? .nan
  }

  /// The items one after another, each trip followed by its legs.
  package static func list(
    _ timeline: (items: [TimelineItem], finalEnd: Timestamp?), _ custom: [CustomActivity]
  ) -> [locomotion_timeline_item] {
    var list: [locomotion_timeline_item] = []
    for item in timeline.items {
      let isFinal = timeline.finalEnd.map { item.end <= $0 } ?? false
      switch item {
      case .stay(let stay):
        var plain = locomotion_timeline_item(0, stay.start, stay.end, isFinal)
        plain.latitude = stay.location?.latitude ?? .nan
        plain.longitude = stay.location?.longitude ?? .nan
        plain.radius68 = stay.location?.radius68 ?? .nan
        plain.steps = stay.steps
        list.append(plain)
      case .trip(let trip):
        var plain = locomotion_timeline_item(1, trip.start, trip.end, isFinal)
        plain.set(trip.dominantActivity, trip.distance, trip.steps, trip.altitudeChange)
        plain.legs = Int32(clamping: trip.legs.count)
        list.append(plain)
        for leg in trip.legs {
          var part = locomotion_timeline_item(2, leg.start, leg.end, isFinal)
          part.set(leg.activity, leg.distance, leg.steps, leg.altitudeChange)
          part.custom_activity = custom.code(of: leg.customActivity)
          list.append(part)
        }
      case .gap(let gap):
        list.append(locomotion_timeline_item(3, gap.start, gap.end, isFinal))
      }
    }
    return list
  }
}

extension locomotion_intake {
  init(_ counts: IntakeCounts) {
    func dropped(_ reason: IntakeCounts.DropReason) -> Int64 { Int64(counts.dropped(for: reason)) }
    self.init(
      received: Int64(counts.received), kept: Int64(counts.kept),
      not_finite: dropped(.notFinite), out_of_range: dropped(.outOfRange),
      duplicate: dropped(.duplicate), out_of_order: dropped(.outOfOrder),
      isolated: dropped(.isolated), saturated: Int64(counts.saturated), gaps: Int64(counts.gaps),
      bridged_gaps: Int64(counts.bridgedGaps), clock_resets: Int64(counts.clockResets))
  }
}

extension locomotion_counts {
  package init(_ diagnostics: LocomotionPipeline.Diagnostics) {
    self.init(
      accelerations: locomotion_intake(diagnostics.accelerations),
      rotation_rates: locomotion_intake(diagnostics.rotationRates),
      pressures: locomotion_intake(diagnostics.pressures),
      fixes_used: Int64(diagnostics.fixes.used),
      fixes_relocated: Int64(diagnostics.fixes.relocated),
      fixes_rejected: Int64(diagnostics.fixes.rejected),
      fixes_waiting: Int64(diagnostics.waitingFixes))
  }
}
