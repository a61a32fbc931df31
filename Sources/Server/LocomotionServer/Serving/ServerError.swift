/// An error with which the program ends.
struct ServerError: Error, Hashable, CustomStringConvertible {
  /// One line for the person who called it.
  let description: String
  /// The exit status, as `locomotion-server help` tells them.
  let status: Int32

  /// Something has failed.
  static func failed(_ words: String) -> ServerError {
    ServerError(description: words, status: 1)
  }

  /// The command line is not one.
  static func usage(_ words: String) -> ServerError {
    ServerError(description: words, status: 2)
  }

  /// What was read is refused.
  static func rejected(_ words: String) -> ServerError {
    ServerError(description: words, status: 3)
  }

  /// An address or a file is not available.
  static func unavailable(_ words: String) -> ServerError {
    ServerError(description: words, status: 74)
  }
}
