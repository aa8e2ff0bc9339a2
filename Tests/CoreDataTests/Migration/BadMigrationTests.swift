// SPDX-License-Identifier: Apache-2.0

import CoreData
import Synchronization
import Testing
import _CoreDataModel

/// Models that cannot follow one another, and stores in unusual states.
@Suite struct BadMigrationTests {
  /// A case: the attributes before and after, and what the error must name.
  static let renamings: [(name: String, old: String, new: String, named: [String])] = {
    func attribute(_ name: String, _ type: String, _ identifier: String? = nil) -> String {
      let renaming = identifier.map { "elementID=\"\($0)\"" } ?? ""
      return "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"\(type)\" \(renaming)/>"
    }
    let two = attribute("a", "String") + attribute("b", "Date")
    return [
      (
        "a swap", two, attribute("a", "Date", "b") + attribute("b", "String", "a"),
        ["E.b: the renaming identifiers form a cycle: a → b → a"]
      ),
      (
        "a cycle of three", two + attribute("c", "Double"),
        attribute("a", "Double", "c") + attribute("b", "String", "a") + attribute("c", "Date", "b"),
        ["the renaming identifiers form a cycle: a → b → c → a"]
      ),
      (
        "two renamed from one", two, attribute("c", "String", "a") + attribute("d", "String", "a"),
        ["E.d: “c” and “d” both match “a” of the old model"]
      ),
      (
        "a name that stays and one renamed from it", two,
        attribute("a", "String") + attribute("d", "String", "a"),
        ["“a” and “d” both match “a” of the old model"]
      ),
      (
        "several obstacles", two,
        "<attribute name=\"a\" optional=\"YES\" attributeType=\"Date\"/>"
          + "<attribute name=\"c\" attributeType=\"Date\"/>",
        [
          "E.a: an inferred mapping cannot convert the existing values from String to Date",
          "E.c: the property is mandatory and has no default value for existing rows",
        ]
      ),
    ]
  }()

  @Test(
    "Renaming identifiers that contradict each other are named, and the store stays",
    arguments: 0..<5
  )
  func renaming(_ number: Int) throws {
    let kind = Self.renamings[number]
    func draft(_ body: String) throws -> ModelDraft {
      try InferredMigrationTests.draft("<entity name=\"E\">\(body)</entity>")
    }
    let file = try MigratedFile()
    try file.open(draft(kind.old)) { context, _ in
      NSEntityDescription.insertNewObject(forEntityName: "E", into: context)
        .setValue("x", forKey: "a")
      try context.save()
    }
    let before = try SQLFile(url: file.url).content()
    let error = #expect(throws: NSError.self) { try file.migrate(to: draft(kind.new)) }
    #expect(error?.code == NSMigrationMissingMappingModelError)
    let reason = error?.localizedFailureReason ?? ""
    for text in kind.named { #expect(reason.contains(text), "\(kind.name): \(reason)") }
    let underlying = error?.userInfo[NSUnderlyingErrorKey] as? NSError
    #expect(underlying?.code == NSInferredMappingModelError)
    #expect(try SQLFile(url: file.url).content() == before)
    #expect(try file.content(draft(kind.old)).objects.count == 1)
  }

  private static let old = InferredMigrationTests.team
  private static let new = InferredMigrationTests.team + #"<entity name="Cup"/>"#

  private func filled() throws -> MigratedFile {
    let file = try MigratedFile()
    try file.open(InferredMigrationTests.draft(Self.old)) { context, _ in
      NSEntityDescription.insertNewObject(forEntityName: "Team", into: context)
        .setValue("A", forKey: "name")
      try context.save()
    }
    return file
  }

  @Test("A log that a program left behind is part of the store")
  func leftLog() throws {
    let file = try filled()
    try SQLFile.leaveLog(
      file.url,
      "INSERT INTO ZTEAM(Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES(7, 1, 1, 'logged')",
      at: URL(fileURLWithPath: file.url.path + "-wal")
    )
    let draft = try InferredMigrationTests.draft(Self.new)
    try file.migrate(to: draft)
    let names = try file.content(draft).objects.values.compactMap { $0.values["name"] }
    #expect(names.sorted() == ["A", "logged"])
  }

  @Test("Of two coordinators that add an old store at once one migrates it, and both have it")
  func atOnce() throws {
    for _ in 0..<8 {
      let file = try filled()
      let failures = Mutex<[String]>([])
      DispatchQueue.concurrentPerform(iterations: 2) { _ in
        do {
          try file.migrate(to: InferredMigrationTests.draft(Self.new))
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
      }
      #expect(failures.withLock { $0 } == [])
      #expect(try file.content(InferredMigrationTests.draft(Self.new)).objects.count == 1)
    }
  }

  @Test("A store that another program is writing to is waited for, and then named in the error")
  func busy() throws {
    let file = try filled()
    let before = try SQLFile(url: file.url).content()
    try file.open(InferredMigrationTests.draft(Self.old)) { _, _ in
      let lock = try WriteLock(of: file.url)
      let error = #expect(throws: NSError.self) {
        try file.migrate(
          to: InferredMigrationTests.draft(Self.new),
          options: [NSPersistentStoreTimeoutOption: 0.2 as NSNumber]
        )
      }
      #expect(error?.code == NSPersistentStoreTimeoutError)
      #expect(error?.userInfo[NSFilePathErrorKey] as? String == file.url.path)
      lock.release()
    }
    #expect(try SQLFile(url: file.url).content() == before)
    try file.migrate(to: InferredMigrationTests.draft(Self.new))
  }
}
