/// A part of the package that takes bytes from strangers, to be run with any bytes.
///
/// The coverage-guided fuzzer and the test that replays what it found run the same.
struct FuzzTarget: Sendable {
  /// The name of its file in `Corpus`.
  let name: String
  /// Takes `bytes`; returns what is wrong with what came of them, nil when nothing is.
  let run: @Sendable ([UInt8]) -> String?

  static let all: [FuzzTarget] = importers + containers + decoders + server

  static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

extension [UInt8] {
  /// The pieces between the bytes 0xFF, which no UTF-8 holds: the files of a folder.
  var pieces: [[UInt8]] {
    split(separator: 0xFF, omittingEmptySubsequences: false).map { Array($0) }
  }

  /// The first byte, 0 when there is none, and the rest.
  var headAndTail: (UInt8, [UInt8]) { (first ?? 0, Array(dropFirst())) }
}
