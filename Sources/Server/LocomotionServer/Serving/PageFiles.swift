import Foundation

/// The files of the page that `serve --page` answers with, read once.
struct PageFiles {
  private struct File {
    var content: [UInt8]
    var type: String
    /// The `ETag`, which changes with the content.
    var tag: String
  }

  private static let types = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
    "mjs": "text/javascript; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "wasm": "application/wasm", "svg": "image/svg+xml",
    "webmanifest": "application/manifest+json", "gz": "application/gzip",
  ]
  private static let index = "index.html"
  private static let largest = 1 << 24

  private var files: [String: File] = [:]

  /// The page in `folder`: its files with the endings of a page, none below a subfolder.
  ///
  /// - Throws: ``ServerError`` when there is no page, or it is larger than 16 MiB.
  init(folder: String) throws {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    var size = 0
    for name in names {
      let ending = name.split(separator: ".").last.map(String.init) ?? ""
      let path = folder + "/" + name
      guard let type = Self.types[ending], Self.isFile(path),
        let data = FileManager.default.contents(atPath: path)
      else { continue }
      size += data.count
      guard size <= Self.largest else { throw Self.rejection(folder, "over 16 MiB in all") }
      files[name] = File(
        content: Array(data), type: type, tag: "\"\(String(Self.digest(data), radix: 16))\"")
    }
    for needed in [Self.index, "locomotion.wasm"] where files[needed] == nil {
      throw Self.rejection(folder, "no \(needed); Sources/Bindings/LocomotionWeb/build.sh makes it")
    }
  }

  /// Where the page's script leaves it: the folder `locomotion-web`, also in `.build`, in the
  /// nearest folder above the command's own.
  static func usualFolder() throws -> String {
    let name = "locomotion-web"
    let program = (CommandLine.arguments.first ?? "locomotion")
    let start =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? program
    var folder = URL(fileURLWithPath: start).deletingLastPathComponent()
    for _ in 0..<8 {
      for page in [name, ".build/" + name].map({ folder.appendingPathComponent($0) })
      where FileManager.default.fileExists(atPath: page.appendingPathComponent(index).path) {
        return page.path
      }
      folder.deleteLastPathComponent()
    }
    throw rejection(
      name, "not found above the command; Sources/Bindings/LocomotionWeb/build.sh makes it")
  }

  /// The file of a request's path, or that there is none.
  func answer(to request: HTTPRequest) -> HTTPResponse {
    let name = request.path == "/" ? Self.index : String(request.path.dropFirst())
    guard let file = files[name] else {
      return HTTPResponse(
        status: 404, body: "no such file\n", fields: ["Content-Type": "text/plain"])
    }
    var fields = [
      "Content-Type": file.type, "Cache-Control": "no-cache", "ETag": file.tag,
      // Its own policy, which is in the page, and no frame around it, which only a field can say.
      "Content-Security-Policy": "frame-ancestors 'none'",
      "Permissions-Policy":
        "accelerometer=(self), gyroscope=(self), geolocation=(self), screen-wake-lock=(self)",
    ]
    if request.fields["if-none-match"] == file.tag {
      fields["Content-Type"] = nil
      return HTTPResponse(status: 304, body: [], fields: fields)
    }
    return HTTPResponse(status: 200, body: file.content, fields: fields)
  }

  private static func rejection(_ folder: String, _ reason: String) -> ServerError {
    .rejected("'--page \(folder)': \(reason)")
  }

  /// Whether there is a regular file; a link is none.
  private static func isFile(_ path: String) -> Bool {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return attributes?[.type] as? FileAttributeType == .typeRegular
  }

  /// FNV-1a.
  private static func digest(_ data: Data) -> UInt64 {
    data.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}
