// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

/// Opens or makes the store that an application's type, place and options describe.
package struct StoreOpener {
  let type: String
  let url: URL?
  let options: [AnyHashable: Any]
  let model: ModelDefinition
  let index: Int
  /// Names of a configuration's entities; nil for the whole model.
  var entities: Set<String>?
  /// Whether the model was guessed from the store's own tables.
  var isModelReconstructed = false
  let statements = StatementObserver()

  /// - Throws: errors of `NSCocoaErrorDomain`, naming the file and the way out.
  func open() throws -> any RowStore {
    do {
      switch try StoreKind(type: type) {
      case .inMemory: return MemoryStore(model: model, index: index)
      case .sqlite: return try openSQLite()
      }
    } catch let error as StoreError {
      throw cocoaError(error)
    }
  }

  private func openSQLite() throws -> any RowStore {
    guard let url else {
      throw coreDataError(NSPersistentStoreOpenError, "An SQLite store needs a URL.")
    }
    guard url.isFileURL else {
      throw coreDataError(
        NSPersistentStoreOpenError,
        "\(url.absoluteString) is no file URL; an SQLite store is a file."
      )
    }
    for (option, feature) in Self.unsupported where flag(option) {
      throw coreDataError(
        NSPersistentStoreOperationError,
        "The option \(option) asks for \(feature), which this version does not have; remove it. "
          + "See DEVIATIONS.md."
      )
    }
    var settings = SQLiteStoreOptions(path: url.path)
    settings.isReadOnly = flag(NSReadOnlyPersistentStoreOption) || isModelReconstructed
    settings.leavesNoTrace =
      settings.isReadOnly && (flag(Self.untouchedOption) || isOnReadOnlyMedium(url))
    settings.ignoresModelVersions =
      flag(NSIgnorePersistentStoreVersioningOption) || isModelReconstructed
    if let timeout = (options[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue {
      settings.timeout = timeout
    }
    if let readers = (options[NSPersistentStoreConnectionPoolMaxSizeKey] as? NSNumber)?.intValue {
      settings.readers = max(1, readers)
    }
    settings.entities = entities
    settings.keepsValuesInRows = flag(Self.wholeValuesOption)
    settings.vacuums = flag(NSSQLiteManualVacuumOption)
    settings.analyzes = flag(NSSQLiteAnalyzeOption)
    settings.tracksHistory = flag(NSPersistentHistoryTrackingKey)
    settings.pragmas = pragmas
    settings.observer = statements
    settings.log = (options[SQLDebugLogOption] as? SQLDebugLog ?? .launched)?.log
    let store = try SQLiteStore(model: model, index: index, options: settings)
    if store.isReadOnly, !settings.isReadOnly {
      Diagnostics.note(
        "the store at \(url.path) has a history, which would miss what is written now: it is opened "
          + "for reading only. Add it with NSPersistentHistoryTrackingKey to write to it."
      )
    }
    return store
  }

  /// An engine in write-ahead mode cannot make its files there.
  private func isOnReadOnlyMedium(_ url: URL) -> Bool {
    !FileManager.default.isWritableFile(atPath: url.deletingLastPathComponent().path)
  }

  /// With `NSReadOnlyPersistentStoreOption`: nothing may appear beside the file; for tools.
  package static let untouchedOption = "CoreDataUntouchedStoreOption"

  /// Values of any size are written into their rows, so that the store is one file; for tools.
  package static let wholeValuesOption = "CoreDataWholeValuesOption"

  /// Options whose promise would not be kept; ignoring them in silence would mislead.
  private static let unsupported = [
    (NSPersistentStoreDeferredLightweightMigrationOptionKey, "deferred migration")
  ]

  /// Whether every write to the store is to be told.
  var postsRemoteChanges: Bool { flag(NSPersistentStoreRemoteChangeNotificationPostOptionKey) }

  private func flag(_ key: String) -> Bool {
    (options[key] as? NSNumber)?.boolValue ?? (options[key] as? Bool) ?? false
  }

  private var pragmas: [String: String] {
    var pragmas: [String: String] = [:]
    if let given = options[NSSQLitePragmasOption] as? NSDictionary {
      for (name, value) in given { pragmas["\(name)"] = "\(value)" }
    } else if let given = options[NSSQLitePragmasOption] as? [AnyHashable: Any] {
      for (name, value) in given { pragmas["\(name.base)"] = "\(value)" }
    }
    return pragmas
  }

  static func alreadyAdded(_ url: URL) -> NSError {
    coreDataError(
      NSPersistentStoreOperationError,
      "The coordinator has the store at \(url.path) already; add it once."
    )
  }
}
