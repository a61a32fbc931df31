import Foundation
internal import Locomotion
import LocomotionActivityRecognition
import LocomotionJournal
import LocomotionSensing
import TestSupport

/// Random recordings with measurements, edits and places, whose units are made at random times.
enum UnitScript {
  /// Stands for SHA-256, which the journal takes from outside: four sums of FNV-1a.
  static func digest(_ bytes: [UInt8]) -> [UInt8] {
    (0..<4 as Range<UInt64>).flatMap { lane -> [UInt8] in
      var sum = 0xcbf2_9ce4_8422_2325 ^ (lane &* 0x9e37_79b9_7f4a_7c15)
      for byte in bytes { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
      return (0..<8).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) }
    }
  }

  /// Makes all units that can be made.
  static func makeUnits(_ user: UserJournal, closing: Bool = true) throws(JournalError) {
    while try user.makeUnits(closing: closing, digest: digest) > 0 {}
  }

  /// All units of a user, in order, each read back from its bytes.
  static func all(_ user: UserJournal) throws -> [UploadUnit] {
    try user.units().map { status in
      let unit = try user.unit(status, digest: digest)
      return try UploadUnit(unit.bytes)
    }
  }

  /// The accelerations, rates and pressures of an interval of ``DayScript``, and its fixes.
  static func batch(from start: Double, to end: Double, seed: UInt64) -> JournalBatch {
    var random = SplitMix64(seed: seed)
    var batch = DayScript.batch(from: start, to: end)
    for step in Int(start * 4)..<Int(end * 4) where step / 600 % 6 == 0 {
      let time = DayScript.time(Double(step) / 4)
      batch.accelerations.append(
        x: random.nextNormal() / 8, y: (random.nextNormal() * 100).rounded() / 100,
        z: step % 97 == 0 ? .nan : 9.81, at: time)
      if step % 3 == 0 { batch.rotationRates.append(x: 0.1, y: 0, z: -0.5, at: time) }
      if step % 20 == 0 { batch.pressures.append(1_013.25, at: time) }
    }
    return batch
  }

  /// Records the first `end` seconds of the day: batches of random lengths, now and then a
  /// measurement's event, an edit, a place, an update of the days, or units.
  static func record(_ user: UserJournal, until end: Double, seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var start = 0.0
    while start < end {
      let lengths = [10.0, 60, 300, 900, 2_400]
      let next = min(end, start + lengths[Int(random.next() % 5)])
      let time = DayScript.time(start)
      switch random.next() % 12 {
      case 0:
        let state = try user.currentMeasurement()?.state
        switch state {
        case nil: _ = try user.start("WALKING", at: time)
        case .recording: try user.pause(at: time)
        default: try user.resume(at: time)
        }
      case 1:
        if try user.currentMeasurement() != nil { try user.stop(at: time) }
      case 2:
        try user.addPlace(
          PlaceDescription(
            name: "p\(random.next() % 9)", latitude: DayScript.home.latitude + 0.0003,
            longitude: DayScript.home.longitude, radius: 80))
      case 3:
        try user.correctActivity(
          to: .cycling, from: DayScript.time(start * 0.4), to: DayScript.time(start * 0.4 + 90))
        let session = StatedInterval(
          .activity(name: "cycling", distance: nil), from: DayScript.time(start * 0.5),
          to: DayScript.time(start * 0.5 + 1_500), source: "Watch", basis: .chosen)
        try user.addStatements(session.map { [$0] } ?? [])
      case 4:
        try user.setPurpose("Wörk\u{301}", from: DayScript.time(0), to: DayScript.time(start + 1))
      case 5:
        if let place = try user.places().last {
          try user.renamePlace(place.id, to: "named")
        }
      case 6:
        if let place = try user.places().first {
          try user.removePlace(place.id)
        }
      case 7, 8: try user.updateDays()
      case 9: try makeUnits(user, closing: random.next() % 2 == 0)
      default: break
      }
      let batch = batch(from: start, to: next, seed: random.next())
      if !batch.isEmpty { try user.append(batch) }
      start = next
    }
    if try user.currentMeasurement() != nil {
      try user.stop(at: DayScript.time(end))
    }
  }
}

/// Everything that can be read of a user.
struct WholeRecording: Equatable {
  /// Accelerations and rotation rates, bit by bit: NaN is not equal to itself.
  var samples: [[UInt64]]
  var pressures: SensorBatch.PressureSeries
  var fixes: [LocationFix]
  var measurements: [JournalMeasurement]
  var edits: [DayEdit]
  var places: [Place]
  /// The days as JSON, byte for byte.
  var days: String

  init(_ user: UserJournal) throws {
    let counts = try user.counts()
    samples = [
      try user.samples(in: 0..<counts.samples),
      try user.rotationRates(in: 0..<counts.rotationRates),
    ].flatMap { series in
      [series.x, series.y, series.z].map { $0.map(\.bitPattern) }
        + [series.timestamps.map { UInt64(bitPattern: $0.nanoseconds) }]
    }
    pressures = try user.pressures()
    fixes = try user.fixes(in: 0..<counts.fixes)
    measurements = try user.measurements()
    edits = try user.edits()
    places = try user.places()
    let span = try user.daySpan()
    let items = try span.map { try user.dayItems(from: $0.start, to: $0.end) } ?? []
    days = "\(items)"
  }
}
