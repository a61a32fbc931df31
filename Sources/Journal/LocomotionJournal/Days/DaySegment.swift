internal import Locomotion
package import LocomotionSensing

/// A stay, a leg or a gap, as the journal stores it; consecutive legs are a trip.
@dynamicMemberLookup struct DaySegment: Equatable {
  enum Kind: Int, ColumnValue {
    case stay = 1
    case leg = 2
    case gap = 3
  }

  var kind: Kind
  /// Its times and counts, whatever it is; of a leg all but the modes.
  var leg: Trip.Leg
  var location: Stay.Location?
  var startDeviation: Double?
  var endDeviation: Double?
  var observedSeconds = 0.0
  /// The number of the remembered place.
  var place: Int?
  /// What the sensors say of the mode of a leg, as it is stored; 0 when they say nothing.
  var modeBits: Int64 = 0
  /// Whether an edit has changed the segment; never stored.
  var isEdited = false
  var stated: Trip.Statement?
  /// Whether an item begins with a leg that follows another one, or the user has split it from the
  /// trip or stay before it.
  var startsItem = false

  init(_ kind: Kind, from start: Timestamp, to end: Timestamp) {
    self.kind = kind
    leg = Trip.Leg(start: start, end: end, activity: nil, distance: nil, steps: 0)
  }

  subscript<Value>(dynamicMember path: WritableKeyPath<Trip.Leg, Value>) -> Value {
    get { leg[keyPath: path] }
    set { leg[keyPath: path] = newValue }
  }

  static func segments(_ item: TimelineItem) -> [DaySegment] {
    switch item {
    case .gap(let gap): return [DaySegment(.gap, from: gap.start, to: gap.end)]
    case .stay(let stay):
      var segment = DaySegment(.stay, from: stay.start, to: stay.end)
      segment.location = stay.location
      segment.startDeviation = stay.startDeviation
      segment.endDeviation = stay.endDeviation
      segment.observedSeconds = stay.observedSeconds
      segment.distance = stay.distance
      segment.steps = stay.steps
      segment.altitudeChange = stay.altitudeChange
      return [segment]
    case .trip(let trip):
      return trip.legs.map { leg in
        var segment = DaySegment(.leg, from: leg.start, to: leg.end)
        (segment.leg, segment.modeBits) = (leg, leg.modes?.modeBits ?? 0)
        segment.stated = trip.stated
        segment.modes = nil
        return segment
      }
    }
  }

  func stay(at place: Place?, for purpose: String?) -> Stay {
    var stay = Stay(start: leg.start, end: leg.end, location: location)
    stay.startDeviation = startDeviation
    stay.endDeviation = endDeviation
    stay.observedSeconds = observedSeconds
    stay.distance = leg.distance
    stay.steps = leg.steps
    stay.altitudeChange = leg.altitudeChange
    (stay.place, stay.purpose) = (place, purpose)
    return stay
  }

  var wholeLeg: Trip.Leg {
    var leg = leg
    leg.modes = ActivityProbabilities(modeBits: modeBits)
    return leg
  }

  /// The part of the segment in an interval, with its fraction of what it counts; nil when they do
  /// not overlap.
  func cut(from first: Timestamp, to last: Timestamp) -> DaySegment? {
    guard let own = leg.cut(from: first, to: last) else { return nil }
    var part = self
    part.leg = own
    part.startsItem = startsItem && own.start == leg.start
    if own.start > leg.start { part.startDeviation = nil }
    if own.end < leg.end { part.endDeviation = nil }
    part.observedSeconds *=
      own.end.seconds(since: own.start) / leg.end.seconds(since: leg.start)
    return part
  }

  /// The segment with its part in an interval changed: that part, and those before and after it.
  func changed(
    from first: Timestamp, to last: Timestamp, _ change: (inout DaySegment) -> Void
  ) -> [DaySegment] {
    var middle = cut(from: first, to: last)
    if var part = middle {
      change(&part)
      middle = part
    }
    return [
      cut(from: Timestamp(nanoseconds: .min), to: first), middle,
      cut(from: last, to: Timestamp(nanoseconds: .max)),
    ].compactMap { $0 }
  }

  /// Applies the user's correction to the segment.
  mutating func correct(to newActivity: Activity?, _ newCustom: CustomActivity? = nil) {
    extend(as: newActivity, newCustom)
    leg.isCorrected = true
  }

  /// Makes the segment a part of a neighbour: a stay for `.stationary`, else a leg.
  mutating func extend(as newActivity: Activity?, _ newCustom: CustomActivity? = nil) {
    let newKind = newActivity == .stationary ? Kind.stay : .leg
    if kind != newKind {
      let steps = leg.steps
      self = DaySegment(newKind, from: leg.start, to: leg.end)
      leg.steps = steps
    }
    if newKind == .leg { (leg.activity, leg.customActivity) = (newActivity, newCustom) }
    isEdited = true
  }

  /// One stay over all of the segments, where the person was longest.
  static func stay(of segments: ArraySlice<DaySegment>) -> [DaySegment] {
    guard let first = segments.first, let last = segments.last else { return [] }
    var stay = DaySegment(.stay, from: first.start, to: last.end)
    let longest = segments.filter { $0.location != nil }.max {
      $0.end.seconds(since: $0.start) < $1.end.seconds(since: $1.start)
    }
    stay.location = longest?.location
    stay.place = longest?.place
    stay.steps = segments.reduce(0) { $0 + $1.steps }
    stay.startsItem = first.startsItem
    stay.isEdited = true
    return [stay]
  }

  /// The legs among the segments, each over what follows it until the next one, as one trip.
  ///
  /// Without a leg the segments stay as they are.
  static func trip(of segments: ArraySlice<DaySegment>) -> [DaySegment] {
    guard let first = segments.first, let last = segments.last else { return [] }
    var legs = segments.filter { $0.kind == .leg }
    guard !legs.isEmpty else { return Array(segments) }
    for index in legs.indices {
      legs[index].startsItem = index == 0 && first.startsItem
      legs[index].isEdited = true
      if index > 0 { legs[index - 1].end = legs[index].start }
    }
    legs[0].start = first.start
    legs[legs.count - 1].end = last.end
    for index in legs.indices {
      let own = segments.filter { $0.start >= legs[index].start && $0.start < legs[index].end }
      legs[index].steps = own.reduce(0) { $0 + $1.steps }
    }
    return legs
  }

  /// Whether `next` can be merged into the segment without a loss.
  private func canMerge(_ next: DaySegment) -> Bool {
    guard kind == next.kind, isEdited || next.isEdited, !next.startsItem else { return false }
    switch kind {
    case .leg: return leg.name == next.leg.name
    // A stay that results from an edit alone has the place of its neighbour.
    case .stay: return location == nil || next.location == nil || location == next.location
    case .gap: return true
    }
  }

  /// The segments with those merged that an edit made alike.
  static func merged(_ segments: [DaySegment]) -> [DaySegment] {
    var result: [DaySegment] = []
    for segment in segments {
      guard var last = result.popLast() else {
        result.append(segment)
        continue
      }
      guard last.canMerge(segment) else {
        result += [last, segment]
        continue
      }
      last.leg.extend(by: segment.leg)
      last.endDeviation = segment.endDeviation
      last.observedSeconds += segment.observedSeconds
      last.isCorrected = last.isCorrected || segment.isCorrected
      last.isEdited = true
      if last.modeBits == 0 { last.modeBits = segment.modeBits }
      if last.location == nil {
        last.location = segment.location
        last.place = last.place ?? segment.place
      }
      result.append(last)
    }
    return result
  }

  /// The items of edited segments, with the purposes of edits, both in the order of time; what ends
  /// after `finalEnd` may still change, and without one all may.
  static func items<Failure: Error>(
    _ segments: [DaySegment], _ edits: [DayEdit], finalEnd: Timestamp?,
    place: (Int) throws(Failure) -> Place?
  ) throws(Failure) -> [TimelineItem] {
    var result: [TimelineItem] = []
    var legs: [Trip.Leg] = []
    var stated: Trip.Statement?
    func isPartial(_ end: Timestamp) -> Bool { finalEnd.map { end > $0 } ?? true }
    func endTrip() {
      guard let last = legs.last else { return }
      var trip = Trip(legs: legs)
      trip.stated = stated
      trip.isPartial = isPartial(last.end)
      result.append(.trip(trip))
      legs = []
    }
    for segment in segments {
      if segment.startsItem { endTrip() }
      switch segment.kind {
      case .leg:
        if legs.isEmpty { stated = segment.stated }
        legs.append(segment.wholeLeg)
      case .gap:
        endTrip()
        var gap = Gap(start: segment.start, end: segment.end)
        gap.isPartial = isPartial(gap.end)
        result.append(.gap(gap))
      case .stay:
        endTrip()
        let purpose = edits.reduce("") { purpose, edit in
          guard case .purpose(let text) = edit.change, edit.isAbout(segment) else { return purpose }
          return text
        }
        var own: Place?
        if let number = segment.place { own = try place(number) }
        var stay = segment.stay(at: own, for: purpose.isEmpty ? nil : purpose)
        stay.isPartial = isPartial(stay.end)
        result.append(.stay(stay))
      }
    }
    endTrip()
    return result
  }
}

struct ItemRecord: StoredRow {
  static let layout = RowLayout<Self>(
    "items",
    [
      .key(\.key), Column("kind", \.stored.kind), Column("start", \.stored.leg.start),
      Column("end", \.stored.leg.end), Column("activity", \.activity),
      Column("distance", \.stored.leg.distance), Column("steps", orNaN: \.stored.leg.steps),
      Column("latitude", orNaN: \.location.latitude),
      Column("longitude", orNaN: \.location.longitude),
      Column("radius", orNaN: \.location.radius68), Column("place", \.stored.place),
      .dropped("checksum"), Column("custom", \.custom),
      Column("start_sd", \.stored.startDeviation, since: 8),
      Column("end_sd", \.stored.endDeviation, since: 8),
      Column(
        "observed", \.stored.observedSeconds, as: "REAL NOT NULL DEFAULT 0", since: 8,
        missing: "0.0"),
      Column("distance_sd", \.stored.leg.distanceDeviation, since: 8),
      Column("moving", \.stored.leg.movingSeconds, since: 8),
      Column("altitude", \.stored.leg.altitudeChange, since: 8),
      Column("stated", \.stored.stated, since: 9),
      Column(
        "starts", \.stored.startsItem, as: "INTEGER NOT NULL DEFAULT 0", since: 9, missing: "0"),
    ])

  private(set) var key: Int64 = 0
  /// The segment without its location, which is NaN where there is none.
  private var stored = DaySegment(.gap, from: .blank, to: .blank)
  private var location = Stay.Location(latitude: .nan, longitude: .nan, radius68: .nan)
  private(set) var isValid = true

  var segment: DaySegment {
    var segment = stored
    segment.location = location.radius68.isNaN ? nil : location
    return segment
  }

  init() {}

  init(user: Int64, index: Int, _ segment: DaySegment) {
    key = StoreFormat.key(user: user, index: index)
    stored = segment
    location = segment.location ?? location
  }

  /// The number in the lowest byte for an activity that is not known.
  private static let noActivity: Int64 = 0xFF

  /// The activity's number, and above it what the sensors say of all modes.
  private var activity: Int64? {
    get {
      let number = stored.activity.map { Int64($0.rawValue) }
      guard stored.modeBits != 0 else { return number }
      return stored.modeBits << 8 | (number ?? Self.noActivity)
    }
    set {
      stored.activity = newValue.flatMap { Activity(rawValue: Int($0 & Self.noActivity)) }
      stored.modeBits = newValue.map { $0 >> 8 } ?? 0
      if activity != newValue { isValid = false }
    }
  }

  private var custom: String? {
    get { stored.customActivity?.text }
    set { stored.customActivity = newValue.flatMap { CustomActivity(text: $0) } }
  }
}

extension Trip.Statement: ColumnValue {
  static var declaration: String { String.declaration }

  var stored: SQLiteValue { .text(json(of: self)) }

  static func read(_ row: SQLiteRow, _ column: Int) -> Trip.Statement? {
    row.text(column).flatMap { decoded(from: $0) }
  }
}

extension AltitudeChange: ColumnValue {
  static var declaration: String { [UInt8].declaration }

  var stored: SQLiteValue {
    var (copy, archive) = (self, StateArchive.writing())
    archive.pass(&copy)
    return .blob(archive.bytes)
  }

  static func read(_ row: SQLiteRow, _ column: Int) -> AltitudeChange? {
    guard let bytes = row.blob(column) else { return nil }
    var (change, archive) = (AltitudeChange(), StateArchive.reading(bytes))
    archive.pass(&change)
    return archive.isDamaged || archive.offset != bytes.count ? nil : change
  }
}

/// A row of the table `remarks`: what a ``DayEdit`` says, or a window that it labels.
package struct EditRecord: StoredRow, Hashable {
  enum Kind: Int, CaseIterable {
    case activity = 1
    case purpose = 2
    case place = 3
    case extent = 4
    case stay = 5
    case trip = 6
    case split = 7
    /// The features of a window that the user labelled, and no edit.
    case window = 8
    case samePlace = 9
    /// In journals of 0.1, that the user was asked about a leg, and no edit.
    case asked = 10
    case customActivity = 11
    /// What another system states, and no edit.
    case statement = 12
  }

  /// The running numbers of edits, and those of statements, of which there are many.
  static let (edits, statements) = (0..<1 << 39, 1 << 39..<1 << 40 - 1)

  static let layout = RowLayout<Self>(
    "remarks",
    [
      .key(\.key), Column("kind", \.kindNumber), Column("start", \.start),
      Column("end", \.end), Column("value", \.value), .dropped("checksum"),
    ])

  var key: Int64 = 0
  var kindNumber: Int64 = 0
  package var start = Timestamp(nanoseconds: 0)
  package var end = Timestamp(nanoseconds: 0)
  package var value = ""

  /// Whether it goes into an upload unit: what a window looks like, and what the user was asked, is
  /// nobody else's business.
  var isUploaded: Bool { kind != .window && kind != .asked }

  /// Nil for a kind of a later version, which is kept and not applied.
  var kind: Kind? { Int(exactly: kindNumber).flatMap { Kind(rawValue: $0) } }

  init() {}

  /// The edit of a kind by its name, and what it says; nil for an unknown kind.
  package init?(_ kind: String, from start: Timestamp, to end: Timestamp, value: String) {
    guard let kind = Kind.allCases.first(where: { "\($0)" == kind }), start <= end else {
      return nil
    }
    self.init(kind, from: start, to: end, value: value)
  }

  init(_ kind: Kind, from start: Timestamp, to end: Timestamp, value: String) {
    (kindNumber, self.start, self.end) = (Int64(kind.rawValue), start, end)
    // Bound as text, a string would end at its first NUL.
    self.value = value.replacing("\0", with: "")
  }

  /// The name of the kind; nil for one of a later version.
  package var kindName: String? { kind.map { "\($0)" } }
}
