/// An invalid command line.
package struct UsageError: Error {
  package let message: String

  package init(_ message: String) {
    self.message = message
  }
}
