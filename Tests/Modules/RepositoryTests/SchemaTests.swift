import Foundation
import TestSupport
import Testing

@Suite struct SchemaTests {
  @Test(.enabled(if: Command.exists("python3"), "needs Python"))
  func otherLanguagesHaveTheStructsAndConstantsOfTheHeader() throws {
    let check = try Command.run(
      ["python3", "Sources/Bindings/schema.py", "--check"], in: TestFiles.packageRoot)
    #expect(check.status == 0, "\(check.output)")
  }
}
