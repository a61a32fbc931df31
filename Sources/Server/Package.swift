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

/// A product of the package around this one.
func locomotion(_ name: String) -> Target.Dependency {
  .product(name: name, package: "swift-locomotion")
}

/// The module map of a library of the system, in `System`.
func system(_ name: String, _ package: String, apt: String) -> Target {
  .systemLibrary(
    name: name, path: "System/\(name)", pkgConfig: package, providers: [.apt([apt])])
}

let package = Package(
  name: "locomotion-server",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "locomotion-server", targets: ["LocomotionServer"])],
  dependencies: [.package(name: "swift-locomotion", path: "../..")],
  targets: [
    system("CLocomotionJOSE", "cjose", apt: "libcjose-dev"),
    system("CLocomotionMicroHTTPD", "libmicrohttpd", apt: "libmicrohttpd-dev"),
    system("CLocomotionPostgreSQL", "libpq", apt: "libpq-dev"),

    .executableTarget(
      name: "LocomotionServer",
      dependencies: [
        "CLocomotionJOSE", "CLocomotionMicroHTTPD", "CLocomotionPostgreSQL",
        locomotion("CLocomotionCurl"), locomotion("Locomotion"), locomotion("LocomotionRecordings"),
        locomotion("LocomotionFormats"), locomotion("LocomotionJournal"),
        locomotion("LocomotionSync"), locomotion("LocomotionTool"),
      ],
      path: "LocomotionServer",
      // The database's schema, which the command brings along.
      resources: [.embedInCode("Database/Schema")],
      // The tests ask an optimized build for its internals, which nothing else uses. What other
      // packages depend on may have no such flags; no package depends on this one.
      swiftSettings: settings + [.unsafeFlags(["-enable-testing"])]),

    .testTarget(
      name: "ServingTests", dependencies: ["LocomotionServer"],
      path: "Tests/ServingTests", exclude: ["Corpus"], swiftSettings: settings),
    .testTarget(
      name: "CollectorTests",
      dependencies: [
        "LocomotionServer", locomotion("Locomotion"), locomotion("LocomotionJournal"),
        locomotion("LocomotionSync"),
      ],
      path: "Tests/CollectorTests", exclude: ["token_golden.json", "token_golden.py"],
      swiftSettings: settings),
  ]
)
