// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),  // every unsafe expression must say `unsafe`
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
]

/// The library `name` in `Sources/<group>`.
///
/// Module names carry the prefix because an app's dependency graph is one namespace.
func library(
  _ name: String, in group: String, _ dependencies: [Target.Dependency] = [],
  exclude: [String] = [], resources: [Resource] = [], c: [CSetting] = [],
  linker: [LinkerSetting] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Sources/\(group)/\(name)", exclude: exclude,
    resources: resources, cSettings: c, swiftSettings: name.hasPrefix("C") ? [] : settings,
    linkerSettings: linker)
}

/// The module map of a library of the system, in `Sources/System`.
func system(_ name: String, _ package: String, apt: String) -> Target {
  .systemLibrary(
    name: name, path: "Sources/System/\(name)", pkgConfig: package, providers: [.apt([apt])])
}

/// `name`, where Apple's systems have a library of their own in its place.
func onLinux(_ name: String) -> Target.Dependency {
  .target(name: name, condition: .when(platforms: [.linux]))
}

/// Test-only code in `Tests/Support/<name>`.
func support(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Tests/Support/\(name)", swiftSettings: settings)
}

/// The tests in `Tests/Modules/<name>Tests`.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: ["TestSupport"] + dependencies,
    path: "Tests/Modules/\(name)Tests", swiftSettings: settings)
}

/// What runs on the device, from the sensors to the pipeline.
///
/// Whoever stores a pipeline names all of them: the build system rebuilds a target when a module it
/// names has changed, not when one behind that has, and the size of a pipeline is in each of them.
let deviceModules = [
  "LocomotionSensing", "LocomotionSignals", "LocomotionPositioning", "LocomotionGait",
  "LocomotionActivityRecognition", "Locomotion",
]
let device = deviceModules.map { Target.Dependency(stringLiteral: $0) }


/// Whether the fuzzer is built in place of the test that replays what it found.
///
/// `Tests/Checks/fuzz-formats.sh` sets this and passes the flags that the fuzzer needs.
let isFuzzing = Context.environment["LOCOMOTION_FUZZING"] != nil
let fuzzed =
  device + [
    "LocomotionRecordings", "LocomotionFormats", "LocomotionJournal", "LocomotionSalvage",
    "LocomotionTool",
  ]
let fuzzing: Target =
  isFuzzing
  ? .executableTarget(
    name: "fuzz", dependencies: fuzzed, path: "Tests/Modules/FuzzingTests",
    exclude: ["Corpus", "CorpusTests.swift"], swiftSettings: settings)
  : .testTarget(
    name: "FuzzingTests", dependencies: ["TestSupport"] + fuzzed,
    path: "Tests/Modules/FuzzingTests",
    exclude: ["Corpus", "Driver.swift"], swiftSettings: settings)

let package = Package(
  name: "swift-locomotion",
  // Accelerate has its new LAPACK since half a year before them. Of the standard library they lack
  // `Array.span`, `Mutex` and `Int128`.
  platforms: [.macOS(.v14), .iOS(.v17), .watchOS(.v10)],
  products: [
    .library(name: "Locomotion", targets: deviceModules),
    // Built by `Sources/Bindings/LocomotionC/build.sh`; it needs nothing but the C library.
    .library(name: "locomotion-c", type: .dynamic, targets: ["LocomotionC"]),
    // Built by `Sources/Bindings/LocomotionPython/build.sh` for the Python package beside it.
    .library(
      name: "locomotion-python", type: .dynamic,
      targets: ["LocomotionC", "LocomotionPython"]),
    .library(name: "LocomotionTraining", targets: ["LocomotionTraining"]),
    .library(name: "LocomotionRecordings", targets: ["LocomotionRecordings"]),
    .library(name: "LocomotionAnalysis", targets: ["LocomotionAnalysis"]),
    .library(name: "LocomotionFormats", targets: ["LocomotionFormats"]),
    .library(name: "LocomotionJournal", targets: ["LocomotionJournal"]),
    .library(name: "LocomotionSalvage", targets: ["LocomotionSalvage"]),
    .library(name: "LocomotionSync", targets: ["LocomotionSync"]),
    .executable(name: "locomotion", targets: ["LocomotionMain"]),
    // What `Sources/Server`, a package of its own, uses of the command and of reports.
    .library(name: "CLocomotionCurl", targets: ["CLocomotionCurl"]),
    .library(name: "LocomotionTool", targets: ["LocomotionTool", "CLocomotionStopRequest"]),
  ],
  targets: [
    // MARK: Device: value types, no Foundation. Each line may depend only on lines above.
    library(
      "CLocomotionMath", in: "Device",
      linker: [.linkedLibrary("m", .when(platforms: [.linux, .android]))]),
    library("CLocomotionWide", in: "Device"),
    library("CLocomotionModel", in: "Device", exclude: ["default.model"]),
    library("LocomotionSensing", in: "Device", ["CLocomotionMath"]),
    library(
      "LocomotionSignals", in: "Device",
      ["CLocomotionMath", "CLocomotionWide", "LocomotionSensing"]),
    library("LocomotionPositioning", in: "Device", ["CLocomotionMath", "LocomotionSensing"]),
    library(
      "LocomotionGait", in: "Device",
      ["CLocomotionMath", "LocomotionSensing", "LocomotionSignals"]),
    library(
      "LocomotionActivityRecognition", in: "Device",
      [
        "CLocomotionMath", "CLocomotionModel", "CLocomotionWide", "LocomotionSensing",
        "LocomotionSignals",
      ]),
    library(
      "Locomotion", in: "Device",
      [
        "CLocomotionMath", "LocomotionSensing", "LocomotionSignals", "LocomotionPositioning",
        "LocomotionGait", "LocomotionActivityRecognition",
      ]),

    // MARK: System: what a Linux distribution has. Nothing of the device depends on it.
    system("CLocomotionArchive", "libarchive", apt: "libarchive-dev"),
    system("CLocomotionCurl", "libcurl", apt: "libcurl4-gnutls-dev"),
    system("CLocomotionNettle", "nettle", apt: "nettle-dev"),
    system("CLocomotionOpenBLAS", "openblas", apt: "libopenblas-dev"),
    system("CLocomotionSQLite", "sqlite3", apt: "libsqlite3-dev"),
    system("CLocomotionZlib", "zlib", apt: "zlib1g-dev"),

    // MARK: Recordings
    library("LocomotionRecordings", in: "Recordings", ["CLocomotionZlib", "LocomotionSensing"]),
    library(
      "LocomotionFormats", in: "Recordings",
      [
        "LocomotionSensing", "LocomotionPositioning", "LocomotionRecordings",
        onLinux("CLocomotionArchive"),
      ]),
    library(
      "LocomotionAnalysis", in: "Recordings",
      device + ["LocomotionRecordings", "LocomotionFormats"]),

    // MARK: Training
    library(
      "LocomotionLinearAlgebra", in: "Training", [onLinux("CLocomotionOpenBLAS")],
      // Without this Accelerate shows its old functions, which are deprecated: an error here.
      c: [.define("ACCELERATE_NEW_LAPACK", .when(platforms: [.macOS, .iOS, .watchOS]))],
      linker: [.linkedFramework("Accelerate", .when(platforms: [.macOS, .iOS, .watchOS]))]),
    library(
      "LocomotionTraining", in: "Training",
      device + ["CLocomotionMath", "LocomotionLinearAlgebra", "LocomotionRecordings"]),
    library("CLocomotionPage", in: "Recordings", exclude: ["page.css", "page.js"]),
    library(
      "LocomotionReport", in: "Recordings",
      device + ["CLocomotionPage", "LocomotionFormats", "LocomotionAnalysis", "LocomotionTraining"]),

    // MARK: Journal
    library(
      "LocomotionJournal", in: "Journal",
      device + ["CLocomotionMath", "CLocomotionSQLite", "CLocomotionZlib"]),
    library("LocomotionSalvage", in: "Journal", ["LocomotionSensing", "LocomotionJournal"]),
    library(
      "LocomotionSync", in: "Journal",
      device + ["LocomotionJournal", onLinux("CLocomotionNettle"), onLinux("CLocomotionCurl")]),

    // MARK: Command
    library("CLocomotionStopRequest", in: "Command"),
    library(
      "LocomotionTool", in: "Command",
      device + [
        "LocomotionRecordings", "LocomotionFormats", "LocomotionAnalysis", "LocomotionTraining",
        "LocomotionJournal", "LocomotionSalvage", "LocomotionSync", "LocomotionReport",
        "CLocomotionStopRequest",
      ]),
    .executableTarget(
      name: "LocomotionMain", dependencies: ["LocomotionTool"],
      path: "Sources/Command/LocomotionMain", swiftSettings: settings),

    // MARK: Bindings: the device's modules for other languages
    library("CLocomotion", in: "Bindings"),
    library("LocomotionC", in: "Bindings", device + ["CLocomotion"], exclude: ["build.sh"]),
    .target(
      name: "LocomotionPython",
      dependencies: device + [
        "CLocomotion", "LocomotionC", "LocomotionRecordings", "LocomotionFormats",
        "LocomotionAnalysis", "LocomotionTraining", "LocomotionReport", "LocomotionTool",
      ],
      path: "Sources/Bindings/LocomotionPython/native", swiftSettings: settings),

    // MARK: Tests
    support("SensorSimulator", ["LocomotionSensing"]),
    support("TestSupport", ["LocomotionSensing"]),
    tests("Sensing", ["LocomotionSensing"]),
    tests(
      "Signals", ["CLocomotionMath", "LocomotionSignals", "LocomotionSensing", "SensorSimulator"]),
    tests("Positioning", ["LocomotionPositioning", "LocomotionSensing", "SensorSimulator"]),
    tests("Gait", ["LocomotionGait", "LocomotionSignals", "LocomotionSensing", "SensorSimulator"]),
    tests(
      "ActivityRecognition",
      [
        "LocomotionActivityRecognition", "LocomotionSignals", "LocomotionSensing",
        "SensorSimulator",
      ]),
    tests("Locomotion", device + ["LocomotionRecordings", "SensorSimulator"]),
    tests("LinearAlgebra", ["LocomotionLinearAlgebra"]),
    tests(
      "Training",
      device + [
        "LocomotionLinearAlgebra", "LocomotionTraining", "LocomotionRecordings", "SensorSimulator",
      ]),
    tests("Recordings", ["LocomotionRecordings", "LocomotionSensing"]),
    tests(
      "Analysis",
      device + [
        "LocomotionAnalysis", "LocomotionFormats", "LocomotionRecordings", "SensorSimulator",
      ]),
    tests(
      "Formats",
      device + [
        "LocomotionFormats", "LocomotionAnalysis", "LocomotionRecordings", "SensorSimulator",
      ]),
    .target(
      name: "CFaultFileSystem", dependencies: ["CLocomotionSQLite"],
      path: "Tests/Support/FaultFileSystem"),
    tests(
      "Journal",
      device + [
        "LocomotionJournal", "LocomotionSalvage", "LocomotionRecordings", "CFaultFileSystem",
        "SensorSimulator",
      ]),
    tests(
      "Sync",
      device + ["LocomotionSync", "LocomotionJournal", "LocomotionSalvage", "SensorSimulator"]),
    tests(
      "Tool",
      device + ["LocomotionTool", "LocomotionReport", "LocomotionRecordings", "SensorSimulator"]),
    tests("SensorSimulator", ["SensorSimulator", "LocomotionSensing"]),
    fuzzing,

    // What the answers of the bindings are compared with: Tests/Checks/c.sh, python.sh, web.sh.
    .executableTarget(
      name: "struct-reference",
      dependencies: device + [
        "CLocomotion", "LocomotionC", "LocomotionAnalysis", "LocomotionRecordings",
      ],
      path: "Tests/Support/StructReference", swiftSettings: settings),

    // MARK: Demonstration
    .executableTarget(
      name: "demo-recording",
      dependencies: ["SensorSimulator", "LocomotionRecordings", "LocomotionSensing"],
      path: "Datasets/DemoRecording", swiftSettings: settings),

    // MARK: Benchmarks
    .target(
      name: "BenchmarkScores",
      dependencies: device + [
        "LocomotionRecordings", "LocomotionFormats", "LocomotionAnalysis", "LocomotionTraining",
        "LocomotionTool",
      ],
      path: "Benchmarks/Scores", swiftSettings: settings),
    .testTarget(
      name: "BenchmarkScoresTests",
      dependencies: device + [
        "BenchmarkScores", "LocomotionAnalysis", "LocomotionTraining", "SensorSimulator",
        "TestSupport",
      ],
      path: "Benchmarks/ScoresTests", swiftSettings: settings),
    .target(name: "CAllocationCounter", path: "Benchmarks/AllocationCounter"),
    .target(
      name: "BenchmarkHarness", dependencies: ["CAllocationCounter"], path: "Benchmarks/Harness",
      swiftSettings: settings),
    .target(name: "CBenchmarkReference", path: "Benchmarks/Reference"),
    .executableTarget(
      name: "benchmark",
      dependencies: device + [
        "BenchmarkHarness", "BenchmarkScores", "CBenchmarkReference", "LocomotionAnalysis",
        "LocomotionTraining", "LocomotionTool", "SensorSimulator", "TestSupport",
      ],
      path: "Benchmarks/Suite", swiftSettings: settings),
  ]
)

#if os(Linux)
  // Apple's sensor types in outline, so that the adapters are type-checked and their unit and sign
  // arithmetic is tested where the frameworks do not exist: there they are a module of their own.
  package.targets.first { $0.name == "LocomotionSensing" }?.exclude = ["Apple"]
  package.targets += [
    .target(
      name: "CoreMotion", path: "Tests/Support/AppleStubs/CoreMotion", swiftSettings: settings),
    .target(
      name: "CoreLocation", path: "Tests/Support/AppleStubs/CoreLocation", swiftSettings: settings),
    .target(
      name: "AppleAdapters", dependencies: ["LocomotionSensing", "CoreMotion", "CoreLocation"],
      path: "Sources/Device/LocomotionSensing/Apple", swiftSettings: settings),
    .testTarget(
      name: "AppleAdapterTests",
      dependencies: ["AppleAdapters", "LocomotionSensing", "CoreMotion", "CoreLocation"],
      path: "Tests/Modules/AppleAdapterTests", swiftSettings: settings),
  ]
#endif

// MARK: The quick form of the tests (Tests/run.sh --quick): those of what runs on the device.
if Context.environment["LOCOMOTION_QUICK_TESTS"] != nil {
  let quick = deviceModules.map { $0.replacing("Locomotion", with: "") }.map {
    ($0.isEmpty ? "Locomotion" : $0) + "Tests"
  }
  package.targets.removeAll { $0.type == .test && !quick.contains($0.name) }
}

// MARK: The page's module (Sources/Bindings/LocomotionWeb/build.sh): the report in Embedded Swift,
// with the little that it uses of Foundation in a module of that name.
if Context.environment["LOCOMOTION_WEB_MODULE"] != nil {
  package.targets.removeAll { ["LocomotionFormats", "LocomotionReport"].contains($0.name) }
  let folder = "Sources/Bindings/LocomotionWeb"
  package.targets += [
    .target(
      name: "Foundation", dependencies: ["CLocomotionMath", "LocomotionFormats"],
      path: "\(folder)/foundation", swiftSettings: settings),
    .target(
      name: "LocomotionFormats", dependencies: ["LocomotionSensing"],
      path: "Sources/Recordings/LocomotionFormats/Parsing", sources: ["CalendarTime.swift"],
      swiftSettings: settings),
    library(
      "LocomotionReport", in: "Recordings",
      device + ["CLocomotionPage", "Foundation", "LocomotionFormats"],
      exclude: [
        "AnalysisInput.swift", "GeoJSON.swift", "Map/ComparisonPage.swift",
        "Map/ReportTilesTemplate.swift", "TextSummary.swift", "TimelineDocument.swift", "Training",
      ]),
    .target(
      name: "LocomotionWeb",
      dependencies: device + ["CLocomotion", "Foundation", "LocomotionC", "LocomotionReport"],
      path: "\(folder)/native", swiftSettings: settings),
  ]
}
