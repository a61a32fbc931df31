import Foundation
import Locomotion
import LocomotionReport
import LocomotionTool
import TestSupport

/// What the page of an analysis says, without the page.
extension AnalysisResult {
  var totals: Totals { Totals(of: items, from: start, to: end) }

  /// What the page draws of the time.
  var drawn: PageValue? { PageDocument(self).value["blocks"]?.values.first?["day"] }

  /// What the page calls its items, and the letters or numbers before these words.
  var titles: [(badge: String, title: String)] {
    (drawn?["items"]?.values ?? []).map {
      ($0["badge"]?.firstText ?? "", $0["title"]?.firstText ?? "")
    }
  }

  /// The heading of the page.
  var heading: String {
    (PageDocument(self).value["heading"]?.firstText ?? "").replacing("\u{A0}", with: " ")
  }
}

/// Generates a recording for the reports, second by second.
struct ReportScript {
  var samples: [LocomotionSample] = []
  var now: Int
  var latitude = 48.1374
  var longitude = 11.5755
  var heading = 0.6
  /// The random change of the heading per second, radians.
  var wander = 0.02
  var hasLocation = true
  var hasAcceleration = true
  private var random: SplitMix64
  /// The error of the locations, degrees, whose time constant is 40 s.
  private var error: SIMD2<Double> = .zero

  /// Starts at `start` seconds of the clock; the default is 20 November 2026, 07:10 UTC.
  init(seed: UInt64 = 4, start: Int = 1_795_158_600) {
    now = start
    random = SplitMix64(seed: seed)
  }

  /// The script with another value of a property from here on.
  consuming func with<Value>(_ path: WritableKeyPath<Self, Value>, _ value: Value) -> Self {
    self[keyPath: path] = value
    return self
  }

  consuming func rest(_ seconds: Int, doubt: Double = 0.02) -> Self {
    for _ in 0..<seconds { step(.stationary, speed: 0, cadence: nil, doubt: doubt) }
    return self
  }

  consuming func walk(_ seconds: Int, doubt: Double = 0.03) -> Self {
    for _ in 0..<seconds { step(.walking, speed: 1.4, cadence: 112, doubt: doubt) }
    return self
  }

  consuming func go(
    _ activity: Activity, _ seconds: Int, speed: Double, doubt: Double = 0.04
  ) -> Self {
    for second in 0..<seconds {
      let swing = activity == .running ? 1 : 0.75 + 0.35 * sin(Double(second) / 47)
      step(
        activity, speed: speed * swing, cadence: activity == .running ? 164 : nil, doubt: doubt)
    }
    return self
  }

  consuming func silence(_ seconds: Int) -> Self {
    now += seconds
    return self
  }

  /// A drive over the antimeridian, 6.3 km from west to east.
  static func driveOverTheAntimeridian() -> AnalysisResult {
    ReportScript().with(\.latitude, -16.8).with(\.longitude, 179.98).with(\.heading, .pi / 2)
      .with(\.wander, 0).go(.automotive, 600, speed: 14).analysis()
  }

  private mutating func step(
    _ activity: Activity, speed: Double, cadence: Double?, doubt: Double
  ) {
    heading += wander * random.nextNormal()
    latitude += speed * cos(heading) / 111_195
    longitude += speed * sin(heading) / (111_195 * cos(latitude * .pi / 180))
    if longitude >= 180 { longitude -= 360 }
    var sample = LocomotionSample(start: .at(now), end: .at(now + 1))
    sample.movingState = speed > 0 ? .moving : .stationary
    sample.movingProbability = speed > 0 ? 0.98 : 0.03
    if hasLocation {
      let jitter = 1.5e-5 * (1 - 0.975 * 0.975).squareRoot()
      error = 0.975 * error + jitter * SIMD2(random.nextNormal(), random.nextNormal())
      sample.location = LocationEstimate(
        timestamp: sample.end, latitude: latitude + error.x, longitude: longitude + error.y,
        radius68: 3 + random.nextUniform(), speed: max(speed + 0.2 * random.nextNormal(), 0),
        speedDeviation: 0.4, course: nil)
      sample.rawLocation = sample.location.map { location in
        LocationFix(
          timestamp: sample.start, latitude: location.latitude, longitude: location.longitude,
          horizontalAccuracy: location.radius68, speed: location.speed)
      }
    }
    if hasAcceleration {
      sample.coverage = 1
      decide(&sample, activity, doubt: doubt)
      if let cadence {
        let rate = Float(cadence + 3 * random.nextNormal())
        sample.cadence = Cadence(stepsPerMinute: rate, confidence: 0.9)
        sample.steps = rate / 60
      }
    }
    samples.append(sample)
    now += 1
  }

  private mutating func decide(
    _ sample: inout LocomotionSample, _ activity: Activity, doubt: Double
  ) {
    let sure = Float(0.93 - 0.25 * random.nextUniform() * random.nextUniform())
    var scores = SIMD8<Float>.zero
    for index in 0..<6 { scores[index] = Float(random.nextUniform()) }
    scores[activity.rawValue] = 0
    let rest = (1 - sure) / scores.sum()
    let spread = scores
    let probabilities = ActivityProbabilities { other in
      other == activity ? sure : spread[other.rawValue] * rest
    }
    sample.activity =
      random.nextUniform() < doubt
      ? ActivityDecision(unknown: .lowConfidence, probabilities: probabilities)
      : ActivityDecision(activity: activity, probabilities: probabilities)
  }

  func analysis(
    name: String = "Friday", diagnostics: [(name: String, value: String)] = []
  ) -> AnalysisResult {
    var builder = TimelineBuilder()
    for sample in samples { builder.append(sample) }
    return AnalysisResult(
      name: name, samples: samples, items: builder.items(), diagnostics: diagnostics)
  }

  /// A working day: home, a walk to the train, the office, lunch on foot, a ride home, a run.
  static func day(location: Bool = true, acceleration: Bool = true) -> AnalysisResult {
    let day = ReportScript().with(\.hasLocation, location).with(\.hasAcceleration, acceleration)
      .rest(4300).walk(560).rest(150).go(.train, 1260, speed: 21, doubt: 0.12).walk(420)
      .rest(11_400).with(\.heading, 2).walk(480).rest(2100, doubt: 0.1).with(\.heading, 2 + .pi)
      .walk(500).rest(7880)
      // The receiver was off on both sides of the silence: nothing says that the person stayed.
      .with(\.hasLocation, false).rest(120).silence(2400).rest(120).with(\.hasLocation, location)
      .rest(2780).with(\.heading, 3.9).walk(180).go(.cycling, 2300, speed: 5.4, doubt: 0.2)
      .rest(2600).with(\.heading, 5.2).go(.automotive, 620, speed: 13, doubt: 0.06).rest(100)
      .go(.automotive, 500, speed: 14, doubt: 0.06).rest(1500).with(\.wander, 0.012)
      .go(.running, 1900, speed: 2.9).rest(3600)
    return day.analysis(
      name: "Friday with a run.csv.gz",
      diagnostics: [
        ("accelerations received", "4,512,330"),
        ("accelerations dropped, out of order", "12"),
        ("locations received", "44,921"),
        ("locations rejected, implausible", "31"),
        ("mean sampling rate", "99.8 Hz"),
      ])
  }
}

extension AnalysisResult {
  /// Gives a stay a place, as a journal does.
  mutating func setPlace(_ id: Int, _ name: String?, ofStayFrom start: Timestamp) {
    items = items.map { item in
      guard case .stay(var stay) = item, stay.start == start, let location = stay.location else {
        return item
      }
      stay.place = Place(
        id: id, name: name, latitude: location.latitude, longitude: location.longitude,
        radius: 60, isLearned: name == nil)
      return .stay(stay)
    }
  }
}
