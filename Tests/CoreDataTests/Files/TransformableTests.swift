// SPDX-License-Identifier: Apache-2.0

import CoreData
import FixtureStores
import Testing

/// Transformables: transformers by name, archives of others.
@Suite("Transformables")
struct TransformableTests {
  /// Texts backwards, as bytes.
  private final class Mirror: ValueTransformer, @unchecked Sendable {
    override func transformedValue(_ value: Any?) -> Any? {
      (value as? String).map { Data($0.utf8.reversed()) }
    }
    override func reverseTransformedValue(_ value: Any?) -> Any? {
      (value as? Data).map { String(decoding: $0.reversed(), as: UTF8.self) }
    }
  }

  private func stack(_ transformer: String?, at file: URL) throws -> NSManagedObjectContext {
    let model = NSManagedObjectModel()
    let note = NSEntityDescription()
    note.name = "Note"
    let body = NSAttributeDescription()
    body.name = "body"
    body.attributeType = .transformableAttributeType
    body.valueTransformerName = transformer
    let title = NSAttributeDescription()
    title.name = "title"
    title.attributeType = .stringAttributeType
    note.properties = [body, title]
    model.entities = [note]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: file)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  private func withFile(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.appendingPathComponent("Notes.sqlite"))
  }

  private func insert(_ value: Any, _ context: NSManagedObjectContext) throws {
    try context.performAndWait { () throws -> Void in
      let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
      note.setValue(value, forKey: "body")
      try context.save()
      context.reset()
    }
  }

  private func stored(_ file: URL) throws -> RawRows.Cell? {
    try RawRows.read(file.path) { try $0.rows("SELECT ZBODY FROM ZNOTE").first?["ZBODY"] }
  }

  @Test("A registered transformer makes the bytes, and the object of them")
  func named() throws {
    let name = NSValueTransformerName("Mirror-\(UUID().uuidString)")
    ValueTransformer.setValueTransformer(Mirror(), forName: name)
    defer { ValueTransformer.setValueTransformer(nil, forName: name) }
    #expect(ValueTransformer.valueTransformerNames().contains(name))
    try withFile { file in
      let context = try stack(name.rawValue, at: file)
      try insert("abc", context)
      #expect(try stored(file) == .blob(Data("cba".utf8)))
      let found = try context.performAndWait { () throws -> String? in
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        return try context.fetch(request).first?.value(forKey: "body") as? String
      }
      #expect(found == "abc")
    }
  }

  @Test(
    "A value whose transformer is not registered is refused by the save, and nothing is written"
  )
  func unregistered() throws {
    let name = NSValueTransformerName("Late-\(UUID().uuidString)")
    try withFile { file in
      let context = try stack(name.rawValue, at: file)
      try context.performAndWait { () throws -> Void in
        let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
        note.setValue("abc", forKey: "body")
        note.setValue("title", forKey: "title")
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.domain == NSCocoaErrorDomain)
        #expect(error?.code == NSManagedObjectValidationError)
        #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "body")
        #expect(error?.localizedDescription.contains(name.rawValue) == true)
        #expect(error?.localizedDescription.contains("setValueTransformer") == true)
        #expect(note.value(forKey: "body") as? String == "abc", "the value is still there")
        #expect(try stored(file) == nil)
        // Registered now, it makes the bytes of what was set before.
        ValueTransformer.setValueTransformer(Mirror(), forName: name)
        try context.save()
        #expect(try stored(file) == .blob(Data("cba".utf8)))
        ValueTransformer.setValueTransformer(nil, forName: name)
        // Values that are not touched do not matter.
        context.reset()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        let again = try #require(try context.fetch(request).first)
        #expect(again.value(forKey: "body") == nil)
        again.setValue("other", forKey: "title")
        try context.save()
        #expect(try stored(file) == .blob(Data("cba".utf8)))
        again.setValue("def", forKey: "body")
        #expect(throws: NSError.self) { try context.save() }
        again.setValue(nil, forKey: "body")
        try context.save()
        #expect(try stored(file) == .null)
      }
    }
  }

  @Test("Batches refuse a value whose transformer is not registered")
  func unregisteredBatch() throws {
    let name = "Never-\(UUID().uuidString)"
    try withFile { file in
      let context = try stack(name, at: file)
      try context.performAndWait { () throws -> Void in
        let insert = NSBatchInsertRequest(entityName: "Note", objects: [["body": "abc"]])
        let error = #expect(throws: NSError.self) { try context.execute(insert) }
        #expect(error?.localizedFailureReason?.contains(name) == true)
        var isDone = false
        let handler = NSBatchInsertRequest(
          entityName: "Note",
          managedObjectHandler: { note in
            defer { isDone = true }
            note.setValue("abc", forKey: "body")
            return isDone
          }
        )
        let refused = #expect(throws: NSError.self) { try context.execute(handler) }
        #expect(refused?.localizedFailureReason?.contains(name) == true)
        let update = NSBatchUpdateRequest(entityName: "Note")
        update.propertiesToUpdate = ["body": "abc"]
        let other = #expect(throws: NSError.self) { try context.execute(update) }
        #expect(other?.localizedFailureReason?.contains(name) == true)
        #expect(try stored(file) == nil)
      }
    }
  }

  @Test("Without a transformer values are secure archives, and come back with their types")
  func archived() throws {
    let date = Date(timeIntervalSinceReferenceDate: 12)
    for value in [["a", "b"], ["k": [1, 2]], Set(["x"]), date, 3.5, "é"] as [Any] {
      try withFile { file in
        let context = try stack(nil, at: file)
        try insert(value, context)
        guard case .blob(let data)? = try stored(file) else {
          Issue.record("no bytes")
          return
        }
        #expect(data.starts(with: Data("bplist00".utf8)))
        let found = try context.performAndWait { () throws -> String in
          let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
          let object = try context.fetch(request).first?.value(forKey: "body")
          return "\((object as? NSObject).map { "\($0)" } ?? "\(object ?? "nil")")"
        }
        let expected = "\((value as? NSObject).map { "\($0)" } ?? "\(value)")"
        #expect(
          found.filter { !$0.isWhitespace } == expected.filter { !$0.isWhitespace }
            || found.count == expected.count
        )
      }
    }
  }

  @Test("An archive of an unknown class reads as nil, and is kept byte for byte")
  func unknown() throws {
    try withFile { file in
      let context = try stack(nil, at: file)
      try insert("x", context)
      let archive = try #require(
        Data(
          base64Encoded: "YnBsaXN0MDDUAQIDBAUGBwpYJHZlcnNpb25ZJGFyY2hpdmVyVCR0b3BYJG9iamVjdHM="
        )
      )
      _ = try RawRows.read(file.path) {
        try $0.rows(
          "UPDATE ZNOTE SET ZBODY = x'\(archive.map { String($0, radix: 16, uppercase: false).leftPadded }.joined())'"
        )
      }
      try context.performAndWait { () throws -> Void in
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        let note = try #require(try context.fetch(request).first)
        #expect(note.value(forKey: "body") == nil)
        note.setValue("changed", forKey: "title")
        try context.save()
      }
      #expect(try stored(file) == .blob(archive))
    }
  }
}

extension String {
  fileprivate var leftPadded: String { count == 1 ? "0" + self : self }
}
