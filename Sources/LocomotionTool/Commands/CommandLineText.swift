/// The arguments of the process, as text.
enum CommandLineText {
  /// The arguments after the program's name.
  ///
  /// - Throws: A ``UsageError`` when one of them is not valid UTF-8. Swift would replace the bytes
  ///   by U+FFFD, and two names of users, or of files, could become the same.
  static func arguments() throws -> [String] {
    var result: [String] = []
    for index in 1..<max(Int(CommandLine.argc), 1) {
      guard let argument = unsafe CommandLine.unsafeArgv[index],
        let text = unsafe String(validatingCString: argument)
      else {
        throw UsageError("argument \(index): expected valid UTF-8, found other bytes")
      }
      result.append(text)
    }
    return result
  }
}
