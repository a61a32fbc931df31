import Foundation
import TestSupport
import Testing

@Suite struct LinkageTests {
  private static let program = """
    import Locomotion

    var pipeline = LocomotionPipeline()
    var batch = SensorBatch()
    batch.append(Acceleration(x: 0, y: 0, z: 9.81), at: Timestamp(nanoseconds: 0))
    print(pipeline.ingest(batch).samples.count)
    """

  /// Builds a program that depends on the package from scratch, which takes a minute.
  @Test(
    .enabled(if: Command.exists("readelf") && Command.exists("ldd"), "needs Linux's ELF tools"))
  func aDependentOfLocomotionLinksNeitherFoundationNorSystemLibraries() throws {
    let root = TestFiles.packageRoot
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("locomotion-linkage-\(ProcessInfo.processInfo.processIdentifier)")
    try? FileManager.default.removeItem(at: folder)
    defer { try? FileManager.default.removeItem(at: folder) }
    let sources = folder.appendingPathComponent("Sources/Dependent")
    try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
    try Data(Self.program.utf8).write(to: sources.appendingPathComponent("main.swift"))
    let manifest = """
      // swift-tools-version: 6.2
      import PackageDescription

      let package = Package(
        name: "Dependent",
        dependencies: [.package(path: "\(root.path)")],
        targets: [
          .executableTarget(
            name: "Dependent",
            dependencies: [
              .product(name: "Locomotion", package: "\(root.lastPathComponent)")
            ])
        ])
      """
    try Data(manifest.utf8).write(to: folder.appendingPathComponent("Package.swift"))

    let build = try Command.run(
      ["swift", "build", "-c", "release", "--scratch-path", ".build", "--product", "Dependent"],
      in: folder)
    try #require(build.status == 0, "\(build.output)")
    let program = folder.appendingPathComponent(".build/release/Dependent").path

    let needed = try Command.run(["readelf", "-d", program], in: folder)
    try #require(needed.status == 0 && needed.output.contains("NEEDED"))
    let loaded = try Command.run(["ldd", program], in: folder)
    try #require(loaded.status == 0 && loaded.output.contains("libc.so"))
    for library in ["Foundation", "openblas", "lapack", "sqlite", "microhttpd", "libz.", "icu"] {
      let found = (needed.output + loaded.output).contains(library)
      #expect(!found, "a dependent of Locomotion loads \(library):\n\(loaded.output)")
    }

    let run = try Command.run([program], in: folder)
    #expect(run.status == 0)
    #expect(run.output == "0\n")
  }
}
