// The program `fuzz`, which Tests/fuzz-formats.sh builds: libFuzzer runs one target.
import Foundation

/// libFuzzer's own main function (FuzzerInterface.h); it returns or ends the process.
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
  _ count: UnsafeMutablePointer<Int32>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ run: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// The target that is run, set before the first input.
nonisolated(unsafe) private var target: FuzzTarget?

@main
enum Fuzz {
  /// `fuzz --list` prints the targets; `fuzz TARGET …` runs one with libFuzzer's arguments.
  static func main() {
    let given = CommandLine.arguments
    guard given.count > 1, given[1] != "--list" else {
      print(FuzzTarget.all.map(\.name).joined(separator: "\n"))
      return
    }
    unsafe target = FuzzTarget.named(given[1])
    guard unsafe target != nil else { fatalError("there is no target \(given[1])") }
    // Without the target's name, which libFuzzer would take for a folder of inputs.
    var arguments = unsafe CommandLine.unsafeArgv + 1
    unsafe arguments[0] = CommandLine.unsafeArgv[0]
    var count = CommandLine.argc - 1
    let status = unsafe runFuzzer(&count, &arguments) { bytes, length in
      let input = unsafe Array(UnsafeBufferPointer(start: bytes, count: length))
      if let broken = unsafe target?.run(input) { fatalError(broken) }
      return 0
    }
    exit(status)
  }
}
