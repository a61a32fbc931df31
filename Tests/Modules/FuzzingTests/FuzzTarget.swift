/// A part of the package that reads untrusted bytes, to be run with any bytes.
///
/// The coverage-guided fuzzer and the test that replays its corpus run the same targets.
struct FuzzTarget: Sendable {
  /// The name of its file in `Corpus`.
  let name: String
  /// Processes `bytes`; returns a description of what went wrong, nil for nothing.
  let run: @Sendable ([UInt8]) -> String?

  static let all: [FuzzTarget] = importers + containers + decoders + lines

  static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

extension [UInt8] {
  /// The parts between the bytes 0xFF, which do not occur in UTF-8: the files of a folder.
  var pieces: [[UInt8]] {
    split(separator: 0xFF, omittingEmptySubsequences: false).map { Array($0) }
  }

  /// The first byte, 0 when there is none, and the rest.
  var headAndTail: (UInt8, [UInt8]) { (first ?? 0, Array(dropFirst())) }
}
