// The program `fuzz`, which Tests/Checks/fuzz-formats.sh builds: libFuzzer runs one target.
import Foundation

/// libFuzzer's own main function (FuzzerInterface.h); it returns or ends the process.
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
  _ count: UnsafeMutablePointer<Int32>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ run: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// The target to run, from the environment, because libFuzzer restarts itself to merge.
private let target = FuzzTarget.named(
  ProcessInfo.processInfo.environment["LOCOMOTION_FUZZ_TARGET"] ?? "")

@main
enum Fuzz {
  /// `fuzz --list` prints the targets; otherwise one target runs with libFuzzer's arguments.
  static func main() {
    guard !CommandLine.arguments.contains("--list") else {
      print(FuzzTarget.all.map(\.name).joined(separator: "\n"))
      return
    }
    guard target != nil else { fatalError("LOCOMOTION_FUZZ_TARGET names no target") }
    var arguments = unsafe CommandLine.unsafeArgv
    var count = CommandLine.argc
    let status = unsafe runFuzzer(&count, &arguments) { bytes, length in
      let input = unsafe Array(UnsafeBufferPointer(start: bytes, count: length))
      if let broken = target?.run(input) { fatalError(broken) }
      return 0
    }
    exit(status)
  }
}
