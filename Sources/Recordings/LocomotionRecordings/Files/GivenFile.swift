// What a page has in place of the system's files: those that it was given.
#if hasFeature(Embedded)
  /// The files by their paths; `Sendable` because the module has one thread.
  package final class GivenFiles: @unchecked Sendable {
    package static let all = GivenFiles()
    package var contents: [String: [UInt8]] = [:]
  }

  package final class CompressedInput {
    package let isTranscoded = false
    private var rest: ArraySlice<UInt8>

    package init(path: String) throws(RecordingError) {
      guard let bytes = GivenFiles.all.contents[path] else { throw .notFound(path: path) }
      rest = bytes[...]
    }

    package func read(into buffer: inout [UInt8], from start: Int) -> (Int, RecordingError?) {
      let part = rest.prefix(buffer.count - start)
      buffer.replaceSubrange(start..<start + part.count, with: part)
      rest = rest.dropFirst(part.count)
      return (part.count, nil)
    }
  }

  struct FileStatus {
    init?(path: String) {
      if GivenFiles.all.contents[path] == nil { return nil }
    }
  }

  package final class TemporaryFolder: Sendable {}
#endif
