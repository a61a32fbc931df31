import Foundation
import Locomotion
import LocomotionReport
import LocomotionTool
import TestSupport
import Testing

@Suite struct GeoJSONTests {
  typealias Object = [String: Any]

  static func features(_ analysis: AnalysisResult) throws -> [Object] {
    let parsed = try JSONSerialization.jsonObject(with: Data(GeoJSON(analysis).text.utf8))
    let document = try #require(parsed as? Object)
    #expect(document["type"] as? String == "FeatureCollection")
    let features = try #require(document["features"] as? [Object])
    for feature in features { #expect(feature["type"] as? String == "Feature") }
    return features
  }

  static func lines(_ feature: Object) throws -> [[[Double]]] {
    guard let geometry = feature["geometry"] as? Object else { return [] }
    switch geometry["type"] as? String {
    case "LineString": return [try #require(geometry["coordinates"] as? [[Double]])]
    case "MultiLineString": return try #require(geometry["coordinates"] as? [[[Double]]])
    default: return []
    }
  }

  @Test func thereIsOneFeaturePerStayLegAndGap() throws {
    let analysis = ReportScript.day()
    let features = try Self.features(analysis)
    var expected: [(String, Double, Double, String?)] = []
    for item in analysis.items {
      switch item {
      case .stay(let stay):
        expected.append(("stay", stay.start.seconds, stay.end.seconds, "stationary"))
      case .gap(let gap): expected.append(("gap", gap.start.seconds, gap.end.seconds, nil))
      case .trip(let trip):
        for leg in trip.legs {
          expected.append(("trip", leg.start.seconds, leg.end.seconds, leg.activity?.name))
        }
      }
    }
    #expect(features.count == expected.count)
    for (feature, (type, start, end, activity)) in zip(features, expected) {
      let properties = try #require(feature["properties"] as? Object)
      #expect(properties["type"] as? String == type)
      #expect(properties["start"] as? Double == start)
      #expect(properties["end"] as? Double == end)
      #expect(properties["activity"] as? String == activity)
      if type == "trip" {
        let confidence = try #require(properties["probability"] as? Double)
        #expect(confidence > 0.8 && confidence < 0.95)  // the script is 0.68 to 0.93 sure
      }
    }
  }

  @Test func positionsAreLongitudeFirst() throws {
    for feature in try Self.features(ReportScript.day()) {
      if let geometry = feature["geometry"] as? Object, geometry["type"] as? String == "Point" {
        let position = try #require(geometry["coordinates"] as? [Double])
        #expect(abs(position[0] - 11.6) < 0.4)
        #expect(abs(position[1] - 48.2) < 0.4)
        let properties = try #require(feature["properties"] as? Object)
        #expect(try #require(properties["radius"] as? Double) > 0)
      }
      for line in try Self.lines(feature) {
        #expect(line.count >= 2)
        for position in line { #expect(position.count == 2 && abs(position[1] - 48.2) < 0.4) }
      }
    }
  }

  @Test func linesAreSplitAtTheAntimeridian() throws {
    let features = try Self.features(ReportScript.driveOverTheAntimeridian())
    let lines = try Self.lines(try #require(features.first))
    #expect(lines.count == 2)
    #expect(lines[0].last?[0] == 180)
    #expect(lines[1].first?[0] == -180)
    #expect(lines[0].last?[1] == lines[1].first?[1])
    for line in lines {
      for (a, b) in zip(line, line.dropFirst()) { #expect(abs(a[0] - b[0]) < 1) }
    }
  }

  @Test func theSplitPointIsOnTheLine() throws {
    let places = [(10.0, 179.0), (14, -178), (20, 178)].map { SIMD2($0.1, $0.0) }
    let samples = places.enumerated().map { second, place in
      var sample = LocomotionSample(start: .at(second), end: .at(second + 1))
      sample.location = LocationEstimate(
        timestamp: sample.end, latitude: place.y, longitude: place.x, radius68: 5, speed: nil,
        speedDeviation: nil, course: nil)
      return sample
    }
    let leg = Trip.Leg(
      start: .at(0), end: .at(3), activity: .automotive, distance: nil, steps: 0)
    let analysis = AnalysisResult(name: "", samples: samples, items: [.trip(Trip(legs: [leg]))])
    let cut = try Self.lines(try #require(try Self.features(analysis).first))
    // One of three degrees to the meridian, then two of four back.
    let third: Double = 10 + 4.0 / 3
    #expect(cut.count == 3)
    // To the document's six decimals.
    #expect(cut[0].last?[0] == 180 && abs((cut[0].last?[1] ?? 0) - third) < 1e-6)
    #expect(cut[1].first?[0] == -180 && cut[1].first?[1] == cut[0].last?[1])
    #expect(cut[1].last == [-180, 17] && cut[2].first == [180, 17])
  }

  @Test func withoutLocationTheGeometryIsNull() throws {
    let features = try Self.features(ReportScript.day(location: false))
    #expect(features.count > 10)
    for feature in features { #expect(feature["geometry"] is NSNull) }
  }

  @Test func anEmptyRecordingHasNoFeatures() throws {
    #expect(try Self.features(AnalysisResult(name: "", samples: [], items: [])).isEmpty)
  }

  @Test(arguments: [
    "plain", "\"quoted\" \\ back", "a\u{0}b\u{1F}\u{7F}\n\t\r", "日本 🚲", "</script>",
  ])
  func namesAreEscapedAndParsedBack(name: String) throws {
    let document = GeoJSON(AnalysisResult(name: name, samples: [], items: [])).text
    let parsed = try JSONSerialization.jsonObject(with: Data(document.utf8)) as? Object
    #expect(parsed?["name"] as? String == name)
  }

  @Test func timesAreISOOnTheUnixClockOnly() throws {
    // 29 February 2024, 00:00 UTC.
    let civil = ReportScript(start: 1_709_164_800).walk(90)
    let first = try #require(try Self.features(civil.analysis()).first?["properties"] as? Object)
    #expect(first["startTime"] as? String == "2024-02-29T00:00:00Z")
    #expect(first["endTime"] as? String == "2024-02-29T00:01:30Z")
    let uptime = ReportScript(start: 500).walk(90)
    let other = try #require(try Self.features(uptime.analysis()).first?["properties"] as? Object)
    #expect(other["startTime"] == nil)
    #expect(other["start"] as? Double == 500)
  }
}
