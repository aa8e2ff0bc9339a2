// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataSQLite
import _CoreDataStore

@Suite("Places for a store")
struct StorePlaceTests {
  @Test("Nothing, an empty file and a store are places for a store; another file is not")
  func places() throws {
    let fixture = try StoreFixture(Models.league)
    func require(_ name: String) throws {
      let path = fixture.folder.appendingPathComponent(name).path
      try StoreFiles(path: path, timeout: 1).requireStoreOrNothing()
    }
    try require("Nothing.sqlite")
    try require("Nowhere/Nothing.sqlite")
    try require("Store.sqlite")
    try Data().write(to: fixture.folder.appendingPathComponent("Empty.sqlite"))
    try require("Empty.sqlite")
    try Data("text".utf8).write(to: fixture.folder.appendingPathComponent("Text.sqlite"))
    #expect(throws: StoreError.self) { try require("Text.sqlite") }
  }

  @Test("A path whose file cannot be inspected is not nothing, and the error names the cause")
  func uninspectable() throws {
    let folder = try StoreFixture.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    // A link to itself: not even the superuser, whom no permission stops, can inspect what it leads to.
    let loop = folder.appendingPathComponent("Loop.sqlite").path
    try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
    let long = folder.appendingPathComponent(String(repeating: "n", count: 300)).path
    for path in [loop, long] {
      let error = #expect(throws: StoreError.self) {
        try StoreFiles(path: path, timeout: 1).requireStoreOrNothing()
      }
      #expect(error?.code == .cannotOpen)
      #expect(error?.message.contains("cannot be inspected") == true, "\(error?.message ?? "")")
    }
  }
}
