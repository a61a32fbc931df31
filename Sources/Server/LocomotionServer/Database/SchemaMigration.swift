/// The database's schema, and a step from one version of it to the next.
struct SchemaMigration: Sendable {
  /// The version after it, from 1.
  let version: Int
  /// Its statements, which run in one transaction.
  let statements: String

  /// All steps, in order: the files in `Schema/migrations`, and what is in its newest form.
  static let all: [SchemaMigration] =
    ([
      PackageResources.Version1_sql, PackageResources.Version2_sql, PackageResources.Version3_sql,
      PackageResources.Version4_sql, PackageResources.Version5_sql, PackageResources.Version6_sql,
      PackageResources.Version7_sql, PackageResources.Version8_sql,
    ].map { String(decoding: $0, as: UTF8.self) } + [newestDays]).enumerated()
    .map { index, statements in SchemaMigration(version: index + 1, statements: statements) }

  /// Version 9, whose days have the steps of stays: the newest functions that store days.
  private static var newestDays: String {
    String(decoding: PackageResources.days_sql, as: UTF8.self)
      .replacing("CREATE FUNCTION", with: "CREATE OR REPLACE FUNCTION")
  }

  /// What makes the newest version in an empty database, by subject: the files in `Schema`.
  static let newest = SchemaMigration(
    version: all.count,
    statements: [
      PackageResources.tables_sql, PackageResources.days_sql, PackageResources.questions_sql,
      PackageResources.anonymity_sql, PackageResources.security_sql,
    ].map { String(decoding: $0, as: UTF8.self) }.joined())
}
