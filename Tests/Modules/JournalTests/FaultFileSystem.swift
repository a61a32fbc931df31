import CFaultFileSystem
import Foundation
import Testing

/// A virtual file system for tests that injects faults and logs writes; see `FaultFileSystem.h`.
enum FaultFileSystem {
  static let name = "fault"

  /// The injected fault.
  enum Fault: Int32, CaseIterable {
    case full = 13
    case inputOutput = 10
    case write = 778
  }

  static func register() { _ = locomotion_fault_register() }
  static func reset() { locomotion_fault_reset() }
  static func fail(_ number: Int, lasts: Bool, _ fault: Fault) {
    locomotion_fault_order(number, lasts ? 1 : 0, fault.rawValue)
  }
  static func heal() { locomotion_fault_order(0, 0, 0) }
  static var operations: Int { locomotion_fault_operations() }
  static var reads: Int { locomotion_fault_reads() }
  static var logLength: Int { locomotion_fault_log_length() }

  /// Creates or changes a database by plain SQL.
  static func execute(_ statements: String, at path: String, isFaulty: Bool = false) -> Bool {
    unsafe locomotion_fault_execute(path, statements, isFaulty ? 1 : 0) == 0
  }

  /// Creates a named pipe, at which a reader blocks when it opens it.
  static func makePipe(at path: String) -> Bool { unsafe mkfifo(path, 0o600) == 0 }

  /// The format version in a file's header.
  static func version(at path: String) -> Int { unsafe Int(locomotion_fault_version(path)) }

  /// Creates the journal's files as they would be after `length` entries of the log of writes.
  static func makeFiles(length: Int, seed: UInt64, at path: String) -> Bool {
    unsafe locomotion_fault_make_files(
      length, seed, path, path + "-wal", path + "-journal") == 0
  }

  /// Calls `body` with the journal's files at `path` as they would be after so many entries of the
  /// log of writes: after a kill, and twice after a power failure.
  static func forEachState(
    after lengths: some Sequence<Int>, at path: String,
    _ body: (_ length: Int, _ seed: UInt64) throws -> Void
  ) throws {
    for length in lengths {
      for seed in [0, UInt64(length) * 2 + 1, UInt64(length) * 2 + 2] {
        try #require(makeFiles(length: length, seed: seed, at: path))
        try body(length, seed)
        for ending in ["-shm", "-writer"] {
          try? FileManager.default.removeItem(atPath: path + ending)
        }
      }
    }
  }

  /// Calls `attempt`, which returns the number of errors that it saw, with a fault at one disk
  /// operation after another, until it has fewer; and `check` once the fault is healed.
  ///
  /// - Returns: The number of operations, and of faults of which an error told.
  static func forEachFault(
    _ fault: Fault, lasts: Bool, every step: Int,
    _ attempt: (_ number: Int) throws -> Int, check: (_ number: Int) throws -> Void
  ) throws -> (operations: Int, told: Int) {
    var (number, told) = (1, 0)
    while true {
      reset()
      fail(number, lasts: lasts, fault)
      told += try attempt(number) > 0 ? 1 : 0
      let wasReached = operations >= number
      heal()
      try check(number)
      guard wasReached else { break }
      number += step
    }
    return (number, told)
  }
}
