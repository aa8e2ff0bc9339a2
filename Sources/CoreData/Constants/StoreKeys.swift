// SPDX-License-Identifier: Apache-2.0

// Store types, and keys of a store’s metadata.
// Source: documented (the constants), observed (their values, in Z_METADATA).

/// The type of Apple's binary stores, which this library does not support; adding such a store throws
/// `NSPersistentStoreInvalidTypeError` (134000).
public let NSBinaryStoreType = "Binary"
/// A store in memory.
///
/// Its data is lost when the store is removed from its coordinator or the coordinator is released.
public let NSInMemoryStoreType = "InMemory"
/// Metadata: the oldest operating system versions that can open the store; never set by this library.
public let NSPersistentStoreOSCompatibility = "NSPersistentStoreOSCompatibility"
/// A store in an SQLite file.
public let NSSQLiteStoreType = "SQLite"
/// The type of Apple's XML stores, which this library does not support; adding such a store throws
/// `NSPersistentStoreInvalidTypeError` (134000).
public let NSXMLStoreType = "XML"
/// Metadata: the version hashes of the model's entities, 32 bytes each, by entity name.
public let NSStoreModelVersionHashesKey = "NSStoreModelVersionHashes"
/// Metadata: the model’s version identifiers.
public let NSStoreModelVersionIdentifiersKey = "NSStoreModelVersionIdentifiers"
/// Metadata: the store type.
public let NSStoreTypeKey = "NSStoreType"
/// Metadata: the store’s UUID, in upper case.
public let NSStoreUUIDKey = "NSStoreUUID"
/// Metadata: the model’s checksum in base64.
public let NSPersistentStoreModelVersionChecksumKey = "NSStoreModelVersionChecksumKey"

extension NSPersistentStore {
  /// The type of a store; raw values are those of `NSSQLiteStoreType` and the related constants.
  ///
  /// Source: documented, “NSPersistentStore.StoreType”.
  public struct StoreType: Hashable, RawRepresentable, Sendable {
    /// The type's name, as stored in the metadata of stores of this type.
    public let rawValue: String
    /// Creates a type with any raw value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A store in an SQLite file.
    public static let sqlite = StoreType(rawValue: NSSQLiteStoreType)
    /// A store in memory.
    ///
    /// Its data is lost when the store is removed from its coordinator or the coordinator is released.
    public static let inMemory = StoreType(rawValue: NSInMemoryStoreType)
    /// The type of Apple's binary stores, which this library does not support; adding such a store throws
    /// `NSPersistentStoreInvalidTypeError` (134000).
    public static let binary = StoreType(rawValue: NSBinaryStoreType)
    /// The type of Apple's XML stores, which this library does not support; adding such a store throws
    /// `NSPersistentStoreInvalidTypeError` (134000).
    public static let xml = StoreType(rawValue: NSXMLStoreType)
  }
}
