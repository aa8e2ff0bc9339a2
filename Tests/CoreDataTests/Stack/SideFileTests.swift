// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Side files that were created while the database was read-only.
@Suite("Read-only side files")
struct SideFileTests {
  private func mode(_ path: String) throws -> Int {
    let values = try FileManager.default.attributesOfItem(atPath: path)
    return (values[.posixPermissions] as? NSNumber)?.intValue ?? 0
  }

  @Test("Side files get the write permissions of the database when the store is added")
  func madeWritable() throws {
    let stack = try LibraryStack()
    let url = try #require(try stack.store.url)
    let coordinator = stack.container.persistentStoreCoordinator
    try coordinator.remove(stack.store)
    for suffix in ["-wal", "-shm"] {
      // SQLite itself changes the permissions of empty files.
      try Data(count: 32_768).write(to: URL(fileURLWithPath: url.path + suffix))
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o444],
        ofItemAtPath: url.path + suffix
      )
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: url.path)
    let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
    for suffix in ["-wal", "-shm"] {
      #expect(try mode(url.path + suffix) & 0o200 != 0, "\(suffix)")
    }
    let context = stack.container.newBackgroundContext()
    try context.performAndWait {
      NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
        .setValue("new", forKey: "name")
      try context.save()
    }
    try coordinator.remove(store)
  }
}
