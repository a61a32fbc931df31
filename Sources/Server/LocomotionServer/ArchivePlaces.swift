import Foundation
import LocomotionJournal
import LocomotionRecordings
@_spi(Server) import LocomotionTool

/// Where the archive is, as the command line says.
struct ArchivePlaces {
  let conninfo: String
  let connections: ArchiveConnections
  private let arguments: Arguments

  /// Reads the database's place; the others are read, and needed, when they are asked for.
  init(_ arguments: Arguments) throws {
    self.arguments = arguments
    conninfo = try arguments.required("database")
    connections = ArchiveConnections(conninfo)
  }

  /// Calls a function with a connection to the database.
  func use<Result>(
    _ body: (ArchiveDatabase) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result { try connections.use(body) }

  /// The raw units.
  var objects: any ObjectStore {
    get throws { try Self.store(arguments.required("objects"), arguments) }
  }

  /// The folder of the cache, which is made when there is none.
  func cache() throws -> String {
    let folder = try arguments.required("cache")
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    } catch {
      throw DerivationError.folder(path: folder)
    }
    return folder
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
