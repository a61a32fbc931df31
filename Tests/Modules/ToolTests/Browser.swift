import Foundation
import LocomotionReport
import TestSupport
import Testing

/// A real browser without a window, in a folder of its own.
struct Browser {
  private static let names = ["chromium", "chromium-browser", "google-chrome"]
  /// Its program; nil where there is none.
  static let program: String? = {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return names.lazy.flatMap { name in folders.map { "\($0)/\(name)" } }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  private let folder: ScratchFolder

  init(_ folder: ScratchFolder) {
    self.folder = folder
  }

  /// What `script` returns in frames of a page, 375 and 1,000 points wide, and the browser's error
  /// messages.
  ///
  /// The script is the body of an asynchronous function of `page`, the frame's document, and of
  /// `view`, its window; `all` lists the elements of a selector.
  func frames<Frame: Decodable>(
    of html: String, script: String, isDark: Bool = false, as type: Frame.Type = Frame.self
  ) throws -> (frames: [Frame], complaints: [Substring]) {
    let source = html.replacing("&", with: "&amp;").replacing("\"", with: "&quot;")
    let widths = [375, 1_000].map { width in
      "<iframe width=\"\(width)\" height=\"900\" style=\"border:0\" "
        + "srcdoc=\"\(source)\"></iframe>"
    }
    let around = """
      addEventListener("load", async () => {
        const frames = []
        for (const frame of [...document.querySelectorAll("iframe")]) {
          const page = frame.contentDocument, view = frame.contentWindow
          const all = (selector, within = page) => [...within.querySelectorAll(selector)]
          frames.push(await (async () => {\(script)})())
        }
        document.body.textContent = "FRAMES" + JSON.stringify(frames) + "END"
      })
      """
    let text =
      "<!DOCTYPE html><meta charset=\"utf-8\"><body>\(widths.joined())<script>\(around)</script>"
    let page = URL(fileURLWithPath: try folder.write(text, to: "frames.html"))
    let scheme = "--blink-settings=preferredColorScheme=\(isDark ? 0 : 1)"
    let run = try run([scheme, "--virtual-time-budget=5000", "--dump-dom", page.absoluteString])
    let start = try #require(run.output.firstRange(of: "FRAMES"))
    let end = try #require(run.output[start.upperBound...].firstRange(of: "END"))
    let json = String(run.output[start.upperBound..<end.lowerBound])
      .replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&amp;", with: "&")
      .replacing("&nbsp;", with: "\u{A0}")
    let frames = try JSONDecoder().decode([Frame].self, from: Data(json.utf8))
    return (frames, run.errors.split(separator: "\n").filter { $0.contains("CONSOLE") })
  }

  func run(_ arguments: [String]) throws -> (output: String, errors: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(Self.program))
    process.arguments =
      [
        "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
        "--disable-background-networking", "--disable-component-update",
        "--host-resolver-rules=MAP * ~NOTFOUND", "--enable-logging=stderr",
        "--user-data-dir=\(folder.path)/profile",
      ] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle(forWritingAtPath: try folder.write("", to: "errors"))
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let messages = String(decoding: try folder.data("errors"), as: UTF8.self)
    return (String(decoding: data, as: UTF8.self), messages)
  }
}
