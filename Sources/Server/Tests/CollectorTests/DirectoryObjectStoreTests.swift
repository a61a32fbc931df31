import Foundation
import LocomotionJournal
import LocomotionSensing
import Testing

@testable import LocomotionServer

@Suite struct DirectoryObjectStoreTests {
  /// A folder that is deleted with the test.
  private final class Scratch {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    var objects: String { path + "/objects" }

    init() throws {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func store() throws -> DirectoryObjectStore { try DirectoryObjectStore(path: objects) }

    /// The paths of all files below.
    func files() throws -> [String] {
      try FileManager.default.subpathsOfDirectory(atPath: path).filter {
        let found = try FileManager.default.attributesOfItem(atPath: path + "/" + $0)
        return found[.type] as? FileAttributeType != .typeDirectory
      }
    }
  }

  private static func object(
    _ user: String, _ number: Int, day: Double = 0
  ) -> (key: ObjectKey, bytes: [UInt8]) {
    let bytes = Array("\(user) \(number)".utf8)
    let time = Timestamp(seconds: day * 86_400)
    return (ObjectKey(user: user, firstEvent: time, digest: SHA256Digest(of: bytes)), bytes)
  }

  private static func keys(
    _ store: DirectoryObjectStore, of user: String? = nil
  ) throws -> Set<String> {
    var keys: Set<String> = []
    try store.list(of: user.map { ObjectKey.Owner(user: $0) }) { portion in
      keys.formUnion(portion.map(\.text))
      return true
    }
    return keys
  }

  @Test func remainsOfKilledPutsAreRemovedOnceTheyAreOld() throws {
    let scratch = try Scratch()
    let store = try scratch.store()
    let (key, bytes) = Self.object("ada", 1)
    _ = try store.put(bytes, at: key)
    let folders = key.text.split(separator: "/").dropLast().joined(separator: "/")
    let folder = "\(scratch.objects)/\(folders)"
    for name in [".old.1.1.part", ".new.1.2.part"] {
      try Data("half".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    }
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -7_200)],
      ofItemAtPath: folder + "/.old.1.1.part")
    #expect(try store.removeRemains() == 1)
    #expect(try scratch.files().count == 2)
    #expect(try store.get(key) == bytes)
    #expect(try store.removeRemains() == 0)
  }

  @Test func anObjectIsStoredOnceAndReadBack() throws {
    let scratch = try Scratch()
    let store = try scratch.store()
    let (key, bytes) = Self.object("ada", 1)
    #expect(try store.get(key) == nil)
    #expect(try store.put(bytes, at: key))
    #expect(try store.put(bytes, at: key) == false)
    #expect(try store.get(key) == bytes)
    #expect(try scratch.files() == ["objects/" + key.text])
    #expect(try scratch.store().get(key) == bytes)
    try store.delete(key)
    try store.delete(key)
    #expect(try store.get(key) == nil)
  }

  @Test func otherBytesUnderTheSameNameAreReplaced() throws {
    let scratch = try Scratch()
    let store = try scratch.store()
    let (key, bytes) = Self.object("ada", 1)
    #expect(try store.size(of: key) == nil)
    _ = try store.put(bytes, at: key)
    #expect(try store.size(of: key) == bytes.count)
    let path = scratch.objects + "/" + key.text
    for content in ["damaged", "", "ada 2", String(repeating: "x", count: 10_000)] {
      try Data(content.utf8).write(to: URL(fileURLWithPath: path))
      #expect(try store.size(of: key) == content.utf8.count)
      #expect(try store.put(bytes, at: key))
      #expect(try store.get(key) == bytes)
      #expect(try !store.put(bytes, at: key))
      #expect(try scratch.files() == ["objects/" + key.text])
    }
  }

  @Test func deletingAPersonEndsWhileOthersStore() async throws {
    let scratch = try Scratch()
    // Two, as of two processes.
    let (store, other) = (try scratch.store(), try scratch.store())
    let objects = (0..<40).map { Self.object("ada", $0, day: Double($0 % 2)) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        group.addTask {
          for round in 0..<20 {
            for (key, bytes) in objects {
              _ = try store.put(bytes, at: key)
              if round % 2 == 1 { try store.delete(key) }
            }
          }
        }
      }
      group.addTask {
        for _ in 0..<100 { _ = try other.deleteAll(of: ObjectKey.Owner(user: "ada")) }
      }
      try await group.waitForAll()
    }
    for (key, bytes) in objects {
      _ = try store.put(bytes, at: key)
      #expect(try other.get(key) == bytes)
    }
    _ = try other.deleteAll(of: ObjectKey.Owner(user: "ada"))
    #expect(try store.nameCount(of: ObjectKey.Owner(user: "ada")) == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.objects).isEmpty)
  }

  @Test func theLastObjectTakesItsFoldersWithIt() throws {
    let scratch = try Scratch()
    let store = try scratch.store()
    let objects = [Self.object("ada", 1), Self.object("ada", 2), Self.object("ada", 3, day: 1)]
    for (key, bytes) in objects { _ = try store.put(bytes, at: key) }
    let owner = ObjectKey.Owner(user: "ada")
    // The folder of the person, of two days, and three files.
    #expect(try store.nameCount(of: owner) == 6)
    for ((key, _), left) in zip(objects, [5, 3, 0]) {
      try store.delete(key)
      #expect(try store.nameCount(of: owner) == left)
    }
  }

  @Test func usersAreListedAndDeletedApart() throws {
    let scratch = try Scratch()
    let store = try scratch.store()
    let names = ["ada", "Ada", "..", "a/d", "ada/", "ad", "~"]
    var all: [String: Set<String>] = [:]
    for name in names {
      for number in 0..<3 {
        let (key, bytes) = Self.object(name, number, day: Double(number % 2))
        #expect(try store.put(bytes, at: key))
        all[name, default: []].insert(key.text)
      }
    }
    #expect(try Self.keys(store) == Set(all.values.flatMap(\.self)))
    for name in names { #expect(try Self.keys(store, of: name) == all[name]) }
    // What a killed process leaves goes with the rest.
    let left = Self.object("ada", 0).key.text.replacing(".loco", with: ".1.part")
    try Data("ada".utf8).write(to: URL(fileURLWithPath: scratch.objects + "/" + left))
    #expect(try Self.keys(store, of: "ada") == all["ada"])
    #expect(try store.deleteAll(of: ObjectKey.Owner(user: "ada")) == 3)
    #expect(try store.deleteAll(of: ObjectKey.Owner(user: "ada")) == 0)
    all["ada"] = nil
    #expect(try Self.keys(store) == Set(all.values.flatMap(\.self)))
    #expect(try scratch.files().allSatisfy { !$0.contains("user=ada/") })
    // Its folder can be made again.
    let (key, bytes) = Self.object("ada", 0)
    #expect(try store.put(bytes, at: key))
  }

  @Test func listingEndsWhenItIsTold() throws {
    let scratch = try Scratch()
    let store = try scratch.store()
    for number in 0..<4 {
      let (key, bytes) = Self.object("ada", number, day: Double(number))
      _ = try store.put(bytes, at: key)
    }
    var calls = 0
    try store.list(of: nil) { _ in
      calls += 1
      return false
    }
    #expect(calls == 1)
  }

  @Test func linksInThePlaceOfFoldersAndFilesAreRefused() throws {
    let scratch = try Scratch()
    let store = try scratch.store()
    let outside = scratch.path + "/outside"
    try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: false)
    let (key, bytes) = Self.object("eve", 1)
    let user = scratch.objects + "/user=eve"
    try FileManager.default.createSymbolicLink(atPath: user, withDestinationPath: outside)
    for call in [
      { _ = try store.put(bytes, at: key) }, { _ = try store.get(key) },
      { _ = try store.deleteAll(of: key.owner) },
    ] as [() throws -> Void] {
      let error = #expect(throws: ObjectStoreError.self) { try call() }
      #expect(error?.isBusy == false)
    }
    #expect(try scratch.files().allSatisfy { !$0.hasPrefix("outside/") })
    // The object itself.
    let (other, content) = Self.object("ada", 1)
    _ = try store.put(content, at: other)
    let path = scratch.objects + "/" + other.text
    try Data(content).write(to: URL(fileURLWithPath: outside + "/file"))
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createSymbolicLink(
      atPath: path, withDestinationPath: outside + "/file")
    #expect(throws: ObjectStoreError.self) { try store.get(other) }
    #expect(throws: ObjectStoreError.self) { try store.put(content, at: other) }
  }

  @Test func aFolderOrPipeInThePlaceOfAnObjectIsRefused() throws {
    let scratch = try Scratch()
    let store = try scratch.store()
    let (key, bytes) = Self.object("ada", 1)
    let path = scratch.objects + "/" + key.text
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    #expect(throws: ObjectStoreError.self) { try store.get(key) }
    #expect(throws: ObjectStoreError.self) { try store.put(bytes, at: key) }
    try FileManager.default.removeItem(atPath: path)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/mkfifo")
    process.arguments = [path]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(throws: ObjectStoreError.self) { try store.get(key) }
  }

  @Test func manyThreadsStoreTheSameObjectsOnce() async throws {
    let scratch = try Scratch()
    let store = try scratch.store()
    let objects = (0..<20).map { Self.object("ada", $0, day: Double($0 % 3)) }
    let new = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<4 {
        group.addTask {
          try objects.reduce(0) { try $0 + (store.put($1.bytes, at: $1.key) ? 1 : 0) }
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(new == 20)
    #expect(try scratch.files().count == 20)
    for (key, bytes) in objects { #expect(try store.get(key) == bytes) }
  }
}
