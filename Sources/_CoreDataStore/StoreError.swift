// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// An error of a store; the module CoreData converts it to an `NSError` with Apple's domain and code.
package struct StoreError: Error, CustomStringConvertible {
  /// The kind of a store error.
  ///
  /// This is a struct, not an enum, so that new kinds do not break exhaustive switches.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
    /// The file cannot be opened or created.
    ///
    /// Apple: 134080.
    package static let cannotOpen = Code(rawValue: "cannotOpen")
    /// The file is not an SQLite database, is damaged, or is not a Core Data store.
    package static let corrupt = Code(rawValue: "corrupt")
    /// The store was created with an incompatible model.
    ///
    /// Apple: 134100.
    package static let incompatibleModel = Code(rawValue: "incompatibleModel")
    /// Another connection has migrated the store to another model since it was opened.
    ///
    /// Apple: 134100.
    package static let migratedMeanwhile = Code(rawValue: "migratedMeanwhile")
    /// The store cannot be migrated to another model.
    ///
    /// Apple: 134110.
    package static let migration = Code(rawValue: "migration")
    /// During a migration, rows violate a uniqueness constraint of the new model.
    ///
    /// Apple: 134111.
    package static let migrationConstraint = Code(rawValue: "migrationConstraint")
    /// A row that a save writes or checks does not exist or has an unexpected version, or a row that a save
    /// inserts already exists.
    ///
    /// Apple: 133020.
    package static let conflict = Code(rawValue: "conflict")
    /// Another program or coordinator has changed the file of an atomic store since the store last read or
    /// wrote it.
    ///
    /// Apple: 134030.
    package static let changedElsewhere = Code(rawValue: "changedElsewhere")
    /// A uniqueness constraint is violated.
    ///
    /// Apple: 133021.
    package static let constraint = Code(rawValue: "constraint")
    /// A row of a batch insert lacks a mandatory value; the message is the property's name.
    ///
    /// Apple: 1570.
    package static let missingValue = Code(rawValue: "missingValue")
    /// A Deny delete rule prevents a deletion.
    ///
    /// Apple: 1600.
    package static let denied = Code(rawValue: "denied")
    /// Another connection held a lock until the timeout, or has the file open while an operation needs
    /// exclusive access.
    ///
    /// Apple: 134090.
    package static let busy = Code(rawValue: "busy")
    /// The store was opened read-only, or SQLite reports that its file is read-only.
    package static let readOnly = Code(rawValue: "readOnly")
    /// A file or folder of external storage exists but cannot be read.
    ///
    /// Apple: 256.
    package static let cannotRead = Code(rawValue: "cannotRead")
    /// The disk is full, a file of the store cannot be written, or SQLite reports an I/O error.
    package static let cannotWrite = Code(rawValue: "cannotWrite")
    /// The store was closed, usually because it was removed from its coordinator.
    package static let closed = Code(rawValue: "closed")
    /// The request is invalid.
    ///
    /// For example, it uses a property that the entity does not have, or it begins a write to the store
    /// inside another write on the same thread.
    package static let invalidRequest = Code(rawValue: "invalidRequest")
    /// The store cannot express the request, for example in SQL.
    ///
    /// If the request is a fetch, `RowOrigin.divided` splits it into a part for the store and a part for the
    /// caller.
    package static let inexpressible = Code(rawValue: "inexpressible")
    /// The caller cancelled the request.
    ///
    /// Apple: 3072, user cancelled.
    package static let cancelled = Code(rawValue: "cancelled")
    /// Any other SQLite error, or an in-memory store that has run out of primary keys.
    package static let engine = Code(rawValue: "engine")
  }

  package var code: Code
  package var message: String
  /// SQLite's extended result code; nil if the error does not come from SQLite.
  package var engineCode: Int32?
  /// The SQLSTATE that a PostgreSQL server has reported; nil if the error does not come from such a server.
  package var serverCode: String?
  package var path: String?
  /// The SQL text of the statement that failed, without bound values.
  package var statement: String?
  /// The keys of the conflicting or duplicate rows; empty for other errors, and if the keys are unknown.
  package var keys: [ObjectKey]

  package init(
    _ code: Code,
    _ message: String,
    engineCode: Int32? = nil,
    path: String? = nil,
    statement: String? = nil,
    keys: [ObjectKey] = []
  ) {
    self.code = code
    self.message = message
    self.engineCode = engineCode
    self.path = path
    self.statement = statement
    self.keys = keys
  }

  package var description: String {
    message + (path.map { " (\($0))" } ?? "") + (engineCode.map { " [SQLite \($0)]" } ?? "")
      + (serverCode.map { " [SQLSTATE \($0)]" } ?? "")
  }
}
