// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataSQLite
import _CoreDataStore

@Suite("Temporary folders")
struct TemporaryFolderTests {
  @Test("A folder that no process has locked is removed when the next one is created")
  func abandoned() throws {
    let fixture = try TemporaryFolder("coredata-test", for: "the test")
    defer { fixture.remove() }
    let manager = FileManager.default
    let left = fixture.url.appendingPathComponent("copy-\(UUID().uuidString)/deep")
    try manager.createDirectory(at: left, withIntermediateDirectories: true)
    let other = fixture.url.appendingPathComponent("copy-of-mine")
    try manager.createDirectory(at: other, withIntermediateDirectories: true)
    let first = try TemporaryFolder("copy", for: "the first", in: fixture.url)
    let second = try TemporaryFolder("copy", for: "the second", in: fixture.url)
    let names = try manager.contentsOfDirectory(atPath: fixture.url.path)
    #expect(
      Set(names)
        == ["copy-of-mine", first.url.lastPathComponent, second.url.lastPathComponent]
    )
    first.remove()
    first.remove()
    #expect(!manager.fileExists(atPath: first.url.path))
    #expect(manager.fileExists(atPath: second.url.path))
  }

  @Test("A parent folder that is missing is named, with the purpose")
  func missingParent() throws {
    let parent = URL(fileURLWithPath: "/missing/folder")
    let error = #expect(throws: StoreError.self) {
      try TemporaryFolder("copy", for: "the copy for the rehearsal", in: parent)
    }
    #expect(error?.path == "/missing/folder" && error?.code == .cannotWrite)
    #expect(error?.message.contains("a folder for the copy for the rehearsal") == true)
  }

  @Test("A finished file is moved only to a path without a file")
  func moved() throws {
    let folder = try TemporaryFolder("coredata-test", for: "the test")
    defer { folder.remove() }
    let inner = try TemporaryFolder("copy", for: "the copy", in: folder.url)
    let place = folder.url.appendingPathComponent("finished").path
    for content in ["first", "second"] {
      try Data(content.utf8).write(to: inner.url.appendingPathComponent("file"))
      #expect(try inner.move("file", to: place) == (content == "first"))
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: place)) == Data("first".utf8))
  }
}
