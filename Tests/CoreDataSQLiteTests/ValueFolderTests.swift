// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

@Suite("The folder of large values")
struct ValueFolderTests {
  /// Runs `body` in a process that cannot open a file meanwhile.
  private static func withoutDescriptors<T>(_ body: () throws -> T) rethrows -> T {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    var none = rlimit(rlim_cur: 0, rlim_max: limit.rlim_max)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
    defer { setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) }
    return try body()
  }

  @Test("A folder that cannot be listed may be shared with another store")
  func unlisted() async {
    await #expect(processExitsWith: .success) {
      let folder = try StoreFixture.makeFolder()
      defer { try? FileManager.default.removeItem(at: folder) }
      let values = ValueFolder(store: folder.appendingPathComponent("Store.sqlite").path)
      #expect(!values.isShared)
      let isShared = ValueFolderTests.withoutDescriptors { values.isShared }
      #expect(isShared)
    }
  }

  @Test("A store whose folder cannot be synchronized is not replaced")
  func unsynchronized() async {
    await #expect(processExitsWith: .success) {
      let folder = try StoreFixture.makeFolder()
      defer { try? FileManager.default.removeItem(at: folder) }
      let files = StoreFiles(path: folder.appendingPathComponent("Store.sqlite").path, timeout: 1)
      let finished = files.unfinishedPath
      try Data("new".utf8).write(to: URL(fileURLWithPath: finished))
      let error = ValueFolderTests.withoutDescriptors {
        #expect(throws: StoreError.self) { try files.replace(byRenaming: finished) }
      }
      #expect(error?.code == .cannotWrite)
      #expect(error?.message.contains("the store is not replaced") == true)
      #expect(FileManager.default.fileExists(atPath: finished))
    }
  }

  @Test("A store whose replacement is missing stays as it is")
  func withoutReplacement() throws {
    let fixture = try StoreFixture(Models.league)
    try fixture.insert("Team", ["name": .text("a")])
    fixture.store.close()
    let files = StoreFiles(path: fixture.path, timeout: 1)
    let error = #expect(throws: StoreError.self) {
      try files.replace(byRenaming: fixture.path + ".missing")
    }
    #expect(error?.code == .cannotWrite && error?.path == fixture.path)
    #expect(error?.message.contains("cannot be renamed") == true)
    #expect(try RawDatabase.texts(fixture.path, "SELECT ZNAME FROM ZTEAM") == ["a"])
  }

  @Test("A file is not renamed to a place where a log remains that cannot be removed")
  func remainingLog() throws {
    let folder = try StoreFixture.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("Store.sqlite").path
    let files = StoreFiles(path: path, timeout: 1)
    let finished = files.unfinishedPath
    try Data("new".utf8).write(to: URL(fileURLWithPath: finished))
    // A folder with the log's name: not even the superuser can unlink it.
    try FileManager.default.createDirectory(
      atPath: path + "-wal",
      withIntermediateDirectories: false
    )
    let error = #expect(throws: StoreError.self) { try files.replace(byRenaming: finished) }
    #expect(error?.code == .cannotWrite)
    #expect(error?.message.contains("Store.sqlite-wal") == true)
    #expect(FileManager.default.fileExists(atPath: finished))
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test("The folder of a place that does not exist is shared with no store")
  func missing() {
    #expect(!ValueFolder(store: "/nonexistent-\(UUID())/Store.sqlite").isShared)
  }
}
