import Testing

@Suite struct SourceFenceTests {
  /// The lines that break a rule.
  private func places(
    in files: [RepositoryFile], _ breaks: (Substring) -> Bool
  ) -> [String] {
    files.flatMap { file in
      file.codeLines.enumerated().filter { breaks($0.element) }.map {
        "\(file.path):\($0.offset + 1)"
      }
    }
  }

  @Test func theListOfFilesCoversTheProject() {
    for module in RepositoryFile.deviceModules.keys {
      #expect(RepositoryFile.onDevice.contains { $0.module == module }, "\(module)")
    }
    #expect(RepositoryFile.all.contains { $0.path == "Package.swift" })
    #expect(RepositoryFile.all.contains { $0.path.hasPrefix("Tests/RepositoryTests/") })
  }

  @Test func deviceModulesImportOnlyTheModulesTheyMayImport() {
    for file in RepositoryFile.onDevice {
      let module = file.module ?? ""
      var allowed = RepositoryFile.deviceModules[module] ?? []
      allowed.formUnion(["CLocomotionMath", "CLocomotionWide"])
      if file.name == "AppleAdapters.swift" {
        // It is also compiled as a module of its own, with replacements for Apple's modules.
        allowed.formUnion(["CoreLocation", "CoreMotion", "Foundation", "LocomotionSensing"])
      }
      let others = file.imports.filter { !allowed.contains($0) }
      #expect(others.isEmpty, "\(file) imports \(others)")
    }
  }

  @Test func appleAdaptersAreCompiledOnlyWhereCoreMotionExists() throws {
    let adapters = RepositoryFile.onDevice.filter { $0.name == "AppleAdapters.swift" }
    for file in adapters {
      let code = file.codeLines.filter { !$0.allSatisfy(\.isWhitespace) }
      #expect(code.first?.hasPrefix("#if canImport(CoreMotion)") == true, "\(file)")
      #expect(code.last == "#endif", "\(file)")
    }
  }

  @Test func theSimulatorAndTheProductsDoNotImportEachOther() {
    for file in RepositoryFile.swift where file.path.hasPrefix("Tests/SensorSimulator/") {
      let others = Set(file.imports).subtracting(["Foundation", "LocomotionSensing"])
      #expect(others.isEmpty, "\(file) imports \(others)")
    }
    for file in RepositoryFile.swift where file.path.hasPrefix("Sources/") {
      #expect(!file.imports.contains("SensorSimulator"), "\(file)")
      #expect(!file.imports.contains("TestSupport"), "\(file)")
    }
  }

  @Test func unsafeCodeIsOnlyInTheListedFiles() {
    let known: Set = [
      "Sources/Device/LocomotionActivityRecognition/Features/WideShapeMeter.swift",
      "Sources/Bindings/LocomotionC/LocomotionC.swift",
      "Sources/Archive/LocomotionCollector/Access/JSONWebKeySet.swift",
      "Sources/Archive/LocomotionCollector/Database/PostgresConnection.swift",
      "Sources/Archive/LocomotionCollector/Store/DirectoryObjectStore.swift",
      "Sources/Archive/LocomotionCollector/Store/S3ObjectStore.swift",
      "Sources/Recordings/LocomotionFormats/Import/ZipArchive.swift",
      "Sources/Journal/LocomotionJournal/Codec/Checksum.swift",
      "Sources/Journal/LocomotionJournal/Store/EncryptedFileSystem.swift",
      "Sources/Journal/LocomotionJournal/Store/SQLiteConnection.swift",
      "Sources/Journal/LocomotionJournal/Store/WriterLock.swift",
      "Sources/Training/LocomotionLinearAlgebra/LAPACKBackend.swift",
      "Sources/Bindings/LocomotionPython/native/NativeFunctions.swift",
      "Sources/Recordings/LocomotionRecordings/CompressedFile.swift",
      "Sources/Recordings/LocomotionRecordings/FileStatus.swift",
      "Sources/Recordings/LocomotionRecordings/OutputFile.swift",
      "Sources/Recordings/LocomotionRecordings/TemporaryPaths.swift",
      "Sources/Device/LocomotionSignals/FourierKernel.swift",
      "Sources/Journal/LocomotionSync/CurlTransport.swift",
      "Sources/Journal/LocomotionSync/SHA256Digest.swift",
      "Sources/Command/LocomotionTool/Commands/CommandLineText.swift",
      "Sources/Command/LocomotionTool/Server/HTTPServer.swift",
      "Tests/AppleStubs/Darwin/Darwin.swift",
      "Tests/FuzzingTests/Driver.swift",
      "Tests/JournalTests/FaultFileSystem.swift",
      "Benchmarks/Harness/Timing.swift",
      "Benchmarks/Suite/PositioningBenchmarks.swift",
    ]
    let files = RepositoryFile.swift.filter { !known.contains($0.path) }
    let found = places(in: files) { $0.contains(#/\bunsafe\b/#) }
    #expect(found.isEmpty, "\(found)")
  }

  @Test func conditionalCompilationIsOnlyInTheListedFiles() {
    let known: Set = [
      "Package.swift",
      "Sources/Device/Locomotion/EmbeddedCodable.swift",
      "Sources/Device/Locomotion/LocomotionTracker.swift",
      "Sources/Device/Locomotion/Timeline/Timeline.swift",
      "Sources/Device/LocomotionActivityRecognition/ActivityProbabilities.swift",
      "Sources/Device/LocomotionActivityRecognition/Custom/CustomActivity+Codable.swift",
      "Sources/Device/LocomotionActivityRecognition/EmbeddedCodable.swift",
      "Sources/Device/LocomotionActivityRecognition/Model/ActivityModel.swift",
      "Sources/Device/LocomotionActivityRecognition/Model/ModelDefect.swift",
      "Sources/Device/LocomotionActivityRecognition/Temporal/ActivityClassifier.swift",
      "Sources/Device/LocomotionActivityRecognition/Temporal/ActivityStates.swift",
      "Sources/Archive/LocomotionCollector/Database/ArchiveDatabase+Days.swift",
      "Sources/Archive/LocomotionCollector/Database/ArchiveDatabase+Derived.swift",
      "Sources/Archive/LocomotionCollector/Database/ArchiveDatabase+Units.swift",
      "Sources/Archive/LocomotionCollector/Database/ArchiveDatabase.swift",
      "Sources/Archive/LocomotionCollector/Database/PostgresConnection.swift",
      "Sources/Device/LocomotionGait/CadenceEstimator.swift",
      "Sources/Device/LocomotionGait/EmbeddedCodable.swift",
      "Sources/Device/LocomotionGait/RateFilter.swift",
      "Sources/Device/LocomotionPositioning/EmbeddedCodable.swift",
      "Sources/Device/LocomotionPositioning/Geodesy/LocalTangentPlane.swift",
      "Sources/Device/LocomotionSensing/EmbeddedCodable.swift",
      "Sources/Device/LocomotionSignals/EmbeddedCodable.swift",
      "Sources/Device/LocomotionSignals/SampleRing.swift",
      "Sources/Device/LocomotionSignals/UniformResampler.swift",
      "Sources/Recordings/LocomotionFormats/Parsing/XMLElements.swift",
      "Sources/Recordings/LocomotionFormats/Import/ZipArchive.swift",
      "Sources/Journal/LocomotionJournal/Store/FileProtection.swift",
      "Sources/Training/LocomotionLinearAlgebra/LAPACKBackend.swift",
      "Sources/Device/LocomotionSensing/AppleAdapters.swift",
      "Sources/Journal/LocomotionSync/CurlTransport.swift",
      "Sources/Journal/LocomotionSync/SHA256Digest.swift",
      "Sources/Journal/LocomotionSync/URLSessionTransport.swift",
      "Sources/Command/LocomotionTool/Commands/ArchiveCommand.swift",
      "Sources/Command/LocomotionTool/Commands/CollectCommand.swift",
      "Sources/Command/LocomotionTool/Server/HTTPServer.swift",
      "Tests/CollectorTests/DatabaseDayTests.swift",
      "Tests/CollectorTests/DatabaseErasureTests.swift",
      "Tests/CollectorTests/DatabaseFailureTests.swift",
      "Tests/CollectorTests/DatabaseMigrationTests.swift",
      "Tests/CollectorTests/DatabaseServer.swift",
      "Tests/CollectorTests/DatabaseTextTests.swift",
      "Tests/CollectorTests/DatabaseThread.swift",
      "Tests/CollectorTests/DatabaseUnitTests.swift",
      "Tests/RecordingsTests/RecordingWriterTests.swift",
      "Tests/ToolTests/ChangeIndicatorTests.swift",
    ]
    // Those of the archive's side are as a whole in a build with its libraries, or not at all.
    let files = RepositoryFile.swift.filter { !known.contains($0.path) && !isOfTheArchive($0) }
    let found = places(in: files) { $0.contains(#/^\s*#if\b/#) }
    #expect(found.isEmpty, "\(found)")
  }

  /// Whether a file is inside `#if Collect` from its first line of code to the last.
  private func isOfTheArchive(_ file: RepositoryFile) -> Bool {
    let code = file.codeLines.filter { !$0.allSatisfy(\.isWhitespace) }
    let conditions = code.filter { $0.contains(#/^\s*#(if|else|elseif)\b/#) }
    return code.first == "#if Collect" && code.last == "#endif" && conditions.count == 1
  }

  @Test func deviceModulesHaveNoClockNoOutputAndNoSharedState() {
    let found = places(in: RepositoryFile.onDevice) { line in
      line.contains(#/\bDate\(\)/#) || line.contains(#/\b(debugPrint|print|dump)\(/#)
        || line.contains(#/\bTask(\.detached)?\s*\{/#) || line.contains("try!")
        || line.contains("as!") || line.contains(#/\b(Continuous|Suspending)Clock\b/#)
        || line.contains("nonisolated(unsafe)") || line.contains("@unchecked")
        || line.contains("SystemRandomNumberGenerator")
    }
    #expect(found.isEmpty, "\(found)")
  }

  @Test func deviceModulesHaveNoStoredStaticVariable() {
    // A computed one has its opening brace on the line of its name, and no initial value.
    let found = places(in: RepositoryFile.onDevice) { line in
      line.contains(#/\b(static|class) var\b/#) && (!line.contains("{") || line.contains("= "))
    }
    #expect(found.isEmpty, "\(found)")
    let global = places(in: RepositoryFile.onDevice) {
      $0.contains(#/^((public|package|internal|private|fileprivate) )?var\b/#)
    }
    #expect(global.isEmpty, "\(global)")
  }

  @Test func noTargetUsesFlagsThatDependentsRefuse() {
    let found = places(in: RepositoryFile.swift) { $0.contains("unsafeFlags") }
    #expect(found.isEmpty, "\(found)")
  }

  /// The content of string literals does not count: some texts have long lines.
  @Test func linesFitAHundredColumns() {
    let found = RepositoryFile.swift.filter { $0.lines.contains { $0.count > 100 } }
      .flatMap { file in
        RepositoryFile.lines(of: SwiftCode(file.text ?? "", keepsComments: true).stripped)
          .enumerated().filter { $0.element.count > 100 }.map { "\(file.path):\($0.offset + 1)" }
      }
    #expect(found.isEmpty, "\(found)")
  }

  @Test func filesAreShort() {
    let long = RepositoryFile.swift.filter { $0.lines.count > 600 }
    #expect(long.isEmpty, "\(long)")
    let counts = RepositoryFile.swift.map(\.lines.count).sorted()
    #expect(counts[counts.count * 9 / 10] <= 400)
  }
}

@Suite struct SwiftCodeTests {
  @Test func commentsAndLiteralsAreStripped() {
    let source = #"""
      let a = "print(1)" // print(2)
      /* print(3) /* print(4) */
      print(5) */ let b = "\"print(6)"
      let c = """
        print(7)
        """
      print(8)
      """#
    let code = source + "\nlet d = #\"print(9)\"# + e"
    let stripped = SwiftCode(code, keepsComments: false).stripped
    #expect(!stripped.contains(#/print\([1-79]\)/#))
    #expect(stripped.contains("print(8)"))
    #expect(stripped.contains("let b = ") && stripped.contains("+ e"))
    #expect(stripped.split(separator: "\n", omittingEmptySubsequences: false).count == 8)
    let commented = SwiftCode(code, keepsComments: true).stripped
    #expect(commented.contains("// print(2)\n/* print(3) /* print(4) */\nprint(5) */ let b"))
    #expect(!commented.contains(#/print\([1679]\)/#))
    #expect(commented.split(separator: "\n", omittingEmptySubsequences: false).count == 8)
  }
}
