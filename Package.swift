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

/// A library target in `Sources/Locomotion<name>`.
///
/// Module names carry the prefix because an app's dependency graph is one namespace.
func library(
  _ name: String, _ dependencies: [Target.Dependency] = [], c: [CSetting] = [],
  linker: [LinkerSetting] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, cSettings: c, swiftSettings: settings,
    linkerSettings: linker)
}

/// Test-only code in `Tests/<name>`.
func support(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Tests/\(name)", swiftSettings: settings)
}

/// The tests in `Tests/<name>Tests`.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: ["TestSupport"] + dependencies,
    swiftSettings: settings)
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

/// `locomotion serve`, which needs libmicrohttpd: on Linux from the distribution, on a Mac from
/// Homebrew, and there only on request (`swift build --traits Serve`).
let serve = Trait(name: "Serve", description: "The HTTP endpoint of the locomotion command.")
/// Journals that are encrypted on the disk, which needs libsodium and is off unless asked for
/// (`swift build --traits default,Encryption`): without it nothing links that library.
let encryption = Trait(name: "Encryption", description: "Encrypted journals, by libsodium.")

/// `locomotion collect` and `locomotion archive`, which need PostgreSQL's and curl's libraries and
/// GnuTLS: off unless asked for (`swift build --traits default,Collect`).
let collect = Trait(
  name: "Collect", description: "The archive's side of the locomotion command.",
  enabledTraits: [serve.name])

#if os(Linux)
  let servesByDefault = true
#else
  let servesByDefault = false
#endif

/// Whether the fuzzer is built in place of the test that replays what it found.
///
/// `Tests/fuzz-formats.sh` sets this and passes the flags that the fuzzer needs.
let isFuzzing = Context.environment["LOCOMOTION_FUZZING"] != nil
let fuzzed =
  device + ["LocomotionRecordings", "LocomotionFormats", "LocomotionJournal"]
let fuzzing: Target =
  isFuzzing
  ? .executableTarget(
    name: "fuzz", dependencies: fuzzed, path: "Tests/FuzzingTests",
    exclude: ["Corpus", "CorpusTests.swift"], swiftSettings: settings)
  : .testTarget(
    name: "FuzzingTests", dependencies: ["TestSupport"] + fuzzed,
    exclude: ["Corpus", "Driver.swift"], swiftSettings: settings)

let package = Package(
  name: "swift-locomotion",
  // Accelerate has its new LAPACK since half a year before them. Of the standard library they lack
  // `Array.span`, `Mutex` and `Int128`.
  platforms: [.macOS(.v14), .iOS(.v17), .watchOS(.v10)],
  products: [
    .library(name: "Locomotion", targets: deviceModules),
    // Built by `Sources/LocomotionC/build.sh`, which makes it need nothing but the C library.
    .library(name: "locomotion-c", type: .dynamic, targets: ["LocomotionC"]),
    // Built by `Sources/LocomotionPython/build.sh` for the Python package beside it.
    .library(
      name: "locomotion-python", type: .dynamic, targets: ["LocomotionC", "LocomotionPython"]),
    .library(name: "LocomotionEvaluation", targets: ["LocomotionEvaluation"]),
    .library(name: "LocomotionTraining", targets: ["LocomotionTraining"]),
    .library(name: "LocomotionRecordings", targets: ["LocomotionRecordings"]),
    .library(name: "LocomotionAnalysis", targets: ["LocomotionAnalysis"]),
    .library(name: "LocomotionFormats", targets: ["LocomotionFormats"]),
    .library(name: "LocomotionJournal", targets: ["LocomotionJournal"]),
    .library(name: "LocomotionSync", targets: ["LocomotionSync"]),
    .executable(name: "locomotion", targets: ["LocomotionMain"]),
  ],
  traits: [
    serve, encryption, collect, .default(enabledTraits: servesByDefault ? [serve.name] : []),
  ],
  targets: [
    // MARK: On the device: value types, no Foundation. Each line may depend only on lines above.
    .target(
      name: "CLocomotionMath",
      linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux, .android]))]),
    .target(name: "CLocomotionWide"),
    library("LocomotionSensing", ["CLocomotionMath"]),
    library("LocomotionSignals", ["CLocomotionMath", "CLocomotionWide", "LocomotionSensing"]),
    library("LocomotionPositioning", ["CLocomotionMath", "LocomotionSensing"]),
    library("LocomotionGait", ["CLocomotionMath", "LocomotionSensing", "LocomotionSignals"]),
    library(
      "LocomotionActivityRecognition",
      ["CLocomotionMath", "CLocomotionWide", "LocomotionSensing", "LocomotionSignals"]),
    library(
      "Locomotion",
      [
        "CLocomotionMath", "LocomotionSensing", "LocomotionSignals", "LocomotionPositioning",
        "LocomotionGait", "LocomotionActivityRecognition",
      ]),

    // MARK: The device's modules for other languages
    .target(name: "CLocomotion"),
    .target(
      name: "LocomotionC", dependencies: device + ["CLocomotion"], exclude: ["build.sh"],
      swiftSettings: settings),

    // MARK: Off the device. Nothing above depends on anything here.
    .systemLibrary(
      name: "CLocomotionOpenBLAS", pkgConfig: "openblas",
      providers: [.apt(["libopenblas-dev"])]),
    .systemLibrary(
      name: "CLocomotionZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(
      name: "CLocomotionSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(
      name: "CLocomotionArchive", pkgConfig: "libarchive",
      providers: [.apt(["libarchive-dev"])]),
    .target(name: "CLocomotionStopRequest"),
    .systemLibrary(
      name: "CLocomotionMicroHTTPD", pkgConfig: "libmicrohttpd",
      providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
    library(
      "LocomotionLinearAlgebra",
      [.target(name: "CLocomotionOpenBLAS", condition: .when(platforms: [.linux]))],
      // Without this Accelerate shows its old functions, which are deprecated: an error here.
      c: [.define("ACCELERATE_NEW_LAPACK", .when(platforms: [.macOS, .iOS, .watchOS]))],
      linker: [.linkedFramework("Accelerate", .when(platforms: [.macOS, .iOS, .watchOS]))]),
    library("LocomotionRecordings", ["CLocomotionZlib", "LocomotionSensing"]),
    library(
      "LocomotionFormats",
      [
        "LocomotionSensing", "LocomotionRecordings",
        .target(name: "CLocomotionArchive", condition: .when(platforms: [.linux])),
      ]),
    library("LocomotionAnalysis", device + ["LocomotionRecordings", "LocomotionFormats"]),
    .target(
      name: "CLocomotionEncryption", dependencies: ["CLocomotionSQLite"],
      cSettings: [.define("LOCOMOTION_ENCRYPTION", .when(traits: [encryption.name]))],
      linkerSettings: [.linkedLibrary("sodium", .when(traits: [encryption.name]))]),
    library(
      "LocomotionJournal",
      device + [
        "CLocomotionMath", "CLocomotionSQLite", "CLocomotionZlib", "CLocomotionEncryption",
      ]),
    .systemLibrary(
      name: "CLocomotionNettle", pkgConfig: "nettle", providers: [.apt(["nettle-dev"])]),
    .systemLibrary(
      name: "CLocomotionCurl", pkgConfig: "libcurl",
      providers: [.apt(["libcurl4-gnutls-dev"])]),
    library(
      "LocomotionSync",
      device + [
        "LocomotionJournal",
        .target(name: "CLocomotionNettle", condition: .when(platforms: [.linux])),
        .target(name: "CLocomotionCurl", condition: .when(platforms: [.linux])),
      ]),
    .systemLibrary(
      name: "CLocomotionGnuTLS", pkgConfig: "gnutls", providers: [.apt(["libgnutls28-dev"])]),
    .systemLibrary(
      name: "CLocomotionPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .target(
      name: "LocomotionCollector",
      dependencies: device + [
        "LocomotionJournal", "LocomotionSync",
        .target(name: "CLocomotionGnuTLS", condition: .when(traits: [collect.name])),
        .target(name: "CLocomotionPostgreSQL", condition: .when(traits: [collect.name])),
        .target(name: "CLocomotionCurl", condition: .when(traits: [collect.name])),
      ],
      // The database's schema, which the command brings along.
      resources: [.embedInCode("Database/Schema")],
      swiftSettings: settings),
    library("LocomotionEvaluation", device + ["LocomotionRecordings"]),
    library(
      "LocomotionTraining",
      device + ["LocomotionLinearAlgebra", "LocomotionRecordings", "LocomotionEvaluation"]),
    library(
      "LocomotionReport",
      device + [
        "LocomotionFormats", "LocomotionAnalysis", "LocomotionEvaluation", "LocomotionTraining",
      ]),
    library(
      "LocomotionTool",
      device + [
        "LocomotionRecordings", "LocomotionFormats", "LocomotionAnalysis", "LocomotionEvaluation",
        "LocomotionTraining", "LocomotionJournal", "LocomotionSync", "LocomotionCollector",
        "LocomotionReport", "CLocomotionStopRequest",
        .target(name: "CLocomotionMicroHTTPD", condition: .when(traits: [serve.name])),
      ]),
    .target(
      name: "LocomotionPython",
      dependencies: device + [
        "CLocomotion", "LocomotionC", "LocomotionLinearAlgebra", "LocomotionRecordings",
        "LocomotionFormats", "LocomotionAnalysis", "LocomotionTraining", "LocomotionTool",
      ],
      path: "Sources/LocomotionPython/native", swiftSettings: settings),
    .executableTarget(
      name: "LocomotionMain", dependencies: ["LocomotionTool"], swiftSettings: settings),

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
      "Evaluation", device + ["LocomotionEvaluation", "LocomotionRecordings", "SensorSimulator"]),
    tests(
      "Training",
      device + [
        "LocomotionLinearAlgebra", "LocomotionTraining", "LocomotionEvaluation",
        "LocomotionRecordings", "SensorSimulator",
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
      path: "Tests/FaultFileSystem"),
    tests(
      "Journal",
      device + [
        "LocomotionJournal", "LocomotionRecordings", "CFaultFileSystem", "SensorSimulator",
      ]),
    tests("Sync", device + ["LocomotionSync", "LocomotionJournal", "SensorSimulator"]),
    tests(
      "Collector",
      device + ["LocomotionCollector", "LocomotionJournal", "LocomotionSync", "SensorSimulator"]),
    tests(
      "Tool",
      device + ["LocomotionTool", "LocomotionReport", "LocomotionRecordings", "SensorSimulator"]),
    tests("SensorSimulator", ["SensorSimulator", "LocomotionSensing"]),
    tests("Repository", []),
    fuzzing,

    // MARK: Demonstration
    .executableTarget(
      name: "demo-recording",
      dependencies: ["SensorSimulator", "LocomotionRecordings", "LocomotionSensing"],
      path: "Datasets/DemoRecording", swiftSettings: settings),

    // MARK: Benchmarks
    .target(name: "CAllocationCounter", path: "Benchmarks/AllocationCounter"),
    .target(
      name: "BenchmarkHarness", dependencies: ["CAllocationCounter"], path: "Benchmarks/Harness",
      swiftSettings: settings),
    .target(name: "CBenchmarkReference", path: "Benchmarks/Reference"),
    .executableTarget(
      name: "benchmark",
      dependencies: device + [
        "BenchmarkHarness", "CBenchmarkReference", "LocomotionAnalysis", "LocomotionTraining",
        "SensorSimulator", "TestSupport",
      ],
      path: "Benchmarks/Suite", swiftSettings: settings),
  ]
)

#if os(Linux)
  // Apple's sensor types in outline, so that the adapters are type-checked and their unit and sign
  // arithmetic is tested where the frameworks do not exist.
  package.targets += [
    .target(
      name: "CoreMotion", path: "Tests/AppleStubs/CoreMotion", swiftSettings: settings),
    .target(
      name: "CoreLocation", path: "Tests/AppleStubs/CoreLocation", swiftSettings: settings),
    .testTarget(
      name: "AppleAdapterTests", dependencies: ["LocomotionSensing", "CoreMotion", "CoreLocation"],
      swiftSettings: settings + [.define("LOCOMOTION_APPLE_STUBS")]),
  ]
#endif
