import Foundation
internal import Locomotion
import LocomotionJournal
import LocomotionRecordings
import TestSupport
import Testing

/// Batches that encode their number, for tests that check which ones were stored.
enum JournalScript {
  /// The batch with this number: some samples, every third time a fix, and a rate now and then.
  static func batch(_ number: Int, samples: Int = 100) -> JournalBatch {
    var random = SplitMix64(seed: UInt64(number) + 1)
    var batch = JournalBatch()
    let start = 1_700_000_000_000_000_000 + Int64(number) * 1_000_000_000
    for index in 0..<samples {
      let time = Timestamp(nanoseconds: start + Int64(index) * 10_000_000)
      let value = { (random.nextNormal() * 1_000).rounded() / 1_000 }
      batch.accelerations.append(x: Double(number), y: value(), z: value(), at: time)
      if number % 4 == 0 { batch.rotationRates.append(x: value(), y: 0, z: 1, at: time) }
    }
    if number % 3 == 0 {
      batch.fixes.append(
        LocationFix(
          timestamp: Timestamp(nanoseconds: start), latitude: 48.137_154 + Double(number) * 1e-5,
          longitude: 11.576_124, altitude: number % 2 == 0 ? nil : 519.5,
          horizontalAccuracy: 4.5, speed: 1.25))
    }
    return batch
  }

  /// A user's recording after the first `count` batches.
  static func content(_ count: Int, samples: Int = 100) -> JournalContent {
    var whole = JournalBatch()
    for number in 0..<count { whole.append(contentsOf: batch(number, samples: samples)) }
    return JournalContent(whole)
  }
}

/// All samples and fixes of a user.
struct JournalContent: Equatable {
  var samples = SampleSeries()
  var rotationRates = SampleSeries()
  var pressures = SensorBatch.PressureSeries()
  var fixes: [LocationFix] = []

  init(_ batch: JournalBatch = JournalBatch()) {
    (samples, rotationRates) = (batch.accelerations, batch.rotationRates)
    (pressures, fixes) = (batch.pressures, batch.fixes)
  }

  init(_ user: UserJournal) throws(JournalError) {
    var whole = JournalBatch()
    for number in try user.batches() { whole.append(contentsOf: try user.batch(number)) }
    whole.fixes = try user.fixes(in: 0..<user.counts().fixes)
    self.init(whole)
  }
}

/// Runs `body` with a new journal and its user "ada"; the journal is sound afterwards.
func withJournal(
  at sourceLocation: SourceLocation = #_sourceLocation,
  _ body: (_ journal: Journal, _ ada: UserJournal) throws -> Void
) throws {
  let folder = ScratchFolder()
  try withExtendedLifetime(folder) {
    let journal = try Journal(path: folder.path("journal"))
    try body(journal, journal.user("ada"))
    #expect(journal.check().problems == [], sourceLocation: sourceLocation)
  }
}

/// The same once the first `end` seconds of the day are recorded and its days up to date.
func withDay(
  until end: Double = 18_000, at sourceLocation: SourceLocation = #_sourceLocation,
  _ body: (_ journal: Journal, _ ada: UserJournal) throws -> Void
) throws {
  try withJournal(at: sourceLocation) { journal, user in
    try user.append(DayScript.batch(from: 0, to: end))
    try user.updateDays()
    try body(journal, user)
  }
}

/// All of a recording of the data sets.
func recording(_ name: String) throws -> SensorBatch {
  let folder = try #require(TestFiles.datasets)
  var reader = try RecordingReader(path: folder.appendingPathComponent(name).path)
  var (batch, all) = (SensorBatch(), SensorBatch())
  while try reader.read(into: &batch) { all.append(contentsOf: batch) }
  return all
}

/// A journal, which is made where there is none, and its user "ada".
func openJournal(
  _ path: String, access: Journal.Access = .writing, settings: Journal.Settings = .init()
) throws(JournalError) -> (journal: Journal, ada: UserJournal) {
  let journal = try Journal(path: path, access: access, settings: settings)
  return (journal, try journal.user("ada"))
}

extension UserJournal {
  /// The items of an interval of the script, which tile it from the first one on; those of all
  /// time by default.
  func items(from start: Double? = nil, to end: Double? = nil) throws -> [TimelineItem] {
    let items = try dayItems(
      from: start.map(DayScript.time) ?? Timestamp(nanoseconds: 1 - Timestamp.limit),
      to: end.map(DayScript.time) ?? Timestamp(nanoseconds: Timestamp.limit - 1))
    for (item, next) in zip(items, items.dropFirst()) {
      #expect(item.end == next.start && item.start < item.end)
    }
    return items
  }
}

extension ScratchFolder {
  /// A user's part of the journal of this name, which is created where there is none.
  func user(_ name: String = "ada", of journal: String = "journal") throws -> UserJournal {
    try Journal(path: path(journal)).user(name)
  }
}

extension Data {
  /// The bytes of a number in the order in which SQLite stores them.
  init<Value: FixedWidthInteger>(stored value: Value) {
    let count = Value.bitWidth / 8
    self.init((1...count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - $0))) })
  }

  /// What of this stands in the files of a journal.
  static func traces(of secrets: [Data], in path: String) -> [Data] {
    let files = ["", "-wal", "-shm", "-journal"].reduce(into: Data()) { files, ending in
      files += FileManager.default.contents(atPath: path + ending) ?? Data()
    }
    return secrets.filter { files.range(of: $0) != nil }
  }
}

/// A day of fixes: at home, 900 s of driving, at work, then days without data, at home again.
enum DayScript {
  static let home = (latitude: 48.1, longitude: 11.5)
  /// 13.5 km north of home.
  static let work = (latitude: 48.1 + 13_500 / 111_200, longitude: 11.5)
  /// Midnight of a day, seconds.
  static let midnight = 1_700_006_400.0

  /// The seconds of the script at which data come again.
  static let returning = 12_600.0
  /// How much later than the script says that is, seconds: no shorter silence is a gap.
  static let absence = 144_000.0

  /// The instant of a second of the script.
  static func time(_ second: Double) -> Timestamp {
    let later = second >= returning ? absence : 0
    return .at(midnight + second + later)
  }

  /// The fixes of `start ..< end`, seconds of the day.
  static func fixes(from start: Double, to end: Double) -> [LocationFix] {
    var random = SplitMix64(seed: 7)
    var fixes: [LocationFix] = []
    for second in stride(from: 0.0, to: 18_000, by: 5) {
      let isDriving = 3_600..<4_500 ~= second
      let error = (north: random.nextNormal() * 3, east: random.nextNormal() * 3)
      guard start..<end ~= second, !(9_000..<returning ~= second) else { continue }
      guard isDriving || second.truncatingRemainder(dividingBy: 10) == 0 else { continue }
      let place =
        isDriving
        ? (latitude: home.latitude + (second - 3_600) * 15 / 111_200, longitude: home.longitude)
        : second < 3_600 || second >= returning ? home : work
      fixes.append(
        LocationFix(
          timestamp: time(second), latitude: place.latitude + error.north / 111_200,
          longitude: place.longitude + error.east / 74_300, horizontalAccuracy: 6,
          speed: isDriving ? 15 : 0))
    }
    return fixes
  }

  static func batch(from start: Double, to end: Double) -> JournalBatch {
    var batch = JournalBatch()
    batch.fixes = fixes(from: start, to: end)
    return batch
  }
}

extension TimelineItem {
  /// `stay`, `trip` or `gap`.
  var kind: String {
    switch self {
    case .stay: "stay"
    case .trip: "trip"
    case .gap: "gap"
    }
  }
}

/// Random recordings with measurements, edits and places, whose units are made at random times.
enum UnitScript {
  /// Makes all units that can be made.
  static func makeUnits(_ user: UserJournal, closing: Bool = true) throws(JournalError) {
    while try user.makeUnits(closing: closing) > 0 {}
  }

  /// All units of a user, in order, each read back from its bytes.
  static func all(_ user: UserJournal) throws -> [UploadUnit] {
    try user.units().map { status in
      let unit = try user.unit(status)
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
          Place(
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
    let content = try JournalContent(user)
    samples = [content.samples, content.rotationRates].flatMap { series in
      [series.x, series.y, series.z].map { $0.map(\.bitPattern) }
        + [series.timestamps.map { UInt64(bitPattern: $0.nanoseconds) }]
    }
    (pressures, fixes) = (content.pressures, content.fixes)
    measurements = try user.measurements()
    edits = try user.edits()
    places = try user.places()
    days = "\(try user.items())"
  }
}

/// Weeks of a commuter: who stays where, and how they travel, as the fixes of a sparse recorder.
///
/// On weekdays by `commute` to work at 8 and back at 17, some evenings on foot to a shop near home;
/// on Saturdays by bicycle to the gym, on Sundays by car to friends. A fix comes every 30 s in
/// motion and every 5 min at rest, `error` metres off along each axis, and with each stay the
/// receiver is off by as much for as long as it lasts.
struct WeekScript {
  enum Site: Int, CaseIterable {
    case home, work, canteen, shop, gym, friends

    /// Metres east and north of home.
    var offset: (east: Double, north: Double) {
      switch self {
      case .home: (0, 0)
      case .work: (5_200, 2_800)
      case .canteen: (5_330, 2_740)
      case .shop: (-420, 510)
      case .gym: (-2_600, 3_100)
      case .friends: (9_000, -14_000)
      }
    }
  }

  struct Visit {
    let site: Site
    let start: Double
    let end: Double
  }

  struct Journey {
    let mode: Activity
    let start: Double
    let end: Double
  }

  /// The modes of the commutes of five weekdays, in three lives.
  static let commutes = [
    [Activity](repeating: .automotive, count: 5), [Activity](repeating: .cycling, count: 5),
    [.cycling, .cycling, .automotive, .cycling, .cycling],
  ]
  /// Midnight of a Monday in UTC, seconds.
  static let monday = 1_699_833_600.0
  static let day = 86_400.0

  private(set) var visits: [Visit] = []
  private(set) var journeys: [Journey] = []
  private(set) var fixes: [LocationFix] = []
  private var random: SplitMix64
  private let error: Double

  init(weeks: Int, commute: [Activity], error: Double, seed: UInt64) {
    random = SplitMix64(seed: seed)
    self.error = error
    var clock = Self.monday
    var site = Site.home
    func plans(_ day: Int, _ random: inout SplitMix64) -> [(Site, Activity, Double)] {
      func time(_ hour: Double) -> Double { hour * 3_600 + random.nextNormal() * 600 }
      switch day % 7 {
      case 5: return [(.gym, .cycling, time(10)), (.home, .cycling, time(12))]
      case 6: return [(.friends, .automotive, time(14)), (.home, .automotive, time(20))]
      case let day:
        var plans: [(Site, Activity, Double)] = [
          (.work, commute[day], time(8)), (.home, commute[day], time(17)),
        ]
        if day % 2 == 1 {
          plans.insert(
            contentsOf: [(.canteen, .walking, time(12)), (.work, .walking, time(13))], at: 1)
        }
        if day % 2 == 0 { plans += [(.shop, .walking, time(19)), (.home, .walking, time(19.6))] }
        return plans
      }
    }
    for day in 0..<7 * weeks {
      for (goal, mode, time) in plans(day, &random) {
        let start = max(Self.monday + Double(day) * Self.day + time, clock + 900)
        stay(at: site, from: clock, to: start)
        clock = travel(from: site, to: goal, by: mode, at: start)
        site = goal
      }
    }
    stay(at: site, from: clock, to: Self.monday + Double(7 * weeks) * Self.day)
  }

  private mutating func stay(at site: Site, from start: Double, to end: Double) {
    visits.append(Visit(site: site, start: start, end: end))
    let lasting = (east: random.nextNormal() * error, north: random.nextNormal() * error)
    for second in stride(from: start, to: end, by: 300) {
      append(second, site.offset.east + lasting.east, site.offset.north + lasting.north, speed: 0)
    }
  }

  private mutating func travel(
    from origin: Site, to goal: Site, by mode: Activity, at start: Double
  ) -> Double {
    let (one, other) = (origin.offset, goal.offset)
    let length = (pow(other.east - one.east, 2) + pow(other.north - one.north, 2)).squareRoot()
    // A bus in a town, with its stops, is as fast as a bicycle.
    let usual: Double =
      switch mode {
      case .walking: 1.35
      case .cycling: 5
      case .train: 14
      default: length > 10_000 ? 16 : 6.2
      }
    let speed = usual * (1 + 0.08 * random.nextNormal())
    let seconds = length / speed
    for second in stride(from: 15.0, to: seconds, by: 30) {
      let part = second / seconds
      append(
        start + second, one.east + part * (other.east - one.east),
        one.north + part * (other.north - one.north),
        speed: max(0, speed * (1 + 0.35 * random.nextNormal())))
    }
    journeys.append(Journey(mode: mode, start: start, end: start + seconds))
    return start + seconds
  }

  private mutating func append(_ second: Double, _ east: Double, _ north: Double, speed: Double) {
    let noise = (east: random.nextNormal() * error / 2, north: random.nextNormal() * error / 2)
    fixes.append(
      LocationFix(
        timestamp: .at(second), latitude: DayScript.home.latitude + (north + noise.north) / 111_200,
        longitude: DayScript.home.longitude + (east + noise.east) / 74_300,
        horizontalAccuracy: 1.7 * error, speed: speed))
  }

  /// The fixes of a part of the weeks, seconds since their beginning.
  func batch(from start: Double, to end: Double) -> JournalBatch {
    var batch = JournalBatch()
    batch.fixes = fixes.filter { start..<end ~= $0.timestamp.seconds - Self.monday }
    return batch
  }

  /// The journey that takes most of an interval; nil when none does.
  func journey(from start: Timestamp, to end: Timestamp) -> Journey? {
    journeys.first {
      min($0.end, end.seconds) - max($0.start, start.seconds) > ($0.end - $0.start) / 2
    }
  }

  /// The site of the visit that takes most of an interval; nil when none does.
  func site(from start: Timestamp, to end: Timestamp) -> Site? {
    visits.first {
      min($0.end, end.seconds) - max($0.start, start.seconds) > end.seconds(since: start) / 2
    }?.site
  }
}
