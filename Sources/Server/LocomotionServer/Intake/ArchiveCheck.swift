internal import LocomotionJournal

/// Compares the index of the units, the rows in the database, with their objects, and makes them
/// agree: the objects are the archive, and a row says no more than what is there.
///
/// Also while a collector runs: what differs is looked at twice, and again before it is repaired.
struct ArchiveCheck: Sendable {
  /// What is wrong with a unit.
  enum Kind: String, Sendable {
    /// It has a row and no object.
    case gone
    /// Its object has other bytes than its name says.
    case damaged
    /// It has an object and no row.
    case unindexed
    /// Its device has withdrawn it, and it is still there.
    case withdrawn
    /// Its user was erased, and it is still there.
    case erased
    /// It is not a unit of its name, or contradicts another one of its device.
    case foreign
  }

  /// What a repair does.
  enum Action: String, Sendable {
    /// Deletes what is there of object and row.
    case delete
    /// Makes the row.
    case index
    /// Nothing: a person must look at it.
    case keep
  }

  /// A unit of which something is wrong.
  struct Finding: Hashable, Sendable {
    /// Its name in the object store.
    let key: ObjectKey
    /// What is wrong.
    let kind: Kind
    /// Whose it is; nil when the key does not tell.
    let user: String?

    /// What a repair does.
    var action: Action {
      switch kind {
      case .gone, .damaged, .withdrawn, .erased: .delete
      case .unindexed: .index
      case .foreign: .keep
      }
    }
  }

  private let intake: UnitIntake

  /// A check of what an intake has stored.
  init(_ intake: UnitIntake) { self.intake = intake }

  /// Looks at all units of a user, reading every object.
  ///
  /// - Parameters:
  ///   - user: The user's name in Unicode's form C.
  ///   - body: Called with each finding.
  /// - Returns: The number of units looked at.
  /// - Throws: ``IntakeError``.
  /// - Complexity: O(bytes of the objects), with a question to the database for each.
  func findings(
    of user: String, _ body: (Finding) throws -> Void
  ) throws -> Int {
    var keys = Set(try keys(of: ObjectKey.Owner(user: user)))
    keys.formUnion(
      try intake.query { database throws(DatabaseError) in
        try database.objectKeys(of: user)
      }.compactMap { ObjectKey($0) })
    for key in keys.sorted(by: { $0.text < $1.text }) {
      if let found = try finding(at: key, of: user), found == (try finding(at: key, of: user)) {
        try body(found)
      }
    }
    return keys.count
  }

  /// Looks at the objects of people of whom the database has nothing.
  ///
  /// - Parameters:
  ///   - users: The users of whom it has something.
  ///   - body: Called with each finding.
  /// - Returns: The number of objects looked at.
  /// - Throws: ``IntakeError``.
  func findings(
    besides users: [String], _ body: (Finding) throws -> Void
  ) throws -> Int {
    let known = Set(users.map { ObjectKey.Owner(user: $0) })
    var others: Set<ObjectKey.Owner> = []
    do throws(ObjectStoreError) {
      try intake.objects.list(of: nil) { keys in
        others.formUnion(keys.lazy.map(\.owner).filter { !known.contains($0) })
        return true
      }
    } catch {
      throw IntakeError.objects(error)
    }
    var count = 0
    for owner in others.sorted() {
      for key in try keys(of: owner) {
        count += 1
        if let found = try finding(at: key, of: owner.user),
          found == (try finding(at: key, of: owner.user))
        {
          try body(found)
        }
      }
    }
    return count
  }

  /// Repairs what is still as it was found.
  ///
  /// Of a user whose units changed, a collector derives the days when it starts.
  ///
  /// - Returns: Whether nothing is wrong any more.
  func repair(_ finding: Finding) throws(IntakeError) -> Bool {
    guard let now = try self.finding(at: finding.key, of: finding.user) else { return true }
    guard now == finding else { return false }
    switch finding.action {
    case .keep: return false
    case .index:
      var completion = UnitIntake.Completion()
      try intake.completeRow(of: finding.key, &completion)
    case .delete:
      try intake.deleteObject(finding.key)
      if let user = finding.user {
        try intake.query { database throws(DatabaseError) in
          try database.deleteUnit(digest: finding.key.digest, of: user)
        }
      }
    }
    return try self.finding(at: finding.key, of: finding.user) == nil
  }

  private func keys(of owner: ObjectKey.Owner) throws(IntakeError) -> [ObjectKey] {
    var all: [ObjectKey] = []
    do throws(ObjectStoreError) {
      try intake.objects.list(of: owner) { keys in
        all += keys
        return true
      }
    } catch {
      throw .objects(error)
    }
    return all
  }

  /// What is wrong at a key, if anything.
  private func finding(
    at key: ObjectKey, of name: String?
  ) throws(IntakeError) -> Finding? {
    let bytes: [UInt8]?
    do throws(ObjectStoreError) {
      bytes = try intake.objects.get(key)
    } catch {
      throw .objects(error)
    }
    let unit = bytes.flatMap { UnitRow($0, at: key) }
    let user = name ?? unit?.user
    let isDamaged = bytes.map { SHA256Digest(of: $0).hexadecimal != key.digest } ?? false
    guard let user else {
      return Finding(key: key, kind: isDamaged ? .damaged : .foreign, user: nil)
    }
    let state = try intake.state(of: key.digest, user)
    guard bytes != nil || state.isKnown else { return nil }
    let kind: Kind? =
      if state.isErased {
        .erased
      } else if state.isWithdrawn {
        .withdrawn
      } else if bytes == nil {
        .gone
      } else if isDamaged {
        .damaged
      } else if unit == nil {
        .foreign
      } else if state.isKnown {
        nil
      } else {
        try isContradicted(unit) ? .foreign : .unindexed
      }
    return kind.map { Finding(key: key, kind: $0, user: user) }
  }

  /// Whether its device has another unit of this number.
  private func isContradicted(_ unit: UnitRow?) throws(IntakeError) -> Bool {
    guard let unit else { return false }
    return try intake.query { database throws(DatabaseError) in
      try database.units(of: unit.user, device: unit.device)
    }.contains { $0.sequence == unit.sequence && $0.digest != unit.digest }
  }
}
