// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// An error of a store; the shell turns it into an `NSError` with Apple's domain and code.
package struct StoreError: Error, CustomStringConvertible {
  /// The kind of an error; it is open, so that later stores can add kinds.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
    /// The file cannot be opened or created.
    ///
    /// Apple: 134080 or a file error.
    package static let cannotOpen = Code(rawValue: "cannotOpen")
    /// The file is not an SQLite database, is damaged, or is not a Core Data store.
    package static let corrupt = Code(rawValue: "corrupt")
    /// The store was created with another model.
    ///
    /// Apple: 134100.
    package static let incompatibleModel = Code(rawValue: "incompatibleModel")
    /// A row's version is not the expected version.
    ///
    /// Apple: 133020.
    package static let conflict = Code(rawValue: "conflict")
    /// A uniqueness constraint is violated.
    ///
    /// Apple: 133021.
    package static let constraint = Code(rawValue: "constraint")
    /// A row lacks a mandatory value; the message is the property's name.
    ///
    /// Apple: 1570.
    package static let missingValue = Code(rawValue: "missingValue")
    /// A delete rule forbids a deletion.
    ///
    /// Apple: 1600.
    package static let denied = Code(rawValue: "denied")
    /// Another process kept the lock for longer than the timeout.
    ///
    /// Apple: 134090.
    package static let busy = Code(rawValue: "busy")
    package static let readOnly = Code(rawValue: "readOnly")
    /// A file beside the database exists but cannot be read.
    ///
    /// Apple: 256.
    package static let cannotRead = Code(rawValue: "cannotRead")
    /// The disk is full or the file cannot be written.
    package static let cannotWrite = Code(rawValue: "cannotWrite")
    package static let closed = Code(rawValue: "closed")
    /// The request uses a property that the entity does not have, or a feature that the store does not have.
    package static let invalidRequest = Code(rawValue: "invalidRequest")
    /// The store cannot express the request; `RowOrigin.divided` returns the part that the caller must
    /// perform.
    package static let inexpressible = Code(rawValue: "inexpressible")
    /// The caller cancelled the request before it was finished.
    ///
    /// Apple: 3072, user cancelled.
    package static let cancelled = Code(rawValue: "cancelled")
    /// Any other failure of SQLite.
    package static let engine = Code(rawValue: "engine")
  }

  package var code: Code
  package var message: String
  /// SQLite's extended result code.
  package var engineCode: Int32?
  package var path: String?
  /// The text of the statement that failed, without its values.
  package var statement: String?
  /// The keys of the rows in conflict; empty for errors that do not concern certain rows.
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
  }
}
