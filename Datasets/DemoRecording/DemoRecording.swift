import Foundation
import LocomotionRecordings
import LocomotionSensing
import SensorSimulator

/// Writes a simulated day as a recording, with its ground truth, or those of many people.
///
/// `demo-recording --out DIR [--seed N] [--rate HZ] [--day N]` writes `demo.csv.gz` and
/// `demo.gps.csv.gz`, the sensor data, and `demo.truth.csv`, the ground truth of each second, on
/// one clock. Day 0, the default, is the 12th of May 2026 in UTC.
///
/// `demo-recording --out DIR --people N [--days N] [--rate HZ]` writes `PERSON/DATE.csv.gz` with
/// its fixes for each of the first days of each person: 80 minutes each, without ground truth.
@main struct DemoRecording {
  static func main() {
    do {
      let options = try Options(Array(CommandLine.arguments.dropFirst()))
      try write(options)
    } catch let error as UsageError {
      note(error.message + "\n" + Options.usage)
      exit(2)
    } catch {
      note("\(error)")
      exit(74)
    }
  }

  private static func write(_ options: Options) throws {
    var phone = SimulatedPhone()
    phone.sampleRate = options.rate
    phone.restFixInterval = 5
    guard options.people == 0 else {
      for person in 0..<options.people { try write(person, days: options.days, phone, options) }
      return
    }
    let recording = Scenario.demoDay(seed: options.seed, start: options.start, phone: phone)
      .recording()
    let folder = URL(fileURLWithPath: options.folder, isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)

    var writer = try RecordingWriter(path: folder.appendingPathComponent("demo.csv.gz").path)
    for batch in recording.batches(everySeconds: 60) { try writer.write(batch) }
    try writer.close()

    var text = "t,lat,lon,speed,moving,activity,cadence,steps\n"
    for second in recording.truth() {
      let fields = [
        decimal(second.timestamp.seconds, 0), decimal(second.latitude, 7),
        decimal(second.longitude, 7), decimal(second.speed, 3), second.isMoving ? "1" : "0",
        second.activity.rawValue, decimal(second.cadenceStepsPerMinute, 1),
        String(second.steps.count),
      ]
      text += fields.joined(separator: ",") + "\n"
    }
    try Data(text.utf8).write(to: folder.appendingPathComponent("demo.truth.csv"))
  }

  private static func write(
    _ person: Int, days: Int, _ phone: SimulatedPhone, _ options: Options
  ) throws {
    let number = String(person + 1)
    let name = "person-" + String(repeating: "0", count: max(0, 3 - number.count)) + number
    let folder = URL(fileURLWithPath: options.folder, isDirectory: true)
      .appendingPathComponent(name, isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for day in 0..<days {
      let date = Date(timeIntervalSince1970: 1_778_457_600 + 86_400 * Double(day))
      let file = "\(date.formatted(.iso8601.year().month().day())).csv.gz"
      let recording = Scenario.shortDay(person: person, day: day, phone: phone).recording()
      var writer = try RecordingWriter(path: folder.appendingPathComponent(file).path)
      for batch in recording.batches(everySeconds: 60) { try writer.write(batch) }
      try writer.close()
    }
  }

  static func note(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }
}

/// An invalid command line.
struct UsageError: Error {
  var message: String
}

/// The options of the command line.
struct Options {
  static let usage =
    "usage: demo-recording --out DIR [--rate HZ] [--seed N] [--day N | --people N [--days N]]"

  var folder = ""
  var seed: UInt64 = 1
  var rate = 50.0
  /// 0 for the one day with its ground truth.
  var people = 0
  var days = 3
  var start = Timestamp(nanoseconds: 1_778_544_000_000_000_000)

  init(_ arguments: [String]) throws(UsageError) {
    var rest = arguments[...]
    while let name = rest.popFirst() {
      guard let value = rest.popFirst() else { throw UsageError(message: "\(name) needs a value") }
      switch name {
      case "--out": folder = value
      case "--seed":
        guard let number = UInt64(value) else { throw UsageError(message: "no seed: \(value)") }
        seed = number
      case "--people", "--days":
        guard let number = Int(value), (1...1000).contains(number) else {
          throw UsageError(message: "no number of 1 to 1000: \(value)")
        }
        if name == "--people" { people = number } else { days = number }
      case "--rate":
        guard let number = Double(value), number >= 1, number <= 1000 else {
          throw UsageError(message: "no rate of 1 to 1000 Hz: \(value)")
        }
        rate = number
      case "--day":
        guard let number = Int64(value), abs(number) <= 10_000 else {
          throw UsageError(message: "no day of -10000 to 10000: \(value)")
        }
        start = start.advanced(byNanoseconds: number * 86_400_000_000_000)
      default: throw UsageError(message: "unknown option \(name)")
      }
    }
    guard !folder.isEmpty else { throw UsageError(message: "--out is missing") }
  }
}

/// `value` with `places` decimals, without trailing zeros; nothing for nil.
func decimal(_ value: Double?, _ places: Int) -> String {
  guard let value else { return "" }
  var scale = 1
  for _ in 0..<places { scale *= 10 }
  let scaled = Int((value * Double(scale)).rounded())
  let (whole, fraction) = scaled.magnitude.quotientAndRemainder(dividingBy: UInt(scale))
  let sign = scaled < 0 ? "-" : ""
  guard fraction > 0 else { return sign + String(whole) }
  var digits = String(fraction)
  digits = String(repeating: "0", count: places - digits.count) + digits
  while digits.hasSuffix("0") { digits.removeLast() }
  return sign + String(whole) + "." + digits
}
