// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation
import Testing
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataTools

@Suite("Stores that were made with a configuration of a model")
struct ConfigurationStoreTests {
  private static let entities = """
    <entity name="Note">
      <attribute name="text" optional="YES" attributeType="String"/>
      <relationship name="place" optional="YES" maxCount="1" deletionRule="Nullify"
          destinationEntity="Place" inverseName="notes" inverseEntity="Place"/>
      <fetchedProperty name="drafts" optional="YES">
        <fetchRequest name="fetchedPropertyFetchRequest" entity="Draft"/>
      </fetchedProperty>
    </entity>
    <entity name="Place">
      <attribute name="name" optional="YES" attributeType="String"/>
      <relationship name="notes" optional="YES" toMany="YES" deletionRule="Nullify"
          destinationEntity="Note" inverseName="place" inverseEntity="Note"/>
    </entity>
    <entity name="Draft"><attribute name="text" optional="YES" attributeType="String"/></entity>
    """
  private static let configurations = """
    <configuration name="Cloud"><memberEntity name="Note"/><memberEntity name="Place"/></configuration>
    <configuration name="Local"><memberEntity name="Draft"/></configuration>
    """
  private static let later = """
    <entity name="Album"><attribute name="title" optional="YES" attributeType="String"/></entity>
    <fetchRequest name="all" entity="Album"/>
    """

  /// A folder with the store of a configuration, and the later model with an entity more.
  private func world() throws -> (library: Library, store: URL, model: URL) {
    let old = "<model>\(Self.entities)\(Self.configurations)</model>"
    let library = try Library(model: old)
    let model = library.folder.appendingPathComponent("Later.xcdatamodel")
    try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
    try Data("<model>\(Self.entities)\(Self.later)\(Self.configurations)</model>".utf8)
      .write(to: model.appendingPathComponent("contents"))
    let store = library.folder.appendingPathComponent("Cloud.sqlite")
    let coordinator = NSPersistentStoreCoordinator(
      managedObjectModel: NSManagedObjectModel(draft: library.loaded.draft)
    )
    let added = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType,
      configurationName: "Cloud",
      at: store
    )
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      let place = NSEntityDescription.insertNewObject(forEntityName: "Place", into: context)
      place.setValue("Ulm", forKey: "name")
      let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
      note.setValue("a", forKey: "text")
      note.setValue(place, forKey: "place")
      try context.save()
    }
    try coordinator.remove(added)
    return (library, store, model)
  }

  @Test("The configuration that fits is found, and nothing of the others counts")
  func fit() throws {
    let (library, store, model) = try world()
    defer { library.remove() }
    let hashes = try StoreFile(path: store.path, access: .untouched).metadata().versionHashes
    #expect(Set(hashes.keys) == ["Note", "Place"])
    let loaded = try ModelOpening.load(model)
    let fit = StoreFit(of: loaded.definition, to: hashes)
    #expect(fit.configuration == "Cloud" && fit.differences == [])
    var changed = hashes
    changed["Place"] = Data(count: 32)
    let nearest = StoreFit(of: loaded.definition, to: changed)
    #expect(nearest.configuration == "Cloud" && nearest.differences == ["Place: changed"])
    let whole = StoreFit(
      of: library.loaded.definition,
      to: ModelHashes(model: library.loaded.definition).byEntity
    )
    #expect(whole.configuration == nil && whole.differences == [])
    let foreign = StoreFit(of: loaded.definition, to: ["Other": Data(count: 32)])
    #expect(foreign.differences.contains("Other: removed (only the store has it)"))
  }

  @Test("It opens with a later model, is read, examined and written to")
  func opens() throws {
    let (library, store, model) = try world()
    defer { library.remove() }
    let opened = try OpenedStore(store, model: model)
    #expect(opened.loaded.configuration == "Cloud")
    #expect(opened.model.entities.map(\.name) == ["Note", "Place"])
    let exporter = Exporter(opened, keys: try NaturalKeys(opened.model))
    #expect(try exporter.count(of: exporter.order(nil)) == 2)
    opened.rows.close()
    let file = try StoreFile(path: store.path, access: .untouched)
    #expect(try Doctor(file, ModelOpening.model(for: file, model: model)).examine().isEmpty)
    #expect(try Treatment(path: store.path, model: opened.model).repair(backup: nil).isEmpty)

    let records = library.folder.appendingPathComponent("in.ndjson")
    let lines =
      #"{"$entity":"Note","text":"b","place":{"$id":"1"}}"# + "\n"
      + #"{"$entity":"Place","$id":"1","name":"Bonn"}"#
    try Data(lines.utf8).write(to: records)
    let before = try file.metadata().versionHashes
    let writable = try OpenedStore(store, model: model, isWritable: true)
    defer { writable.rows.close() }
    let report = try Importer(
      writable,
      file: RecordFile(records, format: nil, entity: nil),
      keys: NaturalKeys(writable.model),
      options: Importer.Options()
    ).run()
    #expect(report.inserted == 2)
    #expect(try file.metadata().versionHashes == before)
    let error = #expect(throws: ToolError.self) { try writable.entity(named: "Album") }
    #expect(error?.message == "there is no entity “Album”")
  }
}
