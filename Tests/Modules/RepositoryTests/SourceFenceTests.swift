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
    #expect(RepositoryFile.all.contains { $0.path.hasPrefix("Tests/Modules/RepositoryTests/") })
  }

  @Test func deviceModulesImportOnlyTheModulesTheyMayImport() {
    for file in RepositoryFile.onDevice {
      let module = file.module ?? ""
      var allowed = RepositoryFile.deviceModules[module] ?? []
      allowed.formUnion(["CLocomotionMath", "CLocomotionModel", "CLocomotionWide"])
      if file.name == "AppleAdapters.swift" {
        // On Linux it is a module of its own, with replacements for Apple's modules.
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
    for file in RepositoryFile.swift where file.path.hasPrefix("Tests/Support/SensorSimulator/") {
      let others = Set(file.imports).subtracting(["Foundation", "LocomotionSensing"])
      #expect(others.isEmpty, "\(file) imports \(others)")
    }
    for file in RepositoryFile.swift where file.path.hasPrefix("Sources/") {
      #expect(!file.imports.contains("SensorSimulator"), "\(file)")
      #expect(!file.imports.contains("TestSupport"), "\(file)")
    }
  }

  @Test func unsafeCodeIsOnlyInTheListedFiles() {
    let known = [
      "Benchmarks/Harness/Timing.swift": "the system's clocks",
      "Benchmarks/Suite/PositioningBenchmarks.swift": "a dense Kalman step in C",
      "Sources/Server/LocomotionCollector/Access/JSONWebKeySet.swift": "cjose",
      "Sources/Server/LocomotionCollector/Database/PostgresConnection.swift": "libpq",
      "Sources/Server/LocomotionCollector/Store/Descriptor.swift": "the system's files",
      "Sources/Server/LocomotionCollector/Store/DirectoryObjectStore.swift": "the system's files",
      "Sources/Server/LocomotionCollector/Store/S3ObjectStore.swift": "libcurl",
      "Sources/Bindings/LocomotionC/CallerMemory.swift": "the memory of callers in other languages",
      "Sources/Bindings/LocomotionC/LocomotionC.swift": "the memory of callers in other languages",
      "Sources/Bindings/LocomotionPython/native/NativeFunctions.swift": "the memory of Python",
      "Sources/Bindings/LocomotionWeb/native/PageReport.swift": "the memory of JavaScript",
      "Sources/Server/LocomotionServing/HTTPServer.swift": "libmicrohttpd",
      "Sources/Command/LocomotionTool/Commands/CommandHelp.swift": "the width of the terminal",
      "Sources/Command/LocomotionTool/Commands/CommandLineText.swift": "the bytes of the arguments",
      "Sources/Device/LocomotionActivityRecognition/Features/WideShapeMeter.swift": "a C kernel",
      "Sources/Device/LocomotionActivityRecognition/Model/DefaultModel.swift":
        "the model's bytes, which C embeds",
      "Sources/Device/LocomotionSignals/FourierKernel.swift": "a C kernel",
      "Sources/Journal/LocomotionJournal/Codec/Checksum.swift": "zlib",
      "Sources/Journal/LocomotionJournal/Store/EncryptedFileSystem.swift": "libsodium",
      "Sources/Journal/LocomotionJournal/Store/SQLiteConnection.swift": "SQLite",
      "Sources/Journal/LocomotionJournal/Store/WriterLock.swift": "the system's locks",
      "Sources/Journal/LocomotionSync/HTTPTransport.swift": "libcurl",
      "Sources/Journal/LocomotionSync/SHA256Digest.swift": "Nettle",
      "Sources/Recordings/LocomotionFormats/Import/ZipArchive.swift": "libarchive",
      "Sources/Recordings/LocomotionRecordings/CompressedFile.swift": "zlib",
      "Sources/Recordings/LocomotionRecordings/FileStatus.swift": "the system's files",
      "Sources/Recordings/LocomotionRecordings/OutputFile.swift": "the system's files",
      "Sources/Recordings/LocomotionRecordings/TemporaryPaths.swift": "the system's files",
      "Sources/Recordings/LocomotionReport/Page/PageFiles.swift": "the texts that C embeds",
      "Sources/Training/LocomotionLinearAlgebra/LAPACKBackend.swift": "LAPACK",
      "Tests/Modules/FuzzingTests/Driver.swift": "the fuzzer's bytes",
      "Tests/Modules/JournalTests/FaultFileSystem.swift": "SQLite's virtual file system",
      "Tests/Support/AppleStubs/Darwin/Darwin.swift": "the calls of Apple's system, in outline",
      "Tests/Support/StructReference/StructReference.swift": "the bytes of structs of C",
    ]
    let files = RepositoryFile.swift.filter { known[$0.path] == nil }
    let found = places(in: files) { $0.contains(#/\bunsafe\b/#) }
    #expect(found.isEmpty, "\(found)")
  }

  @Test func conditionalCompilationIsOnlyInTheListedFiles() {
    let known = [
      "Package.swift": "what only Linux has by default",
      "Sources/Device/Locomotion/LocomotionTracker.swift": "Embedded Swift has no actors",
      "Sources/Device/Locomotion/Timeline/Timeline.swift": "Embedded Swift has no `Codable`",
      "Sources/Device/LocomotionActivityRecognition/Activity.swift":
        "Embedded Swift has no `Codable`",
      "Sources/Device/LocomotionActivityRecognition/Custom/CustomActivity.swift":
        "Embedded Swift has no `Codable`",
      "Sources/Device/LocomotionActivityRecognition/Model/ModelDefect.swift":
        "Embedded Swift forms no texts for people",
      "Sources/Device/LocomotionActivityRecognition/ActivityProbabilities.swift":
        "Embedded Swift has no `Codable`",
      "Sources/Device/LocomotionActivityRecognition/Temporal/ActivitySmoother.swift":
        "Embedded Swift has no `Codable`",
      "Sources/Device/LocomotionSensing/Apple/AppleAdapters.swift": "CoreMotion and CoreLocation",
      "Sources/Device/LocomotionSensing/LocationFix.swift": "Embedded Swift has no `Codable`",
      "Sources/Device/LocomotionSensing/Timestamp.swift": "Embedded Swift has no `Codable`",
      "Sources/Journal/LocomotionJournal/Store/FileProtection.swift":
        "protection classes of files on Apple",
      "Sources/Journal/LocomotionSync/HTTPTransport.swift":
        "libcurl on Linux, `URLSession` on Apple",
      "Sources/Journal/LocomotionSync/SHA256Digest.swift": "CryptoKit on Apple",
      "Sources/Recordings/LocomotionFormats/Import/ZipArchive.swift":
        "libarchive is used on Linux only",
      "Sources/Recordings/LocomotionFormats/Parsing/XMLElements.swift":
        "XML is part of Foundation on Apple",
      "Sources/Training/LocomotionLinearAlgebra/LAPACKBackend.swift": "Accelerate on Apple",
      "Tests/Modules/RecordingsTests/RecordingWriterTests.swift": "only Linux has `/dev/full`",
      "Tests/Modules/ToolTests/ChangeIndicatorTests.swift":
        "answers are bit by bit those of Linux on x86-64",
    ]
    let files = RepositoryFile.swift.filter { known[$0.path] == nil }
    let found = places(in: files) { $0.contains(#/^\s*#if\b/#) }
    #expect(found.isEmpty, "\(found)")
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
