/// A step from one version of the database's schema to the next.
struct SchemaMigration: Sendable {
  /// The version after it, from 1.
  let version: Int
  /// Its statements, which run in one transaction.
  let statements: String

  /// All of them, in order: the files `Version….sql` in `Schema`.
  static let all: [SchemaMigration] = [
    PackageResources.Version1_sql, PackageResources.Version2_sql, PackageResources.Version3_sql,
    PackageResources.Version4_sql, PackageResources.Version5_sql, PackageResources.Version6_sql,
    PackageResources.Version7_sql, PackageResources.Version8_sql,
  ].enumerated().map { index, bytes in
    SchemaMigration(version: index + 1, statements: String(decoding: bytes, as: UTF8.self))
  }
}
