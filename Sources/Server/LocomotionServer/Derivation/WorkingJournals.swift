internal import Foundation
internal import LocomotionJournal

/// The journals into which the archive puts the units of each device together, in a folder that
/// can be deleted at any time: they are made anew from the units.
///
/// A journal is open only while it is used. Beside it is the number of units in it and a digest
/// over theirs, so that a late unit is noticed: then the journal is made anew, and what it holds
/// does not depend on the order in which units arrived.
struct WorkingJournals: Sendable {
  /// The folder.
  let folder: String
  private let objects: any ObjectStore
  /// After so many units what is in the journal is written down.
  private static let unitsBetweenMarks = 32

  /// Journals in `folder`, which is made when there is none, of the units in `objects`.
  init(folder: String, objects: any ObjectStore) {
    self.folder = folder
    self.objects = objects
  }

  /// The path of the journal of one device of a user.
  func path(of user: String, device: String) -> String {
    "\(userFolder(user))/\(device).locomotion"
  }

  /// Deletes what is there of a user, and says of how many files and folders it was.
  @discardableResult func delete(_ user: String) -> Int {
    defer { try? FileManager.default.removeItem(atPath: userFolder(user)) }
    return nameCount(of: user)
  }

  /// The number of files and folders that are there of a user.
  func nameCount(of user: String) -> Int {
    let folder = userFolder(user)
    guard FileManager.default.fileExists(atPath: folder) else { return 0 }
    return 1 + ((try? FileManager.default.subpathsOfDirectory(atPath: folder).count) ?? 0)
  }

  /// Deletes the journal of one device, and the user's folder with the last one.
  func delete(_ user: String, device: String) {
    let path = path(of: user, device: device)
    for ending in ["", "-wal", "-shm", "-writer", "-journal", ".units", ".stored"] {
      try? FileManager.default.removeItem(atPath: path + ending)
    }
    let folder = userFolder(user)
    if (try? FileManager.default.contentsOfDirectory(atPath: folder))?.isEmpty == true {
      try? FileManager.default.removeItem(atPath: folder)
    }
  }

  /// Notes that the days of a device are in the database as they are in its journal.
  func noteStored(_ user: String, device: String) {
    let path = path(of: user, device: device)
    guard let mark = try? String(contentsOfFile: path + ".units", encoding: .utf8) else { return }
    try? mark.write(toFile: path + ".stored", atomically: true, encoding: .utf8)
  }

  /// A journal, open for writing, into which the units of its device are put.
  struct Update: ~Copyable {
    let journal: UserJournal
    /// Whether the journal was made anew.
    let isNew: Bool
    /// Whether the days as they were before are in the database.
    let areDaysStored: Bool
    /// The index of the first unit that is not in the journal yet.
    var next = 0
    /// The units appended.
    var appended = 0
    /// The units of which the store has no object.
    var gone = 0
    /// The units of which the store has another object.
    var damaged = 0
    /// The units that are not in the journal.
    var missing: Int { gone + damaged }
    /// Whether any unit that was appended has edits and places.
    var hasAnnotations = false
  }

  /// The journal of a device, open for writing, with the first ones of its units in it, or none.
  ///
  /// - Parameters:
  ///   - user: The owner's name.
  ///   - device: The device.
  ///   - units: All units of the device, in order of sequence.
  /// - Returns: The journal, for ``append(_:to:device:samples:isDue:)``.
  /// - Throws: ``DerivationError``; then it can be called again.
  func update(
    user: String, device: String, units: [UnitRow]
  ) throws(DerivationError) -> Update {
    let path = path(of: user, device: device)
    try makeFolder(of: user)
    do throws(DerivationError) {
      var update = try open(path, user, isNew: false)
      if let done = try done(update, path, units) {
        update.next = done
        return update
      }
    } catch .journal(let error) where error.isInputRejection {
      // Whatever is wrong with it: the units make it anew.
    }
    delete(user, device: device)
    try makeFolder(of: user)
    return try open(path, user, isNew: true)
  }

  private func makeFolder(of user: String) throws(DerivationError) {
    do {
      try FileManager.default.createDirectory(
        atPath: userFolder(user), withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    } catch {
      throw .folder(path: userFolder(user))
    }
  }

  /// Makes a journal of a device's units at another place.
  ///
  /// - Parameters:
  ///   - path: Where there is no file yet.
  ///   - user: The owner's name.
  ///   - units: All units of the device, in order of sequence.
  /// - Returns: The number of units of which the store has no object, or another one.
  /// - Throws: ``DerivationError``; then the file may be there, with some of them.
  func build(
    at path: String, user: String, units: [UnitRow]
  ) throws(DerivationError) -> Int {
    var update = try open(path, user, isNew: true)
    try append(units, to: &update, markAt: nil, samples: .max) { false }
    _ = try update.updateDays(upTo: .max)
    return update.missing
  }

  private func open(
    _ path: String, _ name: String, isNew: Bool
  ) throws(DerivationError) -> Update {
    let mark = try? String(contentsOfFile: path + ".units", encoding: .utf8)
    let stored = try? String(contentsOfFile: path + ".stored", encoding: .utf8)
    do throws(JournalError) {
      let journal = try Journal(path: path).user(name)
      return Update(journal: journal, isNew: isNew, areDaysStored: mark != nil && stored == mark)
    } catch {
      throw .journal(error)
    }
  }

  /// How many of the units are in the journal; nil when others are, or it is not known.
  private func done(
    _ update: borrowing Update, _ path: String, _ units: [UnitRow]
  ) throws(DerivationError) -> Int? {
    let next: (device: String, sequence: Int)?
    do throws(JournalError) {
      next = try update.journal.nextUnit()
    } catch {
      throw .journal(error)
    }
    guard let text = try? String(contentsOfFile: path + ".units", encoding: .utf8),
      let mark = Mark(text)
    else { return next == nil ? 0 : nil }
    guard mark.count <= units.count, Mark(of: units.prefix(mark.count)) == mark,
      next?.sequence == units.prefix(mark.count).last.map({ $0.sequence + 1 })
    else { return nil }
    return mark.count
  }

  /// Appends units until all are in the journal, or it's enough for now.
  ///
  /// - Parameters:
  ///   - units: All units of the device, in order of sequence.
  ///   - update: Its journal.
  ///   - device: The device.
  ///   - samples: After about so many it ends.
  ///   - isDue: Asked after each unit; after true it ends.
  /// - Throws: ``DerivationError``; the next call goes on.
  func append(
    _ units: [UnitRow], to update: inout Update, device: String, samples: Int,
    isDue: () -> Bool
  ) throws(DerivationError) {
    let path = path(of: update.journal.name, device: device)
    try append(units, to: &update, markAt: path, samples: samples, isDue: isDue)
  }

  private func append(
    _ units: [UnitRow], to update: inout Update, markAt path: String?, samples: Int,
    isDue: () -> Bool
  ) throws(DerivationError) {
    let first = update.next
    var count = 0
    while update.next < units.count, count < samples, first == update.next || !isDue() {
      let row = units[update.next]
      update.next += 1
      guard let bytes = try bytes(of: row) else {
        update.gone += 1
        continue
      }
      guard SHA256Digest(of: bytes).hexadecimal == row.digest, let unit = try? UploadUnit(bytes)
      else {
        update.damaged += 1
        continue
      }
      do throws(JournalError) {
        try update.journal.append(unit)
      } catch {
        throw .journal(error)
      }
      count += row.samples + row.rotationRates + row.pressures + row.fixes
      update.hasAnnotations = update.hasAnnotations || row.hasAnnotations
      update.appended += 1
      if let path, update.missing == 0, update.appended % Self.unitsBetweenMarks == 0 {
        Mark(of: units[..<update.next]).write(path)
      }
    }
    guard let path else { return }
    // With a unit missing there is no mark: next time it is looked for again.
    if update.missing > 0 {
      try? FileManager.default.removeItem(atPath: path + ".units")
    } else if update.next > first || update.isNew {
      Mark(of: units[..<update.next]).write(path)
    }
  }

  /// The bytes of a unit out of the store; nil when there are none.
  private func bytes(of row: UnitRow) throws(DerivationError) -> [UInt8]? {
    guard let key = ObjectKey(row.objectKey) else { return nil }
    do throws(ObjectStoreError) {
      return try objects.get(key)
    } catch {
      throw .objects(error)
    }
  }

  private func userFolder(_ user: String) -> String {
    "\(folder)/journals/\(ObjectKey.Owner(user: user).text)"
  }

  /// Which units are in a journal: how many, and a digest over their digests.
  private struct Mark: Equatable {
    let count: Int
    let digest: String

    init(of units: ArraySlice<UnitRow>) {
      count = units.count
      digest =
        SHA256Digest(of: Array(units.lazy.map(\.digest).joined(separator: "\n").utf8)).hexadecimal
    }

    init?(_ text: String) {
      let words = text.split(whereSeparator: \.isWhitespace)
      guard words.count == 2, let count = Int(words[0]), count >= 0 else { return nil }
      self.count = count
      digest = String(words[1])
    }

    /// Not synchronized: a mark that is older than the journal, or half of one, makes the journal
    /// be made anew.
    func write(_ path: String) {
      try? "\(count) \(digest)\n".write(
        toFile: path + ".units", atomically: true, encoding: .utf8)
    }
  }
}
