import Foundation
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
  static func makeUnits(
    _ journal: inout Journal, _ user: JournalUser, closing: Bool = true
  ) throws(JournalError) {
    while try journal.makeUnits(of: user, closing: closing, digest: digest) > 0 {}
  }

  /// All units of a user, in order, each read back from its bytes.
  static func all(_ journal: borrowing Journal, _ user: JournalUser) throws -> [UploadUnit] {
    try journal.units(of: user).map { status in
      let unit = try journal.unit(status, of: user, digest: digest)
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
  static func record(
    _ journal: inout Journal, _ user: JournalUser, until end: Double, seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    var start = 0.0
    while start < end {
      let lengths = [10.0, 60, 300, 900, 2_400]
      let next = min(end, start + lengths[Int(random.next() % 5)])
      let time = DayScript.time(start)
      switch random.next() % 12 {
      case 0:
        let state = try journal.currentMeasurement(of: user)?.state
        switch state {
        case nil: _ = try journal.start("WALKING", at: time, for: user)
        case .recording: try journal.pause(at: time, for: user)
        default: try journal.resume(at: time, for: user)
        }
      case 1:
        if try journal.currentMeasurement(of: user) != nil { try journal.stop(at: time, for: user) }
      case 2:
        try journal.addPlace(
          PlaceDescription(
            name: "p\(random.next() % 9)", latitude: DayScript.home.latitude + 0.0003,
            longitude: DayScript.home.longitude, radius: 80), for: user)
      case 3:
        try journal.correctActivity(
          to: .cycling, from: DayScript.time(start * 0.4), to: DayScript.time(start * 0.4 + 90),
          for: user)
      case 4:
        try journal.setPurpose(
          "Wörk\u{301}", from: DayScript.time(0), to: DayScript.time(start + 1), for: user)
      case 5:
        if let place = try journal.places(of: user).last {
          try journal.renamePlace(place.id, to: "named", for: user)
        }
      case 6:
        if let place = try journal.places(of: user).first {
          try journal.removePlace(place.id, for: user)
        }
      case 7, 8: try journal.updateDays(of: user)
      case 9: try makeUnits(&journal, user, closing: random.next() % 2 == 0)
      default: break
      }
      let batch = batch(from: start, to: next, seed: random.next())
      if !batch.isEmpty { try journal.append(batch, for: user) }
      start = next
    }
    if try journal.currentMeasurement(of: user) != nil {
      try journal.stop(at: DayScript.time(end), for: user)
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

  init(_ journal: borrowing Journal, _ user: JournalUser) throws {
    let counts = try journal.counts(of: user)
    samples = [
      try journal.samples(of: user, in: 0..<counts.samples),
      try journal.rotationRates(of: user, in: 0..<counts.rotationRates),
    ].flatMap { series in
      [series.x, series.y, series.z].map { $0.map(\.bitPattern) }
        + [series.timestamps.map { UInt64(bitPattern: $0.nanoseconds) }]
    }
    pressures = try journal.pressures(of: user)
    fixes = try journal.fixes(of: user, in: 0..<counts.fixes)
    measurements = try journal.measurements(of: user)
    edits = try journal.edits(of: user)
    places = try journal.places(of: user)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let span = try journal.daySpan(of: user)
    let items = try span.map { try journal.dayItems(of: user, from: $0.start, to: $0.end) } ?? []
    days = String(decoding: try encoder.encode(items), as: UTF8.self)
  }
}
