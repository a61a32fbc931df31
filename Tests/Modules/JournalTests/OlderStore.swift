import Foundation
import LocomotionJournal

/// Makes a file of an older version of one of this version.
enum OlderStore {
  /// The statements that give the tables the columns of a version from 2 on; what was dropped since
  /// then holds a number that nothing agrees with.
  static func statements(version: Int) -> String {
    var result: [String] = []
    let tables = StoreFormat.creation(ofVersion: version)
    let newest = StoreFormat.creation(ofVersion: StoreFormat.version)
    result += newest.dropFirst(tables.count).map { "DROP TABLE \($0.split(separator: " ")[2])" }
    for (old, new) in zip(tables, newest) where old != new {
      let kept = columns(new).filter(columns(old).contains)
      let dropped = columns(old).filter { !kept.contains($0) }
      let name = old.split(separator: " ")[2]
      result += [
        "ALTER TABLE \(name) RENAME TO moved", old,
        "INSERT INTO \(name) (\((kept + dropped).joined(separator: ", "))) "
          + "SELECT \((kept + dropped.map { _ in "7" }).joined(separator: ", ")) FROM moved",
        "DROP TABLE moved",
      ]
    }
    return (result + ["PRAGMA user_version = \(version)"]).joined(separator: "; ")
  }

  private static func columns(_ statement: String) -> [String] {
    statement.matches(of: #/(\w+) (?:INTEGER|TEXT|REAL|BLOB)/#).map { String($0.1) }
  }
}
