// SPDX-License-Identifier: Apache-2.0

/// A kind of store that coordinators open; raw values are Apple's store types.
///
/// A new kind is a case here. The compiler names what depends on the kind.
enum StoreKind: String, CaseIterable {
  case sqlite = "SQLite"
  case inMemory = "InMemory"

  /// The kind of a store type.
  ///
  /// - Throws: `NSPersistentStoreInvalidTypeError`, naming the types that there are.
  init(type: String) throws {
    guard let kind = StoreKind(rawValue: type) else {
      throw coreDataError(
        NSPersistentStoreInvalidTypeError,
        "There is no store type “\(type)”; use "
          + Self.allCases.map(\.rawValue).joined(separator: " or ") + "."
      )
    }
    self = kind
  }

  /// Whether a store of the kind lives and ends with its coordinator, whatever its URL.
  var isInMemory: Bool {
    switch self {
    case .sqlite: false
    case .inMemory: true
    }
  }

  /// Whether a store of the kind is a database that `StoreFiles` destroys, replaces and copies.
  var isDatabase: Bool {
    switch self {
    case .sqlite: true
    case .inMemory: false
    }
  }
}
