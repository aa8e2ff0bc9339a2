// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

/// Opens or creates the store described by an application's type, URL and options.
package struct StoreOpener {
  let type: String
  let url: URL?
  let options: [AnyHashable: Any]
  let model: ModelDefinition
  let index: Int
  /// The names of the entities in the configuration; nil for the whole model.
  var entities: Set<String>?
  /// Whether the model was reconstructed from the store's own tables.
  var isModelReconstructed = false
  /// The coordinator's model; nil if stores of other models are not migrated.
  var shell: NSManagedObjectModel?
  /// The name of the configuration; nil for the whole model.
  var configuration: String?
  var statements = StatementObserver()

  /// Opens the store, or creates it if it does not exist.
  ///
  /// - Throws: `NSPersistentStoreInvalidTypeError` for an unknown type; `NSPersistentStoreOpenError` for a
  ///   store without a file URL, unless its type is InMemory or PostgreSQL; `NSPersistentStoreOperationError`
  ///   if the value of the option for the staged migration manager is not an `NSStagedMigrationManager`, or if
  ///   the options request history for an XML or binary store; the errors of the store and of a migration.
  func open() throws -> any RowStore {
    do {
      switch try StoreKind(type: type) {
      case .inMemory: return MemoryStore(model: model, index: index)
      case .sqlite: return try openSQLite()
      case .binary: return try openFile(BinaryStoreFormat())
      case .xml: return try openFile(XMLStoreFormat())
      #if PostgreSQL
      case .postgreSQL: return try openPostgreSQL()
      #endif
      }
    } catch let error as StoreError {
      throw cocoaError(error)
    }
  }

  /// Returns the URL of the store's file; `kind` and `remedy` are parts of the error for an invalid URL.
  private func fileURL(_ kind: String, _ remedy: String) throws -> URL {
    guard let url else {
      throw coreDataError(
        NSPersistentStoreOpenError,
        "\(kind) requires a file URL, but the URL is nil. \(remedy)"
      )
    }
    guard url.isFileURL else {
      throw coreDataError(
        NSPersistentStoreOpenError,
        "\(kind) requires a file URL, but \(url.withoutPassword) is not a file URL. "
          + "Create the URL with URL(fileURLWithPath:)."
      )
    }
    return url
  }

  private func openFile(_ format: any StoreFileFormat) throws -> any RowStore {
    let url = try fileURL(
      "A store of the type \(format.type)",
      "Pass the URL of the store's file."
    )
    if url.path == NSPersistentStoreDescription.memory.path {
      throw coreDataError(
        NSPersistentStoreOpenError,
        "A store of the type \(format.type) requires the URL of a file, but \(url.path) is not a regular file. Use "
          + "the type \(NSInMemoryStoreType) for a store in memory."
      )
    }
    if flag(NSPersistentHistoryTrackingKey) {
      throw coreDataError(
        NSPersistentStoreOperationError,
        "A store of the type \(format.type) cannot have a persistent history. Leave out the option "
          + "\(NSPersistentHistoryTrackingKey), or use the type \(NSSQLiteStoreType)."
      )
    }
    let file = fileOptions(url)
    do {
      return try FileStore(model: model, index: index, format: format, options: file)
    } catch let error as StoreError where error.code == .incompatibleModel {
      guard let shell, flag(NSMigratePersistentStoresAutomaticallyOption),
        options[NSPersistentStoreStagedMigrationManagerOptionKey] == nil
      else { throw error }
      try FileStoreMigration(format: format, options: file, shell: shell, model: model)
        .run { automaticMigration($0, shell) }
      return try FileStore(model: model, index: index, format: format, options: file)
    }
  }

  func fileOptions(_ url: URL) -> FileStoreOptions {
    var options = FileStoreOptions(path: url.path)
    options.isReadOnly = isModelReconstructed || flag(NSReadOnlyPersistentStoreOption)
    options.ignoresModelVersions =
      isModelReconstructed || flag(NSIgnorePersistentStoreVersioningOption)
    options.entities = entities
    return options
  }

  private func openSQLite() throws -> any RowStore {
    let url = try fileURL(
      "An SQLite store",
      "Pass the URL of the store's file, or /dev/null for a store in memory."
    )
    var settings = settings(url)
    let staged = try stagedMigration(StagedFile(settings: settings))
    try staged?.finishInterrupted()
    let resources = MigrationResources()
    // The shared connection stays open until the store is open; `MigrationResources` describes why.
    defer { resources.close() }
    let shared = staged == nil ? resources : nil
    let target = flag(NSMigratePersistentStoresAutomaticallyOption) ? shell : nil
    settings.namesDifferences = target == nil
    let store: SQLiteStore
    do {
      store = try SQLiteStore(model: model, index: index, options: settings, shared: shared)
    } catch let error as StoreError where error.code == .incompatibleModel {
      guard let target else { throw error }
      if let staged {
        try staged.run()
      } else {
        try automaticMigration(settings, target, shared).run()
      }
      settings.namesDifferences = true
      store = try SQLiteStore(model: model, index: index, options: settings, shared: shared)
    }
    if !settings.isReadOnly {
      StoreFiles(path: settings.path, timeout: 0).removeAbandonedWork()
    }
    if store.isReadOnly, !settings.isReadOnly {
      Diagnostics.note(
        "the store at \(url.path) is opened read-only, because it has a history and the option "
          + "NSPersistentHistoryTrackingKey is not true. Set the option to true to write to the store."
      )
    }
    return store
  }

  func automaticMigration(
    _ settings: SQLiteStoreOptions,
    _ shell: NSManagedObjectModel,
    _ shared: MigrationResources? = nil
  ) -> AutomaticMigration {
    AutomaticMigration(
      settings: settings,
      shared: shared,
      model: model,
      shell: shell,
      options: options,
      infersMapping: flag(NSInferMappingModelAutomaticallyOption),
      chainsVersions: flag(ChainedMigrationOption),
      givenMapping: options[Self.mappingModelOption] as? NSMappingModel,
      associations: options[Self.associationsOption] as? MappingAssociations
    )
  }

  /// Returns a staged migration with the manager in the options; nil if the options contain no manager, or if
  /// the store may not be migrated.
  ///
  /// - Throws: `NSPersistentStoreOperationError` if the option's value is not an `NSStagedMigrationManager`.
  func stagedMigration(_ store: any StagedStore) throws -> StagedMigration? {
    guard let value = options[NSPersistentStoreStagedMigrationManagerOptionKey],
      flag(NSMigratePersistentStoresAutomaticallyOption), let shell
    else { return nil }
    guard let manager = value as? NSStagedMigrationManager else {
      throw StagedErrors.noManager(value, path: store.place)
    }
    let specification = StoreSpecification(
      type: type,
      configuration: configuration,
      url: url,
      options: options
    )
    return StagedMigration(
      manager: manager,
      specification: specification,
      store: store,
      model: shell
    )
  }

  func settings(_ url: URL) -> SQLiteStoreOptions {
    var settings = Self.settings(of: options, at: url, isReadOnly: isModelReconstructed)
    if isModelReconstructed { settings.ignoresModelVersions = true }
    settings.entities = entities
    settings.observer = statements
    return settings
  }

  static func settings(
    of options: [AnyHashable: Any],
    at url: URL,
    isReadOnly: Bool = false
  ) -> SQLiteStoreOptions {
    func flag(_ key: String) -> Bool { Self.flag(key, in: options) }
    var settings = SQLiteStoreOptions(path: url.path)
    settings.isReadOnly = isReadOnly || flag(NSReadOnlyPersistentStoreOption)
    settings.leavesNoTrace =
      settings.isReadOnly && (flag(Self.untouchedOption) || isOnReadOnlyMedium(url))
    settings.ignoresModelVersions = flag(NSIgnorePersistentStoreVersioningOption)
    if let timeout = (options[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue {
      settings.timeout = timeout
    }
    if let readers = (options[NSPersistentStoreConnectionPoolMaxSizeKey] as? NSNumber)?.intValue {
      settings.readers = max(1, readers)
    }
    settings.keepsValuesInRows = flag(Self.wholeValuesOption)
    settings.vacuums = flag(NSSQLiteManualVacuumOption)
    settings.analyzes = flag(NSSQLiteAnalyzeOption)
    settings.tracksHistory = flag(NSPersistentHistoryTrackingKey)
    settings.defersRemovals = flag(NSPersistentStoreDeferredLightweightMigrationOptionKey)
    settings.pragmas = pragmas(options)
    settings.log = (options[SQLDebugLogOption] as? SQLDebugLog ?? .launched)?.log
    return settings
  }

  /// Whether the store's folder is not writable, so that SQLite cannot create side files.
  private static func isOnReadOnlyMedium(_ url: URL) -> Bool {
    !FileManager.default.isWritableFile(atPath: url.deletingLastPathComponent().path)
  }

  /// The key of an internal option that opens a read-only store without creating side files.
  ///
  /// The option has no effect on a writable store.
  package static let untouchedOption = "CoreDataUntouchedStoreOption"

  /// The key of an internal option that stores values of any size in their rows instead of external storage,
  /// so that the store is a single file.
  package static let wholeValuesOption = "CoreDataWholeValuesOption"

  /// The key of an internal option whose value is the mapping model to migrate with.
  ///
  /// With this option, a migration does not search for mapping models.
  package static let mappingModelOption = "CoreDataMappingModelOption"

  /// The key of an internal option whose value is a `MappingAssociations`, which receives the associations of a
  /// migration with a mapping model.
  package static let associationsOption = "CoreDataMappingAssociationsOption"

  var postsRemoteChanges: Bool { flag(NSPersistentStoreRemoteChangeNotificationPostOptionKey) }

  func flag(_ key: String) -> Bool { Self.flag(key, in: options) }

  static func flag(_ key: String, in options: [AnyHashable: Any]) -> Bool {
    (options[key] as? NSNumber)?.boolValue ?? (options[key] as? Bool) ?? false
  }

  private static func pragmas(_ options: [AnyHashable: Any]) -> [String: String] {
    var pragmas: [String: String] = [:]
    if let given = options[NSSQLitePragmasOption] as? NSDictionary {
      for (name, value) in given { pragmas["\(name)"] = "\(value)" }
    } else if let given = options[NSSQLitePragmasOption] as? [AnyHashable: Any] {
      for (name, value) in given { pragmas["\(name.base)"] = "\(value)" }
    }
    return pragmas
  }

  static func alreadyAdded(_ url: URL, remedy: String) -> NSError {
    coreDataError(
      NSPersistentStoreOperationError,
      "The store at \(url.isFileURL ? url.path : url.withoutPassword) has already been added to this "
        + "coordinator. \(remedy)"
    )
  }
}
