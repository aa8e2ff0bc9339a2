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

  /// What Swift alone knows, and no archive can hold.
  private struct Plain { let number = 1 }

  /// An object of a class that no archive can hold.
  private final class Unarchivable: NSObject {}

  /// An object that codes itself, of a class that Foundation's archiver has no name for.
  private final class Nested: ArchivedColour {}

  @Test("A value that no archive can hold is set and read, and refused by the save with a reason")
  func unarchivable() throws {
    try withFile { file in
      let context = try stack(nil, at: file)
      try context.performAndWait {
        for value in [Plain(), Unarchivable(), Nested("red"), [Nested("red")]] as [Any] {
          let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
          note.setValue(value, forKey: "body")
          #expect(note.value(forKey: "body") != nil)
          let error = #expect(throws: NSError.self) { try context.save() }
          #expect(error?.code == NSManagedObjectValidationError)
          #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "body")
          #expect(error?.localizedDescription.contains("\(type(of: value))") == true)
          note.setValue(["a": 1], forKey: "body")
          try context.save()
          note.setValue(value, forKey: "body")
          #expect(throws: NSError.self) { try context.save() }
          context.delete(note)
          try context.save()
        }
      }
    }
  }

  @Test("A value for which its transformer has no data is refused with the transformer's name")
  func untransformable() throws {
    ValueTransformer.setValueTransformer(Mirror(), forName: .init("MirrorOfStrings"))
    try withFile { file in
      let context = try stack("MirrorOfStrings", at: file)
      let error = #expect(throws: NSError.self) { try insert(["no": "text"], context) }
      #expect(error?.code == NSManagedObjectValidationError)
      #expect(error?.localizedDescription.contains("'MirrorOfStrings' returns no data") == true)
    }
  }

  @Test("An object of a class that archives hold is set and saved without a transformer")
  func archivable() throws {
    try withFile { file in
      let context = try stack(nil, at: file)
      try context.performAndWait {
        let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
        note.setValue(ArchivedColour("red"), forKey: "body")
        #expect((note.value(forKey: "body") as? ArchivedColour)?.name == "red")
        try context.save()
      }
      #expect(try stored(file) != nil)
    }
  }

  @Test("A registered transformer makes the bytes, and the object of them")
  func named() throws {
    let name = NSValueTransformerName("Mirror-\(UUID().uuidString)")
    ValueTransformer.setValueTransformer(Mirror(), forName: name)
    defer { ValueTransformer.setValueTransformer(nil, forName: name) }
    #expect(ValueTransformer.valueTransformerNames().contains(name))
    #expect(ValueTransformer(forName: name) is Mirror && Mirror(forName: name) != nil)
    #expect(ValueTransformer(forName: name) === ValueTransformer.named(name))
    #expect(NSSecureUnarchiveFromDataTransformer(forName: name) == nil)
    #expect(ValueTransformer(forName: NSValueTransformerName("nothing")) == nil)
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

  @Test("Collections of every ordinary value come back, and Foundation reads their archives")
  func everyOrdinaryValue() throws {
    let page = try #require(URL(string: "https://example.org/a"))
    let value: [String: Any] = [
      "decimals": [Decimal(string: "1.25") as Any, NSDecimalNumber(value: 3)], "flag": true,
      "ordered": NSOrderedSet(array: ["b", "a"]), "set": Set([Int8(4)]), "float": Float(0.5),
      "page": page, "number": UUID(), "at": Date(timeIntervalSinceReferenceDate: 5),
      "data": Data([1]), "nothing": NSNull(), "nested": [[["deep": [1, 2.5]]]],
    ]
    try withFile { file in
      try insert(value, stack(nil, at: file))
      let context = try stack(nil, at: file)
      let read = try context.performAndWait { () throws -> [String: Any] in
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        let object = try context.fetch(request).first?.value(forKey: "body")
        return try #require(object as? [String: Any])
      }
      #expect(Set(read.keys) == Set(value.keys))
      #expect((read["decimals"] as? [NSDecimalNumber])?.map(\.stringValue) == ["1.25", "3"])
      #expect((read["ordered"] as? NSOrderedSet)?.array as? [String] == ["b", "a"])
      #expect(read["set"] as? NSSet == NSSet(array: [4]))
      for key in ["flag", "float", "page", "number", "at", "data", "nothing"] {
        #expect(
          NSDictionary(dictionary: [key: read[key] as Any])
            == NSDictionary(dictionary: [key: value[key] as Any]),
          "\(key)"
        )
      }
      let deep = ((read["nested"] as? [Any])?.first as? [Any])?.first as? [String: Any]
      #expect(deep?["deep"] as? [Double] == [1, 2.5])
    }
    // Foundation's own unarchiver stops at decimals, so these are left out.
    let plain = value.filter { $0.key != "decimals" && $0.key != "ordered" }
    try withFile { file in
      try insert(plain, stack(nil, at: file))
      guard case .blob(let data)? = try stored(file) else {
        Issue.record("no bytes")
        return
      }
      let classes: [AnyClass] = [
        NSDictionary.self, NSArray.self, NSSet.self, NSString.self, NSNumber.self, NSURL.self,
        NSUUID.self, NSDate.self, NSData.self, NSNull.self,
      ]
      let read = try NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: data)
      #expect((read as? [String: Any]).map { Set($0.keys) } == Set(plain.keys))
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

/// An object that archives hold.
class ArchivedColour: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  let name: String
  init(_ name: String) { self.name = name }
  required init?(coder: NSCoder) {
    name = coder.decodeObject(of: NSString.self, forKey: "name").map { "\($0)" } ?? ""
  }
  func encode(with coder: NSCoder) { coder.encode(NSString(string: name), forKey: "name") }
}
