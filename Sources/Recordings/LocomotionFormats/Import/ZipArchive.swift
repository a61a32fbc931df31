// The only file that imports libarchive, and the only unsafe code of this module.
internal import Foundation
internal import LocomotionRecordings

/// Unpacks the zip files of recorder apps.
enum ZipArchive {
  /// The largest unpacked size of an archive, 8 GiB: a week of 100 Hz in CSV.
  static let mostBytes = 8 << 30
  /// The largest compression ratio of an archive; that of text is about ten.
  static let mostBytesPerByte = 100
  /// The unpacked size that is allowed whatever the compression ratio.
  static let alwaysAllowed = 1 << 20
  /// The limit for all entries: the archives of services hold years of activities and pictures.
  private static let mostEntries = 100_000
  private static let endings = [
    ".csv", ".tsv", ".json", ".geojson", ".ndjson", ".jsonl", ".txt", ".plt", ".dat", ".gpx",
    ".tcx", ".kml", ".fit", ".rec", ".xml", ".zip", ".kmz",
  ]
  /// The limit for archives in an archive; none may hold a further one.
  private static let mostInner = 1_000

  /// Unpacks the archive at `path` and those in it, each into a folder of its name.
  ///
  /// All of them together may hold as much as one of the outer size may.
  static func unpackAll(_ path: String, into folder: String) throws(RecordingError) {
    let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int ?? 0
    var allowed = min(mostBytes, alwaysAllowed + min(size, 1 << 32) * mostBytesPerByte)
    try unpack(path, into: folder, allowed: &allowed)
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
    let inner = names.filter { name in
      [".zip", ".kmz"].contains { name.lowercased().hasSuffix($0) }
    }.sorted()
    guard inner.count <= mostInner else {
      throw .refused(path: path, reason: "more than \(mostInner) archives in it")
    }
    for name in inner {
      let file = "\(folder)/\(name)"
      let target = String(file.dropLast(4))
      guard !FileManager.default.fileExists(atPath: target) else {
        throw .refused(path: path, reason: "two entries are called \(name.dropLast(4))")
      }
      try unpack(file, into: target, allowed: &allowed)
      try? FileManager.default.removeItem(atPath: file)
    }
  }

  /// Whether an entry may belong to a recording.
  static func isNeeded(_ name: String) -> Bool {
    let plain = name.lowercased().withoutGzip
    // The clinical documents of Apple's Health are as large as all the rest.
    return endings.contains { plain.hasSuffix($0) } && !plain.hasSuffix("_cda.xml")
  }

  /// Whether `name` is a path inside the folder that the archive is unpacked into.
  static func isInside(_ name: String) -> Bool {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    return name.utf8.count <= 255 && !name.hasPrefix("/") && parts.count <= 5
      && parts.allSatisfy { part in
        part != ".." && part != "." && !part.isEmpty
          && !part.unicodeScalars.contains { $0.value < 32 || $0 == "\\" || $0 == ":" }
      }
  }
}

#if canImport(CLocomotionArchive)
  internal import CLocomotionArchive

  extension ZipArchive {
    /// Unpacks the files of recordings of the archive at `path` into `folder`, which is empty.
    ///
    /// Links, devices and files of other kinds are left out. An archive with a path outside the
    /// folder, or with more bytes than are allowed, is refused as a whole.
    static func unpack(
      _ path: String, into folder: String, allowed: inout Int
    ) throws(RecordingError) {
      guard let archive = unsafe archive_read_new() else {
        throw .unreadable(path: path, reason: "no memory")
      }
      defer { unsafe archive_read_free(archive) }
      // Names are converted to the characters of the thread's locale, which has none beyond ASCII.
      let locale = unsafe newlocale(LC_CTYPE_MASK, "C.UTF-8", nil)
      let before = unsafe uselocale(locale)
      defer {
        unsafe uselocale(before)
        if let locale = unsafe locale { unsafe freelocale(locale) }
      }
      unsafe archive_read_support_format_zip(archive)
      guard unsafe archive_read_open_filename(archive, path, 1 << 16) == ARCHIVE_OK else {
        throw unsafe failure(archive, path)
      }
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      var entries = 0
      var entry: OpaquePointer?
      while true {
        let code = unsafe archive_read_next_header(archive, &entry)
        if code == ARCHIVE_EOF { return }
        // A warning concerns a name in another encoding, which is checked below.
        guard code == ARCHIVE_OK || code == ARCHIVE_WARN, let entry = unsafe entry else {
          throw unsafe failure(archive, path)
        }
        entries += 1
        guard entries <= mostEntries else {
          throw .refused(path: path, reason: "more than \(mostEntries) entries")
        }
        let name = try unsafe self.name(of: entry, in: path)
        guard unsafe archive_entry_filetype(entry) == S_IFREG, !name.hasSuffix("/"), isNeeded(name)
        else { continue }
        let output = try create(name, in: folder, of: path)
        while true {
          let count = unsafe buffer.withUnsafeMutableBytes {
            unsafe archive_read_data(archive, $0.baseAddress, $0.count)
          }
          guard count >= 0 else { throw unsafe failure(archive, path) }
          guard count > 0 else { break }
          allowed -= count
          guard allowed >= 0 else {
            throw .refused(
              path: path, reason: "it holds more than \(mostBytesPerByte) times its own size")
          }
          try output.write(Array(buffer.prefix(count)))
        }
        try output.close()
      }
    }

    /// The name of an entry, which lies in the folder.
    private static func name(
      of entry: OpaquePointer, in path: String
    ) throws(RecordingError) -> String {
      guard let text = unsafe archive_entry_pathname_utf8(entry) ?? archive_entry_pathname(entry)
      else { throw .refused(path: path, reason: "an entry without a name") }
      let name = unsafe String(cString: text)
      guard isInside(name.hasSuffix("/") ? String(name.dropLast()) : name) else {
        throw .refused(path: path, reason: "the entry \(name.prefix(64)) leads outside its folder")
      }
      return name
    }

    private static func create(
      _ name: String, in folder: String, of archive: String
    ) throws(RecordingError) -> CompressedOutput {
      let url = URL(fileURLWithPath: folder).appendingPathComponent(name)
      guard !FileManager.default.fileExists(atPath: url.path) else {
        throw .refused(path: archive, reason: "two entries are called \(name)")
      }
      try? FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      // The bytes of an entry that is compressed itself are written as they are.
      return try CompressedOutput(path: url.path, isCompressed: false)
    }

    private static func failure(_ archive: OpaquePointer, _ path: String) -> RecordingError {
      let text = unsafe archive_error_string(archive).map { unsafe String(cString: $0) }
      return .malformed(
        path: path, place: "archive", expected: "a sound zip file", found: text ?? "damage")
    }
  }
#else
  extension ZipArchive {
    /// Nothing is unpacked without libarchive.
    static func unpack(
      _ path: String, into folder: String, allowed: inout Int
    ) throws(RecordingError) {
      throw .refused(path: path, reason: "zip files cannot be read here: unpack it first")
    }
  }
#endif
