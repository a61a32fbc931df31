import Foundation

/// SIGTERM and SIGINT, held back so that the program ends where it wants to.
struct StopSignals: Sendable {
  private static let numbers = [SIGTERM, SIGINT]

  /// From here on the signals wait.
  init() {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for number in Self.numbers { unsafe sigaddset(&set, number) }
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Whether one has come.
  var isPending: Bool {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigpending(&set)
    return Self.numbers.contains { number in
      var copy = set
      return unsafe sigismember(&copy, number) == 1
    }
  }
}
