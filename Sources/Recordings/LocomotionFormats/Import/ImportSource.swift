internal import Foundation
package import LocomotionRecordings
internal import LocomotionSensing

/// The files of an input: one file, a folder, or bytes in memory.
package struct ImportSource: Sendable {
  /// The input's name in messages.
  private(set) var path: String
  /// The paths of the files within the input, in alphabetical order; one name for a single file.
  private(set) var names: [String]
  /// The content of files in memory, or nil when they are on disk.
  private var memory: [String: [UInt8]]?
  /// Whether there is more than one file, or may be.
  private(set) var isFolder = false
  /// The path of the files; differs from `path` for an archive that was unpacked.
  private(set) var root: String
  /// Owns the unpacked files, or the copy of standard input, until the last copy is gone.
  private var owner: TemporaryFolder?

  /// The number of files on disk whose names are not in UTF-8, so that they cannot be opened.
  private(set) var unnamed = 0

  private static let deepest = 5
  private static let mostFiles = 200_000

  /// Files in memory, for tests; `name` is that of the input.
  package init(name: String, files: [String: [UInt8]]) {
    path = name
    root = name
    names = files.keys.sorted()
    memory = files
    isFolder = files.count != 1
  }

  /// The input as one source per folder in which a file belongs to a recording; a folder `meta`
  /// belongs to the one that it is in.
  ///
  /// Folders of one input are recordings of their own: other phones, or other days.
  func folders(where isData: (String) -> Bool) -> [ImportSource] {
    var groups: [String: [String]] = [:]
    var holding: Set<String> = []
    for name in names {
      var folder = name.folder
      if folder.fileName.lowercased() == "meta" { folder = folder.folder }
      groups[folder, default: []].append(name)
      if isData(name) { holding.insert(folder) }
    }
    guard holding != [""], isFolder else { return [self] }
    return holding.sorted().map { ImportSource(self, folder: $0, names: groups[$0] ?? []) }
  }

  /// A folder of `source`, whose files are `names`; an empty one is that of the source itself.
  private init(_ source: ImportSource, folder: String, names: [String]) {
    self = source
    self.names = names
    guard !folder.isEmpty else { return }
    path += "/\(folder)"
    root += "/\(folder)"
    self.names = names.map { String($0.dropFirst(folder.count + 1)) }
    memory = memory.map { memory in
      Dictionary(uniqueKeysWithValues: zip(self.names, names.map { memory[$0] ?? [] }))
    }
  }

  /// The paths of the input and of its files, which must not be overwritten.
  var filesOnDisk: [String] {
    guard memory == nil, isFolder, owner == nil else { return [path] }
    return [path] + names.map(path(of:))
  }

  /// The name of the input without folders and extension.
  package var stem: String { Self.stem(path) }

  /// The name of a file without folders and extension.
  static func stem(_ path: String) -> String {
    var name = path.allSatisfy { $0 == "/" } ? "recording" : path.fileName
    for ending in [
      ".gz", ".csv", ".gps", ".zip", ".gpx", ".geojson", ".json", ".ndjson", ".jsonl", ".rec",
      ".fit", ".tcx", ".kml", ".kmz",
    ] where name.lowercased().hasSuffix(ending) && name.count > ending.count {
      name = String(name.dropLast(ending.count))
    }
    return name
  }

  /// The path of a file on disk; the name itself for files in memory.
  func path(of name: String) -> String {
    isFolder && memory == nil ? "\(root)/\(name)" : memory == nil ? root : name
  }

  /// The name of a file in error messages.
  func displayPath(of name: String) -> String { isFolder ? "\(path)/\(name)" : path }

  func lines(of name: String) throws(RecordingError) -> LineReader {
    if let memory { return LineReader(bytes: memory[name] ?? [], name: displayPath(of: name)) }
    return try LineReader(path: path(of: name))
  }

  func bytes(of name: String) throws(RecordingError) -> ByteReader {
    if let memory { return ByteReader(bytes: memory[name] ?? [], name: displayPath(of: name)) }
    return try ByteReader(path: path(of: name))
  }

  func contains(_ name: String) -> Bool {
    let place = names.partitioningIndex { $0 >= name }
    return place < names.count && names[place] == name
  }

  /// The first file whose last path component is `name`, ignoring case.
  func file(named name: String) -> String? {
    names.first { $0.fileName.lowercased() == name.lowercased() }
  }
}

extension String {
  /// The part of a path behind its last slash.
  var fileName: String { split(separator: "/").last.map(String.init) ?? self }

  /// The part of a path before the last slash; empty without one.
  var folder: String { split(separator: "/").dropLast().joined(separator: "/") }

  /// The name without the ending of a compressed file.
  var withoutGzip: String { hasSuffix(".gz") ? String(dropLast(3)) : self }
}

#if !hasFeature(Embedded)
  extension ImportSource {
    /// The file or folder at `path`; a zip file is unpacked into a temporary folder.
    package init(path: String) throws(RecordingError) {
      guard let kind = FileStatus(path: path)?.kind else { throw .notFound(path: path) }
      self.path = path
      root = path
      names = [path.fileName]
      guard kind != .folder else {
        try list()
        return
      }
      // An input is opened more than once, and a pipe gives its content only once.
      guard kind == .regular else {
        throw .unreadable(path: path, reason: "is neither a regular file nor a folder")
      }
      var start = try ByteReader(path: path)
      guard try start.prefix(4) == [0x50, 0x4B, 0x03, 0x04] else { return }
      let folder = try TemporaryFolder()
      try ZipArchive.unpackAll(path, into: folder.path)
      root = folder.path
      owner = folder
      try list()
    }

    /// Takes the files in the folder `root`.
    private mutating func list() throws(RecordingError) {
      isFolder = true
      (names, unnamed) = try Self.files(in: root)
    }

    /// What standard input holds, in a temporary folder: it is read more than once.
    static func standardInput() throws(RecordingError) -> ImportSource {
      let folder = try TemporaryFolder()
      let path = "\(folder.path)/standard-input.csv"
      do {
        let copy = try CompressedOutput(path: path)
        while let part = try FileHandle.standardInput.read(upToCount: 1 << 20), !part.isEmpty {
          try copy.write(Array(part))
        }
        try copy.close()
      } catch {
        throw error as? RecordingError
          ?? .unreadable(path: "standard input", reason: error.localizedDescription)
      }
      var source = try ImportSource(path: path)
      source.path = "standard input"
      source.owner = source.owner ?? folder
      return source
    }

    /// The paths of the regular files below `folder`, and the number of those whose names are not
    /// in UTF-8; links are not followed.
    private static func files(
      in folder: String
    ) throws(RecordingError) -> (names: [String], unnamed: Int) {
      var found: [String] = []
      var unnamed = 0
      var pending = [""]
      while let prefix = pending.popLast() {
        let listed: [String]
        do {
          listed = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(prefix)")
        } catch {
          throw .unreadable(path: "\(folder)/\(prefix)", reason: error.localizedDescription)
        }
        // What an analysis of the input has written into it is no recording.
        let isReport = ["summary.txt", "timeline.json"].allSatisfy(listed.contains)
        guard prefix.isEmpty || !isReport else { continue }
        for name in listed where !name.hasPrefix(".") && name != "__MACOSX" {
          let path = prefix.isEmpty ? name : "\(prefix)/\(name)"
          let attributes = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(path)")
          switch attributes?[.type] as? FileAttributeType {
          case .typeRegular: found.append(path)
          case .typeDirectory where path.split(separator: "/").count < deepest: pending.append(path)
          default: unnamed += attributes == nil ? 1 : 0
          }
        }
        guard found.count <= mostFiles else {
          throw .refused(path: folder, reason: "more than \(mostFiles) files")
        }
      }
      return (found.sorted(), unnamed)
    }
  }
#else
  extension ImportSource {
    /// A page has no standard input.
    static func standardInput() throws(RecordingError) -> ImportSource { try Self(path: "-") }

    /// A file or folder that the page has given.
    package init(path: String) throws(RecordingError) {
      self.init(name: path, files: [:])
      memory = nil
      names = GivenFiles.all.contents.keys.filter { $0.hasPrefix(path + "/") }
        .map { String($0.dropFirst(path.count + 1)) }.sorted()
      isFolder = !names.isEmpty
      if !isFolder { names = [path] }
    }
  }
#endif
