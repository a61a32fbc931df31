package import LocomotionFormats
import LocomotionSensing

extension PageDocument {
  /// A way that is planned, as a page: its length, what it rises, its map and its profile.
  package init(_ plan: UntimedWay, _ file: String, _ units: ReportUnits, tiles: ReportTiles?) {
    let name = plan.name.isEmpty ? file : plan.name
    let length = units.distance(plan.metres)
    func height(_ metres: Double) -> String {
      "\(ReportFormatting.count(metres / units.short)) \(units.shortName)"
    }
    let altitudes = plan.points.map { $0.altitude }
    let known = altitudes.compactMap { $0 }
    var figures = [("Length", length, "")]
    if let highest = known.max(), let lowest = known.min() {
      figures += [
        ("Up", height(plan.climb), "by the altitudes in the file"),
        ("Highest point", height(highest), "lowest \(height(lowest))"),
      ]
    }
    self.init(
      title: "Plan, \(length) · \(name)", eyebrow: file, heading: "\(name), \(length)",
      lede: "A plan.", figures: figures,
      footer: "Its points have no times, or one for all: nothing tells when anyone was there.",
      tiles: tiles)
    // A second for each point.
    let start = Timestamp(nanoseconds: 0)
    let course = ReportCourse(
      plan.points.enumerated().map { index, point in
        let time = start.advanced(byNanoseconds: Int64(index) * 1_000_000_000)
        return ReportCourse.Point(
          start: time, end: time,
          place: ReportPoint(latitude: point.latitude, longitude: point.longitude))
      })
    let track: PageValue = [
      "activity": "plan", "name": .text(name), "course": course.value(since: start),
    ]
    let last = plan.points.count - 1
    let columns = min(plan.points.count, 880)
    let places = (1...columns).map { $0 * last / columns }
    let profile: PageValue = [
      "name": "Profile",
      "about": "The altitudes in the file; the colour says how steep the way is.",
      "unit": .text(units.shortName), "least": .number(0),
      "values": .text(
        places.map { altitudes[$0].map { ReportFormatting.fixed($0 / units.short, 0) } ?? "" }
          .joined(separator: ",")),
      "way": .text(
        places.map { ReportFormatting.fixed(plan.distances[$0], 0) }.joined(separator: ",")),
    ]
    let plan: PageValue = [
      "from": .number(0), "span": .number(last), "units": units.value, "tracks": [track],
      "curves": known.isEmpty ? [] : [profile],
    ]
    blocks = [["plan": plan]]
  }
}
