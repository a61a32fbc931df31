import Foundation
@_spi(Server) import LocomotionTool

extension Command {
  /// How often what others store meanwhile is looked for, a second apart.
  private static let erasureAttempts = 60

  /// `archive erase`: the rows, the objects and the working journals of a user.
  ///
  /// The rows first, because from then on nothing of the user is taken any more: what is on its
  /// way ends within a request or a derivation. Interrupted, it can be called again.
  static func erase(_ user: String, _ archive: ArchivePlaces, _ arguments: Arguments) throws {
    let traces = try ErasureTraces(of: user, archive)
    guard try arguments.has("unknown") || traces.isKnown() else {
      throw ServerError.failed(
        "there is no user '\(user)', and none was erased: nothing is changed; '--unknown' refuses "
          + "from now on what comes under this name")
    }
    // Before anything is erased, so that a place that cannot be written to is noticed.
    let path = arguments.value("receipt")
    try path.map { try PrivateFile.write(Data(), to: $0) }
    var receipt = ErasureReceipt(user: user, began: Date())
    let rows = try archive.use { database throws(DatabaseError) in try database.erase(user: user) }
    (receipt.rows, receipt.digests) = (rows.counts, rows.digests)
    for attempt in 1...erasureAttempts {
      let isLast = attempt == erasureAttempts
      do throws(ObjectStoreError) {
        receipt.objects += try traces.deleteObjects(rows.objectKeys)
      } catch {
        guard error.isBusy, !isLast else { throw error }
      }
      receipt.journalFiles += traces.journals.delete(user)
      receipt.left = try traces.remains(of: rows)
      if receipt.left == .none || isLast { break }
      Thread.sleep(forTimeInterval: 1)
    }
    receipt.ended = Date()
    let text = try receipt.json + "\n"
    try path.map { try PrivateFile.write(Data(text.utf8), to: $0) }
    var output = TextOutput.standard
    try output.write(text)
    try output.finish()
    guard receipt.left == .none else {
      throw ServerError.failed("something is left, as the receipt says: repeat it")
    }
    StandardError.write(
      "locomotion-server: erased \(receipt.objects) objects and the rows of \(rows.digests.count) "
        + "units; until it is compacted the database's files still have deleted rows, and "
        + "backups have all; nothing is taken of this user until 'archive readmit'\n")
  }

  /// `archive readmit`: an erased user can send again.
  static func readmit(_ user: String, _ archive: ArchivePlaces, _: Arguments) throws {
    let wasErased = try archive.use { database throws(DatabaseError) in
      try database.readmit(user: user)
    }
    guard wasErased else {
      throw ServerError.failed("this user is not one that was erased")
    }
    StandardError.write("locomotion-server: what this user sends is taken again\n")
  }
}

/// Where something of a user may be beside the rows.
private struct ErasureTraces {
  private let user: String
  private let owner: ObjectKey.Owner
  private let archive: ArchivePlaces
  private let objects: any ObjectStore
  let journals: WorkingJournals

  init(of user: String, _ archive: ArchivePlaces) throws {
    (self.user, self.archive) = (user, archive)
    owner = ObjectKey.Owner(user: user)
    objects = try archive.objects
    journals = WorkingJournals(folder: try archive.cache(), objects: objects)
  }

  /// Whether there is anything of the user, or was before an erasure.
  func isKnown() throws -> Bool {
    let hasRows = try archive.use { database throws(DatabaseError) in try database.knows(user) }
    return try hasRows || objects.nameCount(of: owner) > 0 || journals.nameCount(of: user) > 0
  }

  /// Deletes the objects, by their names and by those that the rows had.
  func deleteObjects(_ names: [String]) throws(ObjectStoreError) -> Int {
    var count = try objects.deleteAll(of: owner)
    for key in names.compactMap({ ObjectKey($0) }) where key.owner != owner {
      guard try objects.size(of: key) != nil else { continue }
      try objects.delete(key)
      count += 1
    }
    return count
  }

  /// What is found of the user by looking everywhere anew, without the rows that were deleted.
  func remains(of rows: ErasedRows) throws -> ErasureReceipt.Remains {
    var left = ErasureReceipt.Remains()
    left.objects = try objects.nameCount(of: owner)
    // Under whatever name.
    let digests = Set(rows.digests)
    try objects.list(of: nil) { keys in
      left.objects += keys.count { $0.owner != owner && digests.contains($0.digest) }
      return true
    }
    left.rows = try archive.use { database throws(DatabaseError) in
      try database.rowCounts(of: user)
    }
    left.journalFiles = journals.nameCount(of: user)
    return left
  }
}

/// What an erasure has removed, and what a search afterwards has found.
///
/// It is for the person who asked for the erasure, and for the operator to find the same units in
/// backups: so it has the name, without which it would be nobody's, and the units' digests, which
/// tell nothing of their content. It has nothing else of the person, and the archive keeps no
/// copy.
private struct ErasureReceipt: Encodable {
  /// What is left.
  struct Remains: Encodable, Equatable {
    static let none = Remains()
    var objects = 0
    var rows: [String: Int] = [:]
    var journalFiles = 0
  }

  let user: String
  let began: Date
  var ended = Date.distantPast
  var objects = 0
  var digests: [String] = []
  var rows: [String: Int] = [:]
  var journalFiles = 0
  var left = Remains()
}
