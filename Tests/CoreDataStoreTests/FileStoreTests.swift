// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

@Suite("Files of stores")
struct FileStoreTests {
  private static func fixtures() throws -> [FileStoreFixture] {
    try FileStoreConformanceTests.formats.map(FileStoreFixture.init)
  }

  @Test("A new store has a file at once, and its objects and metadata come back")
  func reopening() throws {
    for fixture in try Self.fixtures() {
      let store = try fixture.open()
      #expect(FileManager.default.fileExists(atPath: fixture.path))
      try fixture.fill(store)
      try store.setMetadata(StoreMetadata(["mine": " two\nlines ", "flag": true, "n": [1, 2.5]]))
      let image = try StoreImage(store)
      let reserved = try store.reserveKeys(for: [0])[0]
      store.close()
      let again = try fixture.open()
      #expect(try StoreImage(again) == image)
      #expect(again.identifier == store.identifier)
      let metadata = try again.metadata()
      #expect(metadata.values["mine"] as? String == " two\nlines ")
      #expect(metadata.values["flag"] as? Bool == true)
      #expect((metadata.values["n"] as? [Any])?.count == 2)
      #expect(metadata.type == fixture.format.type)
      #expect(metadata.versionHashes == ModelHashes(model: fixture.model).byEntity)
      // All objects of a file have different numbers, in every hierarchy.
      let keys = try again.reserveKeys(for: [0, 1, 2])
      #expect(Set(keys.map(\.number)).count == 3)
      #expect(keys.allSatisfy { $0.number >= reserved.number })
    }
  }

  @Test("An empty file is a new store; a missing one that is opened read-only is an error")
  func emptyFile() throws {
    for fixture in try Self.fixtures() {
      let missing = #expect(throws: StoreError.self) { try fixture.open { $0.isReadOnly = true } }
      #expect(missing?.code == .cannotOpen && missing?.path == fixture.path)
      try Data().write(to: URL(fileURLWithPath: fixture.path))
      try fixture.fill(try fixture.open())
      let store = try fixture.open { $0.isReadOnly = true }
      let error = #expect(throws: StoreError.self) { try fixture.fill(store) }
      #expect(error?.code == .readOnly)
      let metadata = #expect(throws: StoreError.self) { try store.setMetadata(StoreMetadata()) }
      #expect(metadata?.code == .readOnly)
    }
  }

  @Test("A store in a folder that does not exist, and a path of a folder, are errors")
  func wrongPaths() throws {
    for fixture in try Self.fixtures() {
      for path in ["/nowhere/at/all/Store", fixture.folder.path] {
        let error = #expect(throws: StoreError.self) {
          try FileStore(
            model: fixture.model,
            index: 0,
            format: fixture.format,
            options: FileStoreOptions(path: path)
          )
        }
        #expect(error?.code == .cannotOpen && error?.path == path)
      }
    }
  }

  @Test(
    "A file of another model is refused before its objects are read, unless versions are ignored"
  )
  func otherModel() throws {
    for fixture in try Self.fixtures() {
      try fixture.fill(try fixture.open())
      var team = EntityDraft(name: "Team")
      team.properties = [
        PropertyDraft(name: "name", kind: .attribute(AttributeDefinition(type: .string)))
      ]
      var draft = ModelDraft()
      draft.entities = [team]
      let model = try ModelDefinition(draft)
      let error = #expect(throws: StoreError.self) { try fixture.open(model: model) }
      #expect(error?.code == .incompatibleModel)
      #expect(error?.message.contains("Player") == true)
      let store = try fixture.open({ $0.ignoresModelVersions = true }, model: model)
      #expect(try !StoreImage.isEqual(store, MemoryStore(model: model, index: 1)))
    }
  }

  @Test("A file of the other format is refused with what it is")
  func otherFormat() throws {
    let fixtures = try Self.fixtures()
    for (fixture, other) in zip(fixtures, fixtures.reversed()) {
      try other.fill(try other.open())
      let data = try Data(contentsOf: URL(fileURLWithPath: other.path))
      try data.write(to: URL(fileURLWithPath: fixture.path))
      let error = #expect(throws: StoreError.self) { try fixture.open() }
      #expect(error?.code == .corrupt && error?.path == fixture.path)
      try FileManager.default.removeItem(atPath: fixture.path)
    }
  }

  @Test("A save after another program has written the file is refused and changes nothing")
  func otherWriter() throws {
    for fixture in try Self.fixtures() {
      let first = try fixture.open()
      let second = try fixture.open()
      try fixture.fill(first)
      let error = #expect(throws: StoreError.self) { try fixture.fill(second) }
      #expect(error?.code == .changedElsewhere && error?.path == fixture.path)
      #expect(try StoreImage.isEqual(try fixture.open(), first))
      #expect(try !StoreImage.isEqual(second, first))
      // The other store saves again.
      try fixture.fill(first)
      // A file that was deleted is written anew.
      try FileManager.default.removeItem(atPath: fixture.path)
      try fixture.fill(first)
      #expect(try StoreImage.isEqual(try fixture.open(), first))
    }
  }

  @Test("Where the body of a save throws, nothing is written")
  func failingBody() throws {
    struct Failure: Error {}
    for fixture in try Self.fixtures() {
      let store = try fixture.open()
      let before = try StoreImage(store)
      var batch = SaveBatch()
      batch.inserts = [try fixture.insert("Tag", [:], 1)]
      #expect(throws: Failure.self) {
        try store.save(batch) { throw Failure() }
      }
      #expect(try StoreImage(store) == before)
      #expect(try StoreImage(try fixture.open()) == before)
      let files = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path)
      #expect(files == ["Store"])
    }
  }

  @Test(
    "Whichever step of writing fails, file and store have the old content, and the next save works"
  )
  func failingSteps() throws {
    for fixture in try Self.fixtures() {
      let store = try fixture.open()
      try fixture.fill(store)
      for number in 0... {
        let before = try StoreImage(store)
        let count = Mutex(0)
        let failure = StoreError(.cannotWrite, "step \(number)")
        let isDone = try AtomicFile.$beforeStep.withValue({ _ in
          let isHit = count.withLock { count in
            defer { count += 1 }
            return count == number
          }
          if isHit { throw failure }
        }) { () -> Bool in
          do {
            try fixture.fill(store, teams: 1)
            return true
          } catch let error as StoreError where error.code == .cannotWrite {
            return false
          }
        }
        let read = try StoreImage(try fixture.open())
        #expect(try StoreImage(store) == read)
        if isDone {
          #expect(read != before)
          // The last step is that of the folder, whose failure is no failure of the save.
          if count.withLock({ $0 }) <= number { break }
        } else {
          #expect(read == before)
        }
        #expect(number < 20)
      }
      let files = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path)
      #expect(files == ["Store"])
    }
  }

  @Test("A save keeps the permissions of a file, and a symbolic link to it")
  func attributes() throws {
    for fixture in try Self.fixtures() {
      let target = fixture.folder.appendingPathComponent("Target").path
      let made = try fixture.open()
      made.close()
      try FileManager.default.moveItem(atPath: fixture.path, toPath: target)
      try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: target)
      try FileManager.default.createSymbolicLink(
        atPath: fixture.path,
        withDestinationPath: target
      )
      try fixture.fill(try fixture.open())
      let attributes = try FileManager.default.attributesOfItem(atPath: target)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o640)
      #expect(
        try FileManager.default.destinationOfSymbolicLink(atPath: fixture.path) == target
      )
      #expect(try !StoreImage(try fixture.open()).isEmpty)
    }
  }

  @Test("A working file that a process left behind is removed by the next save, one in use is not")
  func abandoned() throws {
    let fixture = try FileStoreFixture(XMLStoreFormat())
    let store = try fixture.open()
    let left = fixture.folder.appendingPathComponent(".Store.saving-left").path
    try Data([1]).write(to: URL(fileURLWithPath: left))
    let other = try AtomicFile(path: fixture.path).prepare(Data([2]))
    #expect(!FileManager.default.fileExists(atPath: left))
    try fixture.fill(store)
    let files = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path)
    #expect(files.count == 2)
    other.discard()
  }
}

extension StoreImage {
  var isEmpty: Bool { self == StoreImage() }
  private init() {}
}
