// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

/// A store with its model, ready to be read or written by a command.
package final class OpenedStore {
  package let path: String
  package let loaded: LoadedModel
  package let coordinator: NSPersistentStoreCoordinator
  package let store: NSPersistentStore
  package var model: ModelDefinition { loaded.definition }
  package var rows: any RowStore { store.rows }

  /// Opens a store that is there, so that nothing changes unless `isWritable`.
  ///
  /// - Throws: `StoreError`, `ModelError`, `ToolError`, errors of `NSCocoaErrorDomain`.
  package convenience init(_ url: URL, model: URL?, isWritable: Bool = false) throws {
    let file = try StoreFile(path: url.path, access: .untouched)
    try self.init(
      url,
      loaded: ModelOpening.model(for: file, model: model),
      isWritable: isWritable
    )
  }

  /// Opens a store with a model that is known to fit, or makes it where it is writable and missing.
  ///
  /// With `keepsValuesInRows` large values get no files of their own.
  package init(
    _ url: URL,
    loaded: LoadedModel,
    isWritable: Bool,
    keepsValuesInRows: Bool = false
  ) throws {
    path = url.path
    self.loaded = loaded
    if isWritable, loaded.source.isReconstructed {
      throw ToolError(
        "\(loaded.origin): the store keeps no copy of its model, and one made of its tables is only "
          + "good for reading",
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
    // What has a history keeps it.
    if isWritable, try Self.hasHistory(url) { options[NSPersistentHistoryTrackingKey] = true }
    // The store's own copy fits it, whatever its hashes say, and a configuration was found to.
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

  private static func hasHistory(_ url: URL) throws -> Bool {
    guard FileManager.default.fileExists(atPath: url.path) else { return false }
    return try StoreFile(path: url.path, access: .untouched).hasHistory()
  }

  /// A new context on the store, for use in `performAndWait`.
  package func newContext() -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    context.undoManager = nil
    return context
  }

  /// The entity of that name.
  ///
  /// - Throws: `ToolError` with the nearest name.
  package func entity(named name: String) throws -> EntityDefinition {
    try model.entity(namedOrSuggested: name)
  }
}

extension ModelDefinition {
  /// The entity of that name, in any capitals where only one fits; else the one that had the name before
  /// it was renamed, as files of the old version call it.
  ///
  /// - Throws: `ToolError` with the nearest name.
  package func entity(namedOrSuggested name: String) throws -> EntityDefinition {
    if let entity = entity(named: name) { return entity }
    let folded = entities.filter { $0.name.lowercased() == name.lowercased() }
    if folded.count == 1 { return folded[0] }
    let renamed = entities.filter { $0.renamingIdentifier == name }
    if renamed.count == 1 { return renamed[0] }
    throw ToolError(
      "there is no entity “\(name)”",
      hint: Suggestion.text(for: name, among: entities.map(\.name))
    )
  }
}

extension EntityDefinition {
  /// The property of that name, else the only one that had the name before it was renamed.
  package func property(namedNowOrBefore name: String) -> PropertyDefinition? {
    if let property = property(named: name) { return property }
    let renamed = properties.filter { $0.renamingIdentifier == name }
    return renamed.count == 1 ? renamed[0] : nil
  }

  /// The property of that name.
  ///
  /// - Throws: `ToolError` with the nearest name.
  package func property(namedOrSuggested name: String) throws -> PropertyDefinition {
    if let property = property(named: name) { return property }
    throw ToolError(
      "\(self.name) has no property “\(name)”",
      hint: Suggestion.text(for: name, among: properties.map(\.name))
    )
  }
}
