public import Foundation

/// The machine and the build of a run.
public struct Machine: Sendable, Codable {
  /// The processor's own name.
  public var processor: String
  /// The number of processors that the system offers.
  public var cores: Int
  /// The system's own name and version.
  public var system: String
  /// The version of the Swift standard library.
  public var swift: String
  /// `release`, or `debug`, whose times are meaningless.
  public var build: String

  /// This machine.
  public static var current: Machine {
    var isDebug = false
    assert(
      {
        isDebug = true
        return true
      }())
    return Machine(
      processor: processorName() ?? "unknown",
      cores: ProcessInfo.processInfo.activeProcessorCount,
      system: ProcessInfo.processInfo.operatingSystemVersionString,
      swift: "\(_SwiftStdlibVersion.current)", build: isDebug ? "debug" : "release")
  }

  /// One line for people.
  public var line: String {
    "\(processor), \(cores) cores, \(system), Swift \(swift) library, \(build) build"
  }

  private static func processorName() -> String? {
    guard let text = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8) else {
      return nil
    }
    let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
    let name = line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
    return name
  }
}

/// A run in the JSON schema of Google Benchmark, whose `compare.py` compares two of them.
public struct Report: Encodable {
  struct Context: Encodable {
    var date: String
    var executable: String
    var num_cpus: Int
    var cpu_model: String
    var system: String
    var swift_library_version: String
    var library_build_type: String
  }

  struct Row: Encodable {
    var name: String
    var run_name: String
    var run_type = "iteration"
    var repetitions: Int
    var iterations: Int
    var real_time: Double
    var cpu_time: Double
    var time_unit = "ns"
    var min_time: Double
    var items_per_second: Double
    var allocations_per_iteration: Double?
    var held_bytes: Int?
    var ratio_to_base: Double?
    var wall_ratio_to_base: Double?
  }

  var context: Context
  var benchmarks: [Row]

  /// The report of `measurements`.
  public init(_ measurements: [Timing], machine: Machine, date: Date) {
    context = Context(
      date: ISO8601DateFormatter().string(from: date), executable: "benchmark",
      num_cpus: machine.cores, cpu_model: machine.processor, system: machine.system,
      swift_library_version: machine.swift, library_build_type: machine.build)
    benchmarks = measurements.map {
      Row(
        name: $0.name, run_name: $0.name, repetitions: $0.nanoseconds.count,
        iterations: $0.iterations, real_time: $0.median, cpu_time: $0.processorMedian,
        min_time: $0.minimum, items_per_second: Double($0.items) / ($0.median * 1e-9),
        allocations_per_iteration: $0.allocations, held_bytes: $0.heldBytes,
        ratio_to_base: $0.ratio, wall_ratio_to_base: $0.wallRatio)
    }
  }

  /// The report as JSON text.
  public func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self)
  }
}
