import BenchmarkHarness
import BenchmarkScores
import Foundation

/// All entries, in the order of the package's modules.
enum Suite {
  static func items() -> [Item] {
    stages() + TrainingBenchmarks.items() + GrowthBenchmarks.items()
  }

  /// The entries that take neither minutes to prepare nor gigabytes.
  static func stages() -> [Item] {
    SignalsBenchmarks.items() + PositioningBenchmarks.items() + GaitBenchmarks.items()
      + ActivityBenchmarks.items() + PipelineBenchmarks.items()
  }

  /// A single entry, or entries that are measured in turns.
  enum Item {
    case entry(Entry)
    case comparison(Comparison)

    var name: String {
      switch self {
      case .entry(let entry): entry.name
      case .comparison(let comparison): comparison.name
      }
    }

    /// The entry, or each entry of the comparison, with the name of its result.
    var entries: [(name: String, entry: Entry)] {
      switch self {
      case .entry(let entry): [(entry.name, entry)]
      case .comparison(let comparison):
        comparison.entries.map { ("\(comparison.name)/\($0.name)", $0) }
      }
    }
  }
}

/// Measures the package's stages; `benchmark --help` lists the options.
@main struct Benchmark {
  static func main() {
    if CommandLine.arguments.dropFirst().first == "score" { ScoreCommand.main() }
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
    // Allocations are counted for the stages, without the long entries.
    let isShort = options.checksAllocations && options.filter.isEmpty
    let items = (isShort ? Suite.stages() : Suite.items()).filter {
      options.filter.isEmpty || $0.name.localizedCaseInsensitiveContains(options.filter)
    }
    if options.listsOnly {
      items.flatMap(\.entries).forEach { print($0.name) }
      return
    }
    if options.takesTurns {
      Turns.take(Dictionary(uniqueKeysWithValues: items.flatMap(\.entries)))
      return
    }
    if let folder = options.inputs {
      writeInputs(to: folder)
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

  private static func measure(_ items: [Suite.Item], _ options: Options) -> [Timing] {
    let stopwatch = options.isQuick ? Stopwatch.quick : .thorough
    var all: [Timing] = []
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

  private static func save(_ measurements: [Timing], _ machine: Machine, to path: String) {
    do {
      try Report(measurements, machine: machine, date: Date()).json()
        .write(to: URL(fileURLWithPath: path))
    } catch {
      note("\(path): \(error)")
      exit(74)
    }
  }

  private static func writeInputs(to folder: String) {
    do {
      try PeerInputs.write(to: URL(fileURLWithPath: folder, isDirectory: true))
    } catch {
      note("\(folder): \(error)")
      exit(74)
    }
  }

  private static func allocationsPass(
    _ measurements: [Timing], _ control: AllocationControl
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
      let promised = measurements.filter { $0.isAllocationFree }.count
      print("allocations: control passed, \(promised - broken.count) of \(promised) are free")
      return broken.isEmpty
    }
  }

  static func note(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }
}
