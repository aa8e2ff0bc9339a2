// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation
import _CoreDataModel
import _CoreDataSQL
import _CoreDataSQLite
import _CoreDataTools

/// A small store with every kind of relationship, in a folder of its own.
struct Library {
  let folder: URL
  let loaded: LoadedModel
  var path: String { folder.appendingPathComponent("Library.sqlite").path }

  static let xml = """
    <?xml version="1.0" encoding="UTF-8"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
      <entity name="Person" isAbstract="YES">
        <attribute name="name" attributeType="String"/>
        <uniquenessConstraints><uniquenessConstraint><constraint value="name"/>
        </uniquenessConstraint></uniquenessConstraints>
      </entity>
      <entity name="Author" parentEntity="Person">
        <attribute name="born" optional="YES" attributeType="Date"/>
        <relationship name="books" optional="YES" toMany="YES" ordered="YES"
          deletionRule="Cascade" destinationEntity="Book" inverseName="author"
          inverseEntity="Book"/>
        <relationship name="profile" optional="YES" maxCount="1" destinationEntity="Profile"
          inverseName="author" inverseEntity="Profile"/>
      </entity>
      <entity name="Reader" parentEntity="Person"/>
      <entity name="Profile">
        <attribute name="text" optional="YES" attributeType="String"/>
        <attribute name="photo" optional="YES" attributeType="Binary"
          allowsExternalBinaryDataStorage="YES"/>
        <relationship name="author" optional="YES" maxCount="1" destinationEntity="Author"
          inverseName="profile" inverseEntity="Author"/>
      </entity>
      <entity name="Book">
        <attribute name="isbn" attributeType="String"/>
        <attribute name="title" attributeType="String"/>
        <attribute name="price" optional="YES" attributeType="Decimal"/>
        <attribute name="pages" optional="YES" attributeType="Integer 32"/>
        <attribute name="cover" optional="YES" attributeType="Binary"/>
        <relationship name="author" optional="YES" maxCount="1" destinationEntity="Person"/>
        <relationship name="tags" optional="YES" toMany="YES" destinationEntity="Tag"
          inverseName="books" inverseEntity="Tag"/>
        <uniquenessConstraints><uniquenessConstraint><constraint value="isbn"/>
        </uniquenessConstraint></uniquenessConstraints>
      </entity>
      <entity name="Tag">
        <attribute name="label" attributeType="String"/>
        <relationship name="books" optional="YES" toMany="YES" destinationEntity="Book"
          inverseName="tags" inverseEntity="Book"/>
      </entity>
    </model>
    """
    // The author's inverse is in the sub-entity.
    .replacingOccurrences(
      of: #"<relationship name="author" optional="YES" maxCount="1" destinationEntity="Person"/>"#,
      with: #"<relationship name="author" optional="YES" maxCount="1" destinationEntity="Author""#
        + #" inverseName="books" inverseEntity="Author"/>"#
        + #"<relationship name="editor" optional="YES" maxCount="1" destinationEntity="Person"/>"#
    )

  /// No store, but a model and a folder for some.
  init(model xml: String) throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("coredata-tools-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let draft = try ModelFile.draft(xml: Data(xml.utf8), file: "Model.contents")
    loaded = try LoadedModel(draft: draft, name: "Model", origin: "Model.contents")
  }

  /// Two authors with two books each, a reader who edits, a profile each, and two tags.
  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("coredata-tools-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let draft = try ModelFile.draft(xml: Data(Self.xml.utf8), file: "Library.contents")
    loaded = try LoadedModel(draft: draft, name: "Library", origin: "Library.contents")
    let opened = try OpenedStore(URL(fileURLWithPath: path), loaded: loaded, isWritable: true)
    let context = opened.newContext()
    try context.performAndWait {
      func make(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
      }
      let tags = ["new", "old"].map { make("Tag", ["label": $0]) }
      let reader = make("Reader", ["name": "Rita"])
      for (number, name) in ["Ann", "Ben"].enumerated() {
        let author = make(
          "Author",
          ["name": name, "born": Date(timeIntervalSinceReferenceDate: Double(number) * 86_400.5)]
        )
        author.setValue(make("Profile", ["text": "of \(name)"]), forKey: "profile")
        let books = (1...2).map { copy in
          make(
            "Book",
            [
              "isbn": "\(name)-\(copy)", "title": "Book, \"\(copy)\" of \(name)",
              "price": NSDecimalNumber(string: "12.\(copy)5"), "pages": 100 * copy,
              "cover": Data([UInt8(copy), 0, 255]), "editor": reader, "tags": NSSet(array: tags),
            ]
          )
        }
        author.setValue(NSOrderedSet(array: books), forKey: "books")
      }
      try context.save()
    }
    opened.store.rows.close()
  }

  /// The store's history, a line a transaction: the author and what happened; makes one where there is
  /// none.
  func history() throws -> [String] {
    let coordinator = NSPersistentStoreCoordinator(
      managedObjectModel: NSManagedObjectModel(draft: loaded.draft)
    )
    let store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType,
      configurationName: nil,
      at: URL(fileURLWithPath: path),
      options: [NSPersistentHistoryTrackingKey: true]
    )
    defer { store.rows.close() }
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
    request.resultType = .transactionsAndChanges
    let result = try context.execute(request) as? NSPersistentHistoryResult
    return (result?.result as? [NSPersistentHistoryTransaction] ?? []).map { transaction in
      let changes = (transaction.changes ?? []).map { change in
        let names = (change.updatedProperties ?? []).map(\.name).sorted()
        let kind = ["insert", "update", "delete"][change.changeType.rawValue]
        return ([kind, change.changedObjectID.entity.name ?? ""] + names).joined(separator: " ")
      }
      return "\(transaction.author ?? "-"): \(changes.sorted().joined(separator: ", "))"
    }
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  /// Changes the file behind the library's back.
  func plant(_ statements: String...) throws {
    for statement in statements {
      let file = try StoreFile(path: path, access: .readWrite)
      _ = try file.execute(statement)
    }
  }

  func examine() throws -> [Finding] {
    try Doctor(StoreFile(path: path, access: .untouched), model: loaded.definition).examine()
  }

  func rows(_ statement: String) throws -> [[Binding]] {
    try StoreFile(path: path, access: .untouched).rows(statement)
  }
}
