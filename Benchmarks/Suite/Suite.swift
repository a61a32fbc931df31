import BenchmarkHarness
import Foundation

/// Everything that can be measured, in the order of the package's modules.
enum Suite {
  static func items() -> [Item] {
    SignalsBenchmarks.items() + PositioningBenchmarks.items() + SimulatorBenchmarks.items()
      + DayBenchmarks.items()
  }

  /// An entry by itself, or entries that are measured in turns.
  enum Item {
    case entry(Entry)
    case comparison(Comparison)

    var name: String {
      switch self {
      case .entry(let entry): entry.name
      case .comparison(let comparison): comparison.name
      }
    }
  }
}

/// Measures the package's stages: `benchmark --help` tells how.
@main struct Benchmark {
  static func main() {
    let options: Options
    do {
      options = try Options(Array(CommandLine.arguments.dropFirst()))
    } catch {
      note(error.message + "\n" + Options.usage)
      exit(2)
    }
    if options.showsHelp {
      print(Options.usage)
      return
    }
    let items = Suite.items().filter {
      options.filter.isEmpty || $0.name.localizedCaseInsensitiveContains(options.filter)
    }
    if options.listsOnly {
      items.forEach { print($0.name) }
      return
    }
    let machine = Machine.current
    print(machine.line)
    if machine.build == "debug" { note("A debug build: times and allocations mean nothing.") }
    let control = AllocationControl.run()
    let measurements = measure(items, options)
    if let path = options.json { save(measurements, machine, to: path) }
    if options.checksAllocations, !allocationsPass(measurements, control) { exit(1) }
  }

  private static func measure(_ items: [Suite.Item], _ options: Options) -> [Measurement] {
    let stopwatch = options.isQuick ? Stopwatch.quick : .thorough
    var all: [Measurement] = []
    print(Table.header)
    for item in items {
      let results =
        switch item {
        case .entry(let entry): [stopwatch.measure(entry)]
        case .comparison(let comparison): stopwatch.measure(comparison)
        }
      results.forEach { print(Table.row($0)) }
      all += results
    }
    return all
  }

  private static func save(_ measurements: [Measurement], _ machine: Machine, to path: String) {
    do {
      try Report(measurements, machine: machine, date: Date()).json()
        .write(to: URL(fileURLWithPath: path))
    } catch {
      note("\(path): \(error)")
      exit(74)
    }
  }

  private static func allocationsPass(
    _ measurements: [Measurement], _ control: AllocationControl
  ) -> Bool {
    switch control {
    case .unsupported:
      print("allocations: unsupported here (they are counted on glibc, without sanitizers)")
      return true
    case .failed(let counted):
      note("allocations: the control counted \(counted) where there was 1")
      return false
    case .passed:
      let broken = measurements.filter { !$0.keepsPromise }
      for result in broken {
        note("allocations: \(result.name) makes \(result.allocations ?? 0) per iteration, not 0")
      }
      let promised = measurements.filter(\.isAllocationFree).count
      print("allocations: control passed, \(promised - broken.count) of \(promised) are free")
      return broken.isEmpty
    }
  }

  static func note(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }
}

/// The printed table.
enum Table {
  static let header =
    pad("name", 44) + left("median", 12) + left("min", 12) + left("per item", 13)
    + left("alloc.", 8) + left("ratio", 8)

  static func row(_ result: Measurement) -> String {
    pad(result.name, 44) + left(time(result.median), 12) + left(time(result.minimum), 12)
      + left(time(result.median / Double(result.items)), 13)
      + left(result.allocations.map { $0 == 0 ? "0" : rounded($0, 1) } ?? "?", 8)
      + left(result.ratio.map { rounded($0, 2) } ?? "", 8) + "  "
      + (result.items == 1 ? result.unit : "\(result.items) \(result.unit)s")
  }

  private static func time(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case ..<1e3: rounded(nanoseconds, 2) + " ns"
    case ..<1e6: rounded(nanoseconds / 1e3, 2) + " µs"
    case ..<1e9: rounded(nanoseconds / 1e6, 2) + " ms"
    default: rounded(nanoseconds / 1e9, 2) + " s"
    }
  }

  private static func rounded(_ value: Double, _ places: Int) -> String {
    value.formatted(.number.precision(.fractionLength(places)).grouping(.never))
  }

  private static func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }

  private static func left(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(1, width - text.count)) + text
  }
}
