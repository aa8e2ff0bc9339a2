// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataSQLite

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

  @Test("The folder of a place that does not exist is shared with no store")
  func missing() {
    #expect(!ValueFolder(store: "/nonexistent-\(UUID())/Store.sqlite").isShared)
  }
}
