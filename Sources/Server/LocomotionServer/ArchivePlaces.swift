import Foundation
import LocomotionJournal
import LocomotionRecordings
@_spi(Server) import LocomotionTool

/// Where the archive is, as the command line says.
struct ArchivePlaces {
  let conninfo: String
  let connections: ArchiveConnections
  private let store: (any ObjectStore)?
  private let cacheFolder: String?

  /// Reads the options; only those places are needed that are asked for later.
  init(_ arguments: Arguments, needsCache: Bool = false) throws {
    conninfo = try arguments.required("database")
    connections = ArchiveConnections(conninfo)
    if needsCache {
      _ = try arguments.required("objects")
      _ = try arguments.required("cache")
    }
    store = try arguments.value("objects").map { try Self.store($0, arguments) }
    cacheFolder = arguments.value("cache")
    if let cacheFolder {
      do {
        try FileManager.default.createDirectory(
          atPath: cacheFolder, withIntermediateDirectories: true,
          attributes: [.posixPermissions: 0o700])
      } catch {
        throw DerivationError.folder(path: cacheFolder)
      }
    }
  }

  /// The raw units.
  var objects: any ObjectStore {
    get throws {
      guard let store else { throw ServerError.usage("'--objects' is needed for this") }
      return store
    }
  }

  /// The folder of the cache.
  func cache() throws -> String {
    guard let cacheFolder else { throw ServerError.usage("'--cache' is needed for this") }
    return cacheFolder
  }

  /// The working journals.
  func journals() throws -> WorkingJournals {
    WorkingJournals(folder: try cache(), objects: try objects)
  }

  private static func store(
    _ text: String, _ arguments: Arguments
  ) throws -> any ObjectStore {
    let scheme = "s3://"
    guard text.hasPrefix(scheme) else { return try DirectoryObjectStore(path: text) }
    let parts = text.dropFirst(scheme.count).split(
      separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    var prefix = parts.count > 1 ? String(parts[1]) : ""
    while prefix.hasSuffix("/") { prefix.removeLast() }
    let environment = ProcessInfo.processInfo.environment
    func variable(_ name: String) throws -> String {
      guard let value = environment[name], !value.isEmpty else {
        throw ServerError.usage("'--objects \(text)' needs \(name) in the environment")
      }
      return value
    }
    let region = try variable("AWS_REGION")
    return try S3ObjectStore(
      endpoint: arguments.value("s3-endpoint") ?? "https://s3.\(region).amazonaws.com",
      bucket: String(parts.first ?? ""), prefix: prefix, region: region,
      accessKey: variable("AWS_ACCESS_KEY_ID"), secretKey: variable("AWS_SECRET_ACCESS_KEY"),
      sessionToken: environment["AWS_SESSION_TOKEN"])
  }
}
