import Foundation
import LocomotionPositioning
import LocomotionRecordings
import TestSupport

/// Fixes for tests, by where and when.
enum Journey {
  static let plane = LocalTangentPlane(latitude: 48.137, longitude: 11.575)

  /// A fix at `position` metres east and north of ``plane``'s origin.
  static func fix(
    at seconds: Double, _ position: SIMD2<Double>, accuracy: Double? = 10,
    velocity: SIMD2<Double>? = nil, in plane: LocalTangentPlane = plane
  ) -> LocationFix {
    let place = plane.geodetic(position)
    // A course counts from true north at the place, not from the plane's north.
    let here = LocalTangentPlane(latitude: place.latitude, longitude: place.longitude)
    return LocationFix(
      timestamp: .at(seconds), latitude: place.latitude, longitude: place.longitude,
      horizontalAccuracy: accuracy, speed: velocity.map { ($0 * $0).sum().squareRoot() },
      course: velocity.map { course(plane.rotate($0, to: here)) })
  }

  /// A drive east at 10 m/s with exact fixes once a second.
  static func drive(seconds: Int, from start: Int = 0) -> [LocationFix] {
    (start..<(start + seconds)).map {
      fix(at: Double($0), SIMD2(10 * Double($0), 0), velocity: SIMD2(10, 0))
    }
  }

  static func course(_ velocity: SIMD2<Double>) -> Double {
    (atan2(velocity.x, velocity.y) * 180 / .pi + 360).truncatingRemainder(dividingBy: 360)
  }

  /// Where an estimate lies in ``plane``.
  static func position(_ estimate: LocationEstimate) -> SIMD2<Double> {
    plane.position(latitude: estimate.latitude, longitude: estimate.longitude)
  }

  static func distance(_ a: SIMD2<Double>, _ b: SIMD2<Double>) -> Double {
    ((a - b) * (a - b)).sum().squareRoot()
  }
}

extension LocationFilter.Settings {
  /// A plain constant-velocity filter: no correlated error, no gate, no latency.
  static var plain: Self {
    var settings = Self()
    settings.measurement.whiteFraction = 1
    settings.measurement.correlatedFraction = 0
    settings.measurement.offsetFraction = 0
    settings.measurement.scalePerDifference = 0
    settings.measurement.randomWalkSpan = .infinity
    settings.measurement.randomWalkPerSpeed = 0
    settings.measurement.velocityLatency = 0
    settings.gating.outlierGate = 1e12
    return settings
  }
}

/// Radius that holds 68.27 % over the deviation along one axis: √(−2 ln 0.3173).
let radiusPerDeviation = (-2 * log(1 - 0.682_689_492_137_086)).squareRoot()

/// A real recording: fixes with the true position and motion at each.
struct Recording {
  var fixes: [LocationFix] = []
  /// What the accelerometer said in the second before each fix; empty without one.
  var accelerations: [AccelerationEvidence?] = []
  /// Latitude and longitude, degrees.
  var truth: [(latitude: Double, longitude: Double)] = []
  /// nil where it is ambiguous.
  var isMoving: [Bool?] = []

  static var isPresent: Bool { TestFiles.datasets != nil }

  /// Reads `<name>.gps.csv.gz` and `<name>.truth.csv.gz`, and `<name>.csv.gz` when asked for.
  ///
  /// Of the fixes those at least `spacing` seconds apart.
  init(
    _ name: String, withAccelerometer: Bool = false, withSpeeds: Bool = true,
    withAccuracies: Bool = true, spacing: Double = 0
  ) throws {
    let folder = TestFiles.datasets ?? TestFiles.packageRoot
    func table(_ suffix: String) throws -> Table {
      try Table(folder.appendingPathComponent(name + suffix))
    }
    let (gps, reference) = (try table(".gps.csv.gz"), try table(".truth.csv.gz"))
    let levels = withAccelerometer ? try Self.levels(table(".csv.gz")) : [:]
    let times = reference["t"]
    var k = 0
    for row in 0..<gps.count {
      let t = gps["t"][row]
      guard t >= times[0], t <= times[times.count - 1] else { continue }
      if let last = fixes.last, t - last.timestamp.seconds < spacing - 0.01 { continue }
      while k + 2 < times.count, times[k + 1] <= t { k += 1 }
      let fraction = (t - times[k]) / (times[k + 1] - times[k])
      func between(_ column: String) -> Double {
        reference[column][k] + fraction * (reference[column][k + 1] - reference[column][k])
      }
      truth.append((between("lat"), between("lon")))
      isMoving.append(
        reference.has("moving")
          ? (reference["moving"][k] == 2 ? nil : reference["moving"][k] == 1)
          : between("speed") > 0.3)
      fixes.append(
        LocationFix(
          timestamp: .at(t), latitude: gps["lat"][row], longitude: gps["lon"][row],
          horizontalAccuracy: withAccuracies ? gps["hacc"][row] : nil,
          speed: withSpeeds ? gps["speed"][row] : nil,
          course: withSpeeds ? gps["course"][row] : nil))
      if withAccelerometer { accelerations.append(levels[Int(t)]) }
    }
  }

  /// The recordings of a data set whose names contain `text`.
  static func names(in set: String, containing text: String) throws -> [String] {
    let folder = (TestFiles.datasets ?? TestFiles.packageRoot).appendingPathComponent(set)
    let suffix = ".gps.csv.gz"
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      .filter { $0.contains(text) && $0.hasSuffix(suffix) }.map {
        String($0.dropLast(suffix.count))
      }
  }

  /// The fixes of `<name>.gps.csv.gz` alone.
  static func fixes(_ name: String) throws -> [LocationFix] {
    let folder = TestFiles.datasets ?? TestFiles.packageRoot
    var reader = try RecordingReader(
      path: folder.appendingPathComponent(name + ".gps.csv.gz").path)
    var (batch, fixes) = (SensorBatch(), [LocationFix]())
    while try reader.read(into: &batch) { fixes += batch.fixes }
    return fixes
  }

  /// For each whole second the RMS about the mean of the acceleration in the second before it.
  private static func levels(_ table: Table) -> [Int: AccelerationEvidence] {
    var result: [Int: AccelerationEvidence] = [:]
    let (t, x, y, z) = (table["t"], table["ax"], table["ay"], table["az"])
    var start = 0
    for index in t.indices {
      let isLast = index + 1 == t.count
      guard isLast || Int(t[index + 1]) != Int(t[index]) else { continue }
      let count = Double(index + 1 - start)
      var variance = 0.0
      for axis in [x, y, z] {
        let mean = axis[start...index].reduce(0) { $0 + $1 } / count
        variance += axis[start...index].reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / count
      }
      if count > 5 {
        result[Int(t[index]) + 1] = AccelerationEvidence(level: Float(variance.squareRoot()))
      }
      start = index + 1
    }
    return result
  }

  /// What was measured over one recording in one mode.
  struct Score {
    var rmse, median, percentile95: Double
    var rawRMSE, rawMedian, rawPercentile95: Double
    var maximum, rawMaximum: Double
    var coverageMoving, coverageAtRest: Double
    var movingError: Double
  }

  func score(_ mode: LocationSmoother.Mode) -> Score {
    let reports = LocationSmoother().estimates(
      of: fixes.indices.map {
        FixReport(fixes[$0], acceleration: accelerations.isEmpty ? nil : accelerations[$0])
      }, mode: mode)
    var (errors, raw): ([Double], [Double]) = ([], [])
    // At rest, moving.
    var inside = [0, 0]
    var count = [0, 0]
    var wrong = 0
    for (index, report) in reports.enumerated() {
      let plane = LocalTangentPlane(
        latitude: truth[index].latitude, longitude: truth[index].longitude)
      func error(_ latitude: Double, _ longitude: Double) -> Double {
        Journey.distance(plane.position(latitude: latitude, longitude: longitude), .zero)
      }
      raw.append(error(fixes[index].latitude, fixes[index].longitude))
      guard let estimate = report.location else { continue }
      let distance = error(estimate.latitude, estimate.longitude)
      errors.append(distance)
      guard let moves = isMoving[index] else { continue }
      count[moves ? 1 : 0] += 1
      inside[moves ? 1 : 0] += distance <= estimate.radius68 ? 1 : 0
      wrong += (report.moving.state == .moving) == moves ? 0 : 1
    }
    func rmse(_ x: [Double]) -> Double {
      (x.reduce(0) { $0 + $1 * $1 } / Double(x.count)).squareRoot()
    }
    func percentile(_ x: [Double], _ fraction: Double) -> Double {
      x.sorted()[Int(fraction * Double(x.count - 1))]
    }
    return Score(
      rmse: rmse(errors), median: percentile(errors, 0.5), percentile95: percentile(errors, 0.95),
      rawRMSE: rmse(raw), rawMedian: percentile(raw, 0.5), rawPercentile95: percentile(raw, 0.95),
      maximum: percentile(errors, 1), rawMaximum: percentile(raw, 1),
      coverageMoving: Double(inside[1]) / Double(count[1]),
      coverageAtRest: Double(inside[0]) / Double(count[0]),
      movingError: Double(wrong) / Double(count[0] + count[1]))
  }

  /// The numbers of a compressed CSV file by column; NaN where a field is empty.
  private struct Table {
    private var columns: [String: [Double]] = [:]
    var count: Int { columns["t"]?.count ?? 0 }

    init(_ file: URL) throws {
      var rows = try TableRows(LineReader(path: file.path))
      columns = Dictionary(uniqueKeysWithValues: rows.columns.map { ($0, []) })
      while try rows.next() {
        for (column, name) in rows.columns.enumerated() {
          columns[name]?.append(rows.value(at: column) ?? .nan)
        }
      }
    }

    func has(_ name: String) -> Bool { columns[name] != nil }
    subscript(name: String) -> [Double] { columns[name] ?? [] }
  }
}
