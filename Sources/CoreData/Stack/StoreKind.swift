// SPDX-License-Identifier: Apache-2.0

import _CoreDataStore

/// A kind of store that coordinators open; raw values are Apple's store types.
///
/// For a new kind, add a case. The compiler then reports each place that depends on the kind.
enum StoreKind: String, CaseIterable {
  case sqlite = "SQLite"
  case inMemory = "InMemory"
  case binary = "Binary"
  case xml = "XML"
  #if PostgreSQL
  case postgreSQL = "PostgreSQL"
  #endif

  init(type: String) throws {
    guard let kind = StoreKind(rawValue: type) else {
      if type == NSPersistentStore.StoreType.postgreSQL.rawValue {
        throw coreDataError(
          NSPersistentStoreInvalidTypeError,
          "The store type “\(type)” is not part of this program. Enable the trait PostgreSQL of the package "
            + "swift-coredata, install libpq, and build again."
        )
      }
      throw coreDataError(
        NSPersistentStoreInvalidTypeError,
        "The store type “\(type)” is not supported. The supported types are "
          + (Self.allCases.map(\.rawValue) + StoreClasses.types).joined(separator: ", ")
          + ". For another type, register a class with registerStoreClass(_:type:)."
      )
    }
    self = kind
  }

  /// Whether stores of this kind lose their content when they are removed from their coordinator, even if
  /// they have a URL.
  var isInMemory: Bool {
    switch self {
    case .sqlite, .binary, .xml: false
    case .inMemory: true
    #if PostgreSQL
    case .postgreSQL: false
    #endif
    }
  }

  /// Whether a store of this kind is in a file.
  var isInFile: Bool { isDatabase || format != nil }

  /// Whether a store of this kind is a database that `StoreFiles` destroys, replaces and copies.
  var isDatabase: Bool {
    switch self {
    case .sqlite: true
    case .inMemory, .binary, .xml: false
    #if PostgreSQL
    case .postgreSQL: false
    #endif
    }
  }

  /// The format of a store that is read and written as a whole; nil for other stores.
  var format: (any StoreFileFormat)? {
    switch self {
    case .sqlite, .inMemory: nil
    case .binary: BinaryStoreFormat()
    case .xml: XMLStoreFormat()
    #if PostgreSQL
    case .postgreSQL: nil
    #endif
    }
  }
}
