internal import LocomotionJournal

/// The states of a damaged journal's database that its file and its log give.
struct StoreImages {
  /// States of the whole database, the newest one first.
  private(set) var databases: [[UInt8]] = []
  private let file: [UInt8]
  private let log: WriteAheadLog

  init(of path: String, fileSystem: String?) throws(JournalError) {
    guard let file = try StoreBytes.read(path, fileSystem: fileSystem) else {
      throw .notFound(path: path)
    }
    self.file = file
    let bytes = try StoreBytes.read(path + "-wal", fileSystem: fileSystem) ?? []
    let size = StoreFormat.pageSize
    log = WriteAheadLog(bytes) { page in
      page > 0 && page * size <= file.count ? file[(page - 1) * size..<page * size] : nil
    }
    databases = [image(ofFirst: log.committedCount)]
    // Also with the other number of a page: at the wrong one it hides another page.
    if log.frames.contains(where: { !$0.isSound && $0.otherPage != nil }) {
      databases.append(image(ofFirst: log.committedCount, withOtherPages: true))
    }
    // Also the state before the first lost frame: later pages may not fit the earlier ones.
    if let bad = log.frames.firstIndex(where: { !$0.isUsable }) {
      let end = log.frames[..<bad].lastIndex { log.commits($0) } ?? -1
      databases.append(image(ofFirst: end + 1))
    }
  }

  /// Whether the header has the application ID of a journal.
  var isJournal: Bool {
    databases.contains { DatabaseHeader($0).owner == .journal }
      || DatabaseHeader(file).owner == .journal
  }

  /// The number of frames with one wrong bit that could not be located.
  var flippedBits: Int { log.frames.count { $0.isOneBitOff && !$0.isSound } }

  /// All bytes that may contain blocks, with the database that holds their overflow pages.
  var parts: [(bytes: [UInt8], database: [UInt8])] {
    let newest = databases[0]
    return [(newest, newest), (file, file)]
      + log.frames.reversed().map { (Array(log.image($0)), newest) }
  }

  /// The database after the first `count` frames of the log, as far as they are usable.
  private func image(ofFirst count: Int, withOtherPages: Bool = false) -> [UInt8] {
    var image = file
    let frames = log.frames.prefix(count)
    let size = log.pageSize
    if let last = frames.last {
      // A lost frame does not give the size, but the first page does. A larger size than possible
      // is damage.
      let highest = frames.filter(\.isUsable).map { log.page($0) }.max() ?? 0
      let stated = log.newestImage(ofPage: 1, among: count).map {
        $0.dropFirst(28).prefix(4).reduce(0) { $0 << 8 | Int($1) }
      }
      let count =
        last.isUsable ? log.pageCount(last) : max(highest, stated ?? 0, file.count / size)
      let length = min(count, file.count / size + frames.count + 1) * size
      image = Array(image.prefix(length))
      image += repeatElement(0, count: length - image.count)
    }
    for frame in frames where frame.isUsable {
      let other = withOtherPages && !frame.isSound ? frame.otherPage : nil
      let start = ((other ?? log.page(frame)) - 1) * size
      guard start >= 0, start + size <= image.count else { continue }
      image.replaceSubrange(start..<start + size, with: log.image(frame))
    }
    return image
  }

  /// Reports the damage to the log.
  func describe(to report: inout JournalReport) {
    let name = "write-ahead log"
    if log.hasDamagedHeader { report.notes.append("\(name): its header is damaged") }
    let restored = log.frames.count { $0.isSound && $0.isDamaged }
    if restored > 0 {
      report.notes.append(
        "\(name): \(restored) of \(log.frames.count) frames were damaged and are restored")
    }
    // Whether data were lost by it, the rows will show.
    if flippedBits > 0 {
      report.notes.append(
        "\(name): \(flippedBits) of \(log.frames.count) frames have one wrong bit each")
    }
    describeLost(name, &report)
    let rest = log.frames[log.committedCount...]
    if rest.contains(where: { !$0.isUsable }) || log.endsInsideFrame {
      report.add(
        "\(name): its last transaction is incomplete and not kept: it was never acknowledged, or "
          + "is damaged in more than one bit")
    } else if !rest.isEmpty {
      report.notes.append("\(name): its last transaction was never committed, and is not kept")
    }
  }

  /// Reports the unusable frames before the last commit.
  private func describeLost(_ name: String, _ report: inout JournalReport) {
    let committed = log.committedCount
    let lost = log.frames.indices.filter { $0 < committed && !log.frames[$0].isUsable }
    guard !lost.isEmpty else { return }
    let ends = log.frames.indices.filter { $0 < committed && log.commits(log.frames[$0]) }
    let hit = Set(lost.map { bad in ends.firstIndex { $0 >= bad } ?? ends.count })
    let words =
      "\(name): \(lost.count) of \(log.frames.count) frames are damaged, in \(hit.count) of "
      + "\(ends.count) transactions"
    // The page may have been written again later.
    let isSuperseded = lost.allSatisfy { bad in
      log.frames[(bad + 1)..<committed].contains {
        $0.isSound && log.page($0) == log.page(log.frames[bad])
      }
    }
    if isSuperseded { report.notes.append(words) } else { report.add(words) }
  }
}

extension SQLiteConnection {
  /// Whether a table exists.
  func hasTable(_ name: String) -> Bool {
    (try? integer("SELECT count(*) FROM sqlite_schema WHERE name = '\(name)'")) == 1
  }
}
