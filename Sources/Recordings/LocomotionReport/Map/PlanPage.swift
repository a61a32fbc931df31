package import LocomotionFormats
import LocomotionSensing

extension PageDocument {
  /// A way that is planned, as a page: its length, what it rises, and a map.
  package init(_ plan: UntimedWay, _ name: String, _ units: ReportUnits, tiles: ReportTiles?) {
    let length = units.distance(plan.metres)
    let rise = "\(ReportFormatting.count(plan.climb / units.short)) \(units.shortName)"
    self.init(
      title: "Plan, \(length) · \(name)", eyebrow: name, heading: "Plan, \(length)",
      figures: [("Length", length, ""), ("Up", rise, "by the altitudes in the file")],
      footer: "Its points have no times, or one for all: nothing tells when anyone was there.",
      tiles: tiles)
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
    let plan: PageValue = [
      "from": .number(0), "span": .number(1), "units": units.value, "tracks": [track],
    ]
    blocks = [["plan": plan]]
  }
}
