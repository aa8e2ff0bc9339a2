// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

#if PostgreSQL
import _CoreDataPostgres
#endif

/// A store that a command has opened, and its model.
package final class OpenedStore {
  package let path: String
  package let loaded: LoadedModel
  package let coordinator: NSPersistentStoreCoordinator
  package let store: NSPersistentStore
  package var model: ModelDefinition { loaded.definition }
  package var rows: any RowStore { store.rows }

  /// Opens an existing store.
  ///
  /// If `isWritable` is false, the store is opened read-only, and no file is changed or created.
  /// - Throws: `StoreError`, `ModelError`, `ToolError`, errors of `NSCocoaErrorDomain`.
  package convenience init(_ url: URL, model: URL?, isWritable: Bool = false) throws {
    #if PostgreSQL
    if url.isDatabaseServer {
      try self.init(database: url, model: model, isWritable: isWritable)
      return
    }
    #else
    if url.isDatabaseServer { throw Self.noPostgreSQL(url) }
    #endif
    if isWritable {
      _ = try StoreFiles(path: url.path, timeout: 5).rollBackUnfinishedTransaction()
    }
    let file = try StoreFile(path: url.path, access: .untouched)
    try self.init(
      url,
      loaded: ModelOpening.model(for: file, model: model),
      isWritable: isWritable
    )
  }

  /// Opens a store with a matching model; creates the store if it does not exist and `isWritable` is true.
  ///
  /// If `keepsValuesInRows` is true, large values are stored in rows instead of external files.
  /// - Throws: `ToolError` if `isWritable` is true and the model was reconstructed from tables; `StoreError`
  ///   and errors of `NSCocoaErrorDomain`.
  package init(
    _ url: URL,
    loaded: LoadedModel,
    isWritable: Bool,
    keepsValuesInRows: Bool = false
  ) throws {
    path = url.path
    self.loaded = loaded
    if isWritable, let reason = loaded.source.reasonForReconstruction {
      throw ToolError(
        "\(loaded.origin): \(reason), and a model that is reconstructed from the store's tables is "
          + "sufficient only for reading",
        hint: "Pass the model with --model MODEL.xcdatamodeld (or .momd)."
      )
    }
    let model = NSManagedObjectModel(draft: loaded.draft)
    model.isReconstructed = loaded.source.isReconstructed
    model.isForTools = true
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    var options: [AnyHashable: Any] = [:]
    if !isWritable {
      options[NSReadOnlyPersistentStoreOption] = true
      options[StoreOpener.untouchedOption] = true
    }
    if keepsValuesInRows { options[StoreOpener.wholeValuesOption] = true }
    // Without history tracking, a store with persistent history would be opened read-only.
    if isWritable, try Self.hasHistory(url) { options[NSPersistentHistoryTrackingKey] = true }
    // The version hashes are not checked again: a model from the store's cache always matches the store, and
    // a model is restricted only to a configuration that matches the store.
    if loaded.source == .storeCache || loaded.configuration != nil {
      options[NSIgnorePersistentStoreVersioningOption] = true
    }
    store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType,
      configurationName: nil,
      at: url,
      options: options
    )
  }

  /// Opens a store of any type; `place` is its path, or its URL without the password.
  init(
    _ url: URL,
    type: NSPersistentStore.StoreType,
    _ place: String,
    loaded: LoadedModel,
    options: [AnyHashable: Any]
  ) throws {
    path = place
    self.loaded = loaded
    let model = NSManagedObjectModel(draft: loaded.draft)
    model.isForTools = true
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    store = try coordinator.addPersistentStore(type: type, at: url, options: options)
  }

  /// Opens an existing store of any type for reading.
  ///
  /// - Throws: `ToolError` for an XML or binary store without a model; `StoreError`, `ModelError`, errors of
  ///   `NSCocoaErrorDomain`.
  convenience init(_ location: StoreLocation, model: URL?) throws {
    if location.type == .sqlite || location.type == .postgreSQL {
      try self.init(location.url, model: model)
      return
    }
    guard let model else {
      throw ToolError(
        "\(location.text): an XML or binary store has no copy of its model",
        hint: "Pass the model with --model MODEL.xcdatamodeld (or .momd)."
      )
    }
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      type: location.type,
      at: location.url
    )
    let loaded = try ModelOpening.version(
      of: model,
      for: StoreMetadata(metadata).versionHashes
    )
    try self.init(location, loaded: loaded)
  }

  /// Opens an existing store of any type for reading, with its model.
  ///
  /// - Throws: errors of `NSCocoaErrorDomain`.
  convenience init(_ location: StoreLocation, loaded: LoadedModel) throws {
    if location.type == .sqlite {
      try self.init(location.url, loaded: loaded, isWritable: false)
    } else {
      try self.init(
        location.url,
        type: location.type,
        location.text,
        loaded: loaded,
        options: [NSReadOnlyPersistentStoreOption: true]
      )
    }
  }

  /// Opens the store in a database for writing; creates it if it does not exist and there is a model.
  ///
  /// - Throws: as `init(_:model:isWritable:)`.
  package convenience init(database url: URL, createdWith model: URL?) throws {
    #if PostgreSQL
    let options = PostgresStoreOptions(address: try PostgresAddress(url.absoluteString))
    guard let model, try !PostgresStore.exists(options) else {
      try self.init(database: url, model: model, isWritable: true)
      return
    }
    try self.init(
      url,
      type: .postgreSQL,
      options.address.description,
      loaded: ModelOpening.load(model),
      options: [:]
    )
    #else
    throw Self.noPostgreSQL(url)
    #endif
  }

  /// Returns the error for the URL of a database where the trait is off.
  package static func noPostgreSQL(_ url: URL) -> ToolError {
    ToolError(
      "\(url.withoutPassword): this program was built without the trait PostgreSQL",
      hint: "Build it with `swift build -c release --traits Command,PostgreSQL --product coredata`."
    )
  }

  private static func hasHistory(_ url: URL) throws -> Bool {
    guard FileManager.default.fileExists(atPath: url.path),
      try !StoreFile.hasNoTables(url.path)
    else { return false }
    return try StoreFile(path: url.path, access: .untouched).hasHistory()
  }

  /// Returns a new private-queue context without an undo manager.
  package func newContext() -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    context.undoManager = nil
    return context
  }

  /// Calls `ModelDefinition.entity(namedOrSuggested:)` on the store's model.
  ///
  /// - Throws: the errors of that method.
  package func entity(named name: String) throws -> EntityDefinition {
    try model.entity(namedOrSuggested: name)
  }
}

extension ModelDefinition {
  /// Returns the entity named `name`.
  ///
  /// If there is no such entity, returns the only entity whose name differs only in case, or else the only
  /// entity whose renaming identifier is `name`.
  /// - Throws: `ToolError` if no entity or several entities match; the error suggests names.
  package func entity(namedOrSuggested name: String) throws -> EntityDefinition {
    if let entity = entity(named: name) { return entity }
    let folded = entities.filter { $0.name.lowercased() == name.lowercased() }
    if folded.count == 1 { return folded[0] }
    let renamed = entities.filter { $0.renamingIdentifier == name }
    if renamed.count == 1 { return renamed[0] }
    if folded.count > 1 {
      let names = folded.map(\.name).joined(separator: ", ")
      throw ToolError(
        "there is no entity “\(name)”, and several names differ from it only in case: \(names)",
        hint: "Write one of these names."
      )
    }
    if renamed.count > 1 {
      let names = renamed.map(\.name).joined(separator: ", ")
      throw ToolError(
        "there is no entity “\(name)”, and several entities have this renaming identifier: \(names)",
        hint: "Write the name of one of these entities."
      )
    }
    throw ToolError(
      "there is no entity “\(name)”",
      hint: Suggestion.text(for: name, among: entities.map(\.name))
    )
  }
}

extension EntityDefinition {
  /// Returns the property named `name` or, if there is no such property, the only property whose renaming
  /// identifier is `name`.
  ///
  /// Returns nil if no property or several properties have this renaming identifier.
  package func property(namedNowOrBefore name: String) -> PropertyDefinition? {
    if let property = property(named: name) { return property }
    let renamed = properties.filter { $0.renamingIdentifier == name }
    return renamed.count == 1 ? renamed[0] : nil
  }

  /// Returns the property named `name`.
  ///
  /// - Throws: `ToolError` if there is no such property; the hint suggests known names.
  package func property(namedOrSuggested name: String) throws -> PropertyDefinition {
    if let property = property(named: name) { return property }
    throw ToolError(
      "\(self.name) has no property “\(name)”",
      hint: Suggestion.text(for: name, among: properties.map(\.name))
    )
  }
}
