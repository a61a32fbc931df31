internal import Locomotion
internal import LocomotionActivityRecognition
package import LocomotionSensing

/// A stay, a leg or a gap, as the journal stores it; consecutive legs are a trip.
struct DaySegment: Hashable {
  enum Kind: Int, ColumnValue {
    case stay = 1
    case leg = 2
    case gap = 3
  }

  var kind: Kind
  var start: Timestamp
  var end: Timestamp
  var activity: Activity?
  var custom: CustomActivity?
  var distance: Double?
  var steps = 0.0
  var location: Stay.Location?
  /// The number of the remembered place.
  var place: Int?
  /// What the sensors say of the mode of a leg, as it is stored; 0 when they say nothing.
  var modeBits: Int64 = 0
  /// How ``activity`` was chosen when it isn't the user's; never stored.
  var inference: ModeInference?
  /// Whether the activity is the user's correction; never stored.
  var isCorrected = false
  /// Whether an edit has changed the segment; never stored.
  var isEdited = false
  /// Whether the user has split the trip or stay before it from it; never stored.
  var startsItem = false

  init(_ kind: Kind, from start: Timestamp, to end: Timestamp) {
    self.kind = kind
    self.start = start
    self.end = end
  }

  /// The segments of a timeline's item.
  static func segments(_ item: TimelineItem) -> [DaySegment] {
    switch item {
    case .gap(let gap): return [DaySegment(.gap, from: gap.start, to: gap.end)]
    case .stay(let stay):
      var segment = DaySegment(.stay, from: stay.start, to: stay.end)
      segment.location = stay.location
      return [segment]
    case .trip(let trip):
      return trip.legs.map { leg in
        var segment = DaySegment(.leg, from: leg.start, to: leg.end)
        segment.activity = leg.activity
        segment.custom = leg.customActivity
        segment.distance = leg.distance
        segment.steps = leg.steps
        return segment
      }
    }
  }

  /// The part of the segment in an interval, with its fraction of the distance and of the steps;
  /// nil when they do not overlap.
  func cut(from first: Timestamp, to last: Timestamp) -> DaySegment? {
    guard max(start, first) < min(end, last) else { return nil }
    var part = self
    part.start = max(start, first)
    part.end = min(end, last)
    part.startsItem = startsItem && part.start == start
    let fraction = part.end.seconds(since: part.start) / end.seconds(since: start)
    part.distance = distance.map { $0 * fraction }
    part.steps = steps * fraction
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
    isCorrected = true
  }

  /// Makes the segment a part of a neighbour: a stay for `.stationary`, else a leg.
  mutating func extend(as newActivity: Activity?, _ newCustom: CustomActivity? = nil) {
    isEdited = true
    if newActivity == .stationary {
      guard kind != .stay else { return }
      self = DaySegment(.stay, from: start, to: end)
    } else {
      if kind != .leg { self = DaySegment(.leg, from: start, to: end) }
      activity = newActivity
      custom = newCustom
    }
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
    return legs
  }

  /// Whether `next` can be merged into the segment without a loss.
  private func canMerge(_ next: DaySegment) -> Bool {
    guard kind == next.kind, isEdited || next.isEdited, !next.startsItem else { return false }
    switch kind {
    case .leg: return activity == next.activity && custom == next.custom
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
      last.end = segment.end
      last.distance = zipped(last.distance, segment.distance)
      last.steps += segment.steps
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

  private static func zipped(_ one: Double?, _ other: Double?) -> Double? {
    one == nil && other == nil ? nil : (one ?? 0) + (other ?? 0)
  }
}

/// A row of the table `items`.
struct ItemRecord: StoredRow {
  static let layout = RowLayout<Self>(
    "items",
    names: [
      "id", "kind", "start", "end", "activity", "distance", "steps", "latitude", "longitude",
      "radius", "place", "custom",
    ])

  /// The same, where the file is of a version that has no custom activities.
  static func names(ofVersion version: Int) -> String {
    version < StoreFormat.firstWithCustomActivities
      ? layout.names.replacing(" custom", with: " NULL") : layout.names
  }

  let key: Int64
  let segment: DaySegment

  init(user: Int64, index: Int, _ segment: DaySegment) {
    key = StoreFormat.key(user: user, index: index)
    self.segment = segment
  }

  init?(_ row: SQLiteRow) throws(JournalError) {
    guard let kind = DaySegment.Kind(rawValue: Int(try row.integer(1))) else { return nil }
    key = try row.integer(0)
    var segment = DaySegment(
      kind, from: Timestamp(nanoseconds: try row.integer(2)),
      to: Timestamp(nanoseconds: try row.integer(3)))
    // Above the activity's number is what the sensors say of all modes.
    let activity = row.optionalInteger(4)
    segment.activity = activity.flatMap { Activity(rawValue: Int($0 & Self.noActivity)) }
    segment.modeBits = activity.map { $0 >> 8 } ?? 0
    segment.distance = row.real(5)
    segment.steps = row.real(6) ?? .nan
    if let latitude = row.real(7), let longitude = row.real(8), let radius = row.real(9) {
      segment.location = Stay.Location(latitude: latitude, longitude: longitude, radius68: radius)
    }
    segment.place = row.optionalInteger(10).map { Int($0) }
    segment.custom = row.text(11).flatMap { CustomActivity(text: $0) }
    self.segment = segment
    guard self.activity == activity else { return nil }
  }

  /// The number in the lowest byte for an activity that is not known.
  private static let noActivity: Int64 = 0xFF

  private var activity: Int64? {
    let number = segment.activity.map { Int64($0.rawValue) }
    guard segment.modeBits != 0 else { return number }
    return segment.modeBits << 8 | (number ?? Self.noActivity)
  }

  var values: [SQLiteValue] {
    [
      key.stored, segment.kind.stored, segment.start.stored, segment.end.stored, activity.stored,
      segment.distance.stored, segment.steps.stored, segment.location?.latitude.stored ?? .null,
      segment.location?.longitude.stored ?? .null, segment.location?.radius68.stored ?? .null,
      segment.place.stored, segment.custom?.text.stored ?? .null,
    ]
  }
}

/// A row of the table `remarks`: what a ``DayEdit`` says, or a window that it labels.
package struct EditRecord: StoredRow {
  enum Kind: Int {
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
    /// That the user was asked about a leg, and no edit.
    case asked = 10
    case customActivity = 11
  }

  package static let layout = RowLayout<Self>(
    "remarks", Self(),
    [
      Column("id", \.key), Column("kind", \.kindNumber), Column("start", \.start),
      Column("end", \.end), Column("value", \.value),
    ])

  package var key: Int64 = 0
  package var kindNumber: Int64 = 0
  package var start = Timestamp(nanoseconds: 0)
  package var end = Timestamp(nanoseconds: 0)
  package var value = ""

  /// Whether it goes into an upload unit: what a window looks like, and what the user was asked, is
  /// nobody else's business.
  var isUploaded: Bool { kind != .window && kind != .asked }

  /// Nil for a kind of a later version, which is kept and not applied.
  var kind: Kind? { Int(exactly: kindNumber).flatMap { Kind(rawValue: $0) } }

  init(key: Int64, kind: Int64, start: Timestamp, end: Timestamp, value: String) {
    self.key = key
    kindNumber = kind
    self.start = start
    self.end = end
    self.value = value
  }

  init() {}
}
