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
  exclude: [String] = [], c: [CSetting] = [], linker: [LinkerSetting] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Sources/\(group)/\(name)", exclude: exclude,
    cSettings: c, swiftSettings: name.hasPrefix("C") ? [] : settings, linkerSettings: linker)
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

/// Code at a path of its own: of tests, benchmarks, data and bindings.
func code(_ name: String, at path: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
}

func program(
  _ name: String, at path: String, exclude: [String] = [], _ dependencies: [Target.Dependency]
) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: path, exclude: exclude, swiftSettings: settings)
}

/// Tests, which have the simulated phone and the modules of the device beside what they name.
func tests(
  _ name: String, at path: String? = nil, exclude: [String] = [],
  _ dependencies: [Target.Dependency] = []
) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: device + ["TestSupport", "SensorSimulator"] + dependencies,
    path: path ?? "Tests/Modules/\(name)Tests", exclude: exclude, swiftSettings: settings)
}

/// What runs on the device, from the sensors to the pipeline.
///
/// Whoever stores a pipeline names all of them: the build system rebuilds a target when a module it
/// names has changed, not when one behind that has, and the size of a pipeline is in each of them.
let deviceModules = [
  "LocomotionSensing", "LocomotionSignals", "LocomotionPositioning", "LocomotionGait",
  "LocomotionActivityRecognition", "Locomotion",
]
let signals: [Target.Dependency] = ["CLocomotionMath", "LocomotionSensing", "LocomotionSignals"]
let device = deviceModules.map { Target.Dependency(stringLiteral: $0) }

let recordings: [Target.Dependency] = [
  "LocomotionRecordings", "LocomotionFormats", "LocomotionAnalysis",
]
let parsers = recordings + ["LocomotionJournal", "LocomotionTool"]
let training = device + recordings + ["LocomotionTraining"]

/// The fuzzer, or the test that replays what it found.
///
/// `Tests/Checks/fuzz-formats.sh` asks for the fuzzer and passes the flags that it needs.
let fuzzing: Target =
  Context.environment["LOCOMOTION_FUZZING"] != nil
  ? program(
    "fuzz", at: "Tests/Modules/FuzzingTests", exclude: ["Corpus", "CorpusTests.swift"],
    device + parsers + ["TestSupport"])
  : tests("Fuzzing", exclude: ["Corpus", "Driver.swift"], parsers)

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
      name: "locomotion-python", type: .dynamic, targets: ["LocomotionC", "LocomotionPython"]),
    .executable(name: "locomotion", targets: ["LocomotionMain"]),
    // What `Sources/Server`, a package of its own, uses of the command.
    .library(name: "LocomotionTool", targets: ["LocomotionTool", "CLocomotionStopRequest"]),
  ]
    + [
      "CLocomotionCurl", "LocomotionMap", "LocomotionTraining", "LocomotionRecordings",
      "LocomotionAnalysis", "LocomotionFormats", "LocomotionJournal", "LocomotionSync",
    ].map { .library(name: $0, targets: [$0]) },
  targets: [
    // MARK: Device: value types, no Foundation. Each line may depend only on lines above.
    library(
      "CLocomotionMath", in: "Device",
      linker: [.linkedLibrary("m", .when(platforms: [.linux, .android]))]),
    library("CLocomotionWide", in: "Device"),
    library("CLocomotionModel", in: "Device", exclude: ["default.model"]),
    library("LocomotionSensing", in: "Device", ["CLocomotionMath"]),
    library("LocomotionPositioning", in: "Device", ["CLocomotionMath", "LocomotionSensing"]),
    library("LocomotionSignals", in: "Device", signals.dropLast() + ["CLocomotionWide"]),
    library("LocomotionGait", in: "Device", signals),
    library(
      "LocomotionActivityRecognition", in: "Device",
      signals + ["CLocomotionModel", "CLocomotionWide"]),
    library("Locomotion", in: "Device", device.dropLast() + ["CLocomotionMath"]),
    library(
      "LocomotionMap", in: "Device",
      ["CLocomotionMath", "LocomotionSensing", "LocomotionPositioning", "Locomotion"]),

    // MARK: System: what a Linux distribution has. Nothing of the device depends on it.
    system("CLocomotionArchive", "libarchive", apt: "libarchive-dev"),
    system("CLocomotionCurl", "libcurl", apt: "libcurl4-gnutls-dev"),
    system("CLocomotionNettle", "nettle", apt: "nettle-dev"),
    system("CLocomotionOpenBLAS", "openblas", apt: "libopenblas-dev"),
    system("CLocomotionSQLite", "sqlite3", apt: "libsqlite3-dev"),
    system("CLocomotionZlib", "zlib", apt: "zlib1g-dev"),

    // MARK: Recordings
    library("CLocomotionWords", in: "Recordings", exclude: ["columns.txt", "sports.txt"]),
    library("LocomotionRecordings", in: "Recordings", ["CLocomotionZlib", "LocomotionSensing"]),
    library(
      "LocomotionFormats", in: "Recordings",
      [
        "LocomotionSensing", "LocomotionPositioning", "LocomotionRecordings",
        "CLocomotionWords", onLinux("CLocomotionArchive"),
      ]),
    library("LocomotionAnalysis", in: "Recordings", device + recordings.dropLast()),

    // MARK: Training
    library(
      "LocomotionTraining", in: "Training",
      device + ["CLocomotionMath", "LocomotionRecordings", onLinux("CLocomotionOpenBLAS")],
      // Without this Accelerate shows its old functions, which are deprecated: an error here.
      c: [.define("ACCELERATE_NEW_LAPACK", .when(platforms: [.macOS, .iOS, .watchOS]))],
      linker: [.linkedFramework("Accelerate", .when(platforms: [.macOS, .iOS, .watchOS]))]),
    library("CLocomotionPage", in: "Recordings", exclude: ["page.css", "page.js"]),
    library(
      "LocomotionReport", in: "Recordings",
      device + recordings + ["CLocomotionPage", "LocomotionMap"]),

    // MARK: Journal
    library(
      "LocomotionJournal", in: "Journal",
      device + ["CLocomotionMath", "CLocomotionSQLite", "CLocomotionZlib"]
        + [onLinux("CLocomotionNettle")]),
    library(
      "LocomotionSync", in: "Journal", device + ["LocomotionJournal", onLinux("CLocomotionCurl")]),

    // MARK: Command
    library("CLocomotionStopRequest", in: "Command"),
    library(
      "LocomotionTool", in: "Command",
      training + [
        "LocomotionJournal", "LocomotionSync", "LocomotionReport", "LocomotionMap",
        "CLocomotionStopRequest",
      ]),
    program("LocomotionMain", at: "Sources/Command/LocomotionMain", ["LocomotionTool"]),

    // MARK: Bindings: the device's modules for other languages
    library("CLocomotion", in: "Bindings"),
    library(
      "LocomotionC", in: "Bindings", device + ["CLocomotion", "LocomotionMap"],
      exclude: ["build.sh"]),
    code(
      "LocomotionPython", at: "Sources/Bindings/LocomotionPython/native",
      training + ["CLocomotion", "LocomotionC", "LocomotionReport", "LocomotionTool"]),

    // MARK: Tests
    code("SensorSimulator", at: "Tests/Support/SensorSimulator", ["LocomotionSensing"]),
    code("TestSupport", at: "Tests/Support/TestSupport", ["LocomotionSensing"]),
    code("CFaultFileSystem", at: "Tests/Support/FaultFileSystem", ["CLocomotionSQLite"]),
    tests("Signals", ["CLocomotionMath"]),
    tests("Locomotion", ["LocomotionRecordings"]),
    tests("Training", ["LocomotionTraining", "LocomotionRecordings"]),
    tests("Recordings", ["LocomotionRecordings"]),
    tests("Analysis", recordings),
    tests("Formats", recordings),
    tests("Journal", ["LocomotionJournal", "LocomotionRecordings", "CFaultFileSystem"]),
    tests("Sync", ["LocomotionJournal", "LocomotionSync"]),
    tests("Tool", ["LocomotionTool", "LocomotionReport", "LocomotionRecordings"]),
    fuzzing,
    // What the answers of the bindings are compared with: Tests/Checks/c.sh, python.sh, web.sh.
    program(
      "struct-reference", at: "Tests/Support/StructReference",
      device + recordings + ["CLocomotion", "LocomotionC"]),

    // MARK: Benchmarks, and the simulated day
    program(
      "demo-recording", at: "Datasets/DemoRecording",
      ["SensorSimulator", "LocomotionRecordings", "LocomotionSensing"]),
    code("BenchmarkScores", at: "Benchmarks/Scores", training + ["LocomotionTool"]),
    tests(
      "BenchmarkScores", at: "Benchmarks/ScoresTests",
      recordings + ["BenchmarkScores", "LocomotionTraining"]),
    code("CAllocationCounter", at: "Benchmarks/AllocationCounter"),
    code("BenchmarkHarness", at: "Benchmarks/Harness", ["CAllocationCounter"]),
    code("CBenchmarkReference", at: "Benchmarks/Reference"),
    program(
      "benchmark", at: "Benchmarks/Suite",
      training + [
        "BenchmarkHarness", "BenchmarkScores", "CBenchmarkReference", "LocomotionTool",
        "SensorSimulator", "TestSupport",
      ]),
  ]
    + ["Sensing", "ActivityRecognition"].map { tests($0) } + [tests("Map", ["LocomotionMap"])]
    + ["Positioning", "Gait"].map { tests($0, ["LocomotionRecordings"]) }
)

#if os(Linux)
  // Apple's sensor types in outline, so that the adapters are type-checked and their unit and sign
  // arithmetic is tested where the frameworks do not exist: there they are a module of their own.
  package.targets.first { $0.name == "LocomotionSensing" }?.exclude = ["Apple"]
  package.targets += [
    code("CoreMotion", at: "Tests/Support/AppleStubs/CoreMotion"),
    code("CoreLocation", at: "Tests/Support/AppleStubs/CoreLocation"),
    code(
      "AppleAdapters", at: "Sources/Device/LocomotionSensing/Apple",
      ["LocomotionSensing", "CoreMotion", "CoreLocation"]),
    tests("AppleAdapter", ["AppleAdapters", "CoreMotion", "CoreLocation"]),
  ]
#endif

// MARK: The quick form of the tests (Tests/run.sh --quick): those of the modules of one folder.
if let group = Context.environment["LOCOMOTION_QUICK_TESTS"] {
  let quick = package.targets.filter { $0.path?.hasPrefix("Sources/\(group)/") == true }.map {
    ($0.name == "Locomotion" ? $0.name : $0.name.replacing("Locomotion", with: "")) + "Tests"
  }
  package.targets.removeAll { $0.type == .test && !quick.contains($0.name) }
}

// MARK: The page's module (Sources/Bindings/LocomotionWeb/build.sh): the report, and the readers of
// the commonest forms, in Embedded Swift, with the little that they use of Foundation in a module
// of that name.
if Context.environment["LOCOMOTION_WEB_MODULE"] != nil {
  let others = ["LocomotionRecordings", "LocomotionFormats", "LocomotionReport"]
  package.targets.removeAll { others.contains($0.name) }
  let folder = "Sources/Bindings/LocomotionWeb"
  let readers: [Target.Dependency] = ["Foundation", "LocomotionRecordings", "LocomotionFormats"]
  let apps = ["AppleHealth", "Arc", "GoogleHistory", "Moves", "OwnTracks", "Phyphox", "Strava"]
  package.targets += [
    code("Foundation", at: "\(folder)/foundation", ["CLocomotionMath"]),
    library(
      "LocomotionRecordings", in: "Recordings", ["Foundation", "LocomotionSensing"],
      exclude: ["CommandError.swift", "Datasets", "JSONText.swift", "RecordingWriter.swift"]
        + ["CompressedFile", "FileStatus", "OutputFile", "TemporaryPaths"]
        .map { "Files/\($0).swift" }),
    library(
      "LocomotionFormats", in: "Recordings", device + ["CLocomotionWords"] + readers.dropLast(),
      exclude: ["Export"]
        + ["DatasetImporters", "ObjectTable", "ZipArchive", "Apps/LiveMessage"]
        .map { "Import/\($0).swift" }
        + apps.map { "Import/Apps/\($0)Importer.swift" }
        + ["FITReader", "KMLElements", "TCXElements"].map { "Import/Tracks/\($0).swift" }
        + ["ColumnGuess", "LineRecords", "NamedColumns", "SensorTableImporter", "UnknownTable"]
        .map { "Import/Tables/\($0).swift" }
        + ["FieldText", "LineJSON"].map { "Parsing/\($0).swift" }),
    library(
      "LocomotionReport", in: "Recordings",
      device + readers + ["CLocomotionPage", "LocomotionMap"],
      exclude: ["AnalysisInput", "GeoJSON", "Map/PlanPage", "TimelineDocument"]
        .map { "\($0).swift" }),
    code(
      "LocomotionWeb", at: "\(folder)/native",
      device + readers + ["CLocomotion", "LocomotionC", "LocomotionMap", "LocomotionReport"]),
  ]
}
