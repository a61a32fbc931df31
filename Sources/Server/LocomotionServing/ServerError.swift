/// An error with which the program ends.
package struct ServerError: Error, Hashable, CustomStringConvertible {
  /// One line for the person who called it.
  package let description: String
  /// The exit status, as `locomotion-server help` tells them.
  package let status: Int32

  /// Something has failed.
  package static func failed(_ words: String) -> ServerError {
    ServerError(description: words, status: 1)
  }

  /// The command line is not one.
  package static func usage(_ words: String) -> ServerError {
    ServerError(description: words, status: 2)
  }

  /// What was read is refused.
  package static func rejected(_ words: String) -> ServerError {
    ServerError(description: words, status: 3)
  }

  /// An address or a file is not available.
  package static func unavailable(_ words: String) -> ServerError {
    ServerError(description: words, status: 74)
  }
}
