// SPDX-License-Identifier: Apache-2.0

// Store types, and keys of a store’s metadata.
// Source: documented (the constants), observed (their values, in Z_METADATA).

/// The type of Apple's binary stores, which this library does not support; adding such a store throws
/// `NSPersistentStoreInvalidTypeError` (134000).
public let NSBinaryStoreType = "Binary"
/// The type of a store in memory.
///
/// The data is lost when the store is removed from its coordinator or the coordinator is released.
public let NSInMemoryStoreType = "InMemory"
/// The metadata key for the oldest operating system versions that can open the store; never set by this
/// library.
public let NSPersistentStoreOSCompatibility = "NSPersistentStoreOSCompatibility"
/// The type of a store in an SQLite file.
public let NSSQLiteStoreType = "SQLite"
/// The type of Apple's XML stores, which this library does not support; adding such a store throws
/// `NSPersistentStoreInvalidTypeError` (134000).
public let NSXMLStoreType = "XML"
/// The metadata key for a dictionary from entity name to the entity's version hash, 32 bytes of data.
public let NSStoreModelVersionHashesKey = "NSStoreModelVersionHashes"
/// The metadata key for the model’s version identifiers, an array of strings.
public let NSStoreModelVersionIdentifiersKey = "NSStoreModelVersionIdentifiers"
/// The metadata key for the store's type, such as `NSSQLiteStoreType`.
public let NSStoreTypeKey = "NSStoreType"
/// The key for the store’s UUID, a string in upper case, in metadata and in remote change notifications.
public let NSStoreUUIDKey = "NSStoreUUID"
/// The metadata key for the model’s checksum, a string in base64.
public let NSPersistentStoreModelVersionChecksumKey = "NSStoreModelVersionChecksumKey"

extension NSPersistentStore {
  /// The type of a store; raw values are those of `NSSQLiteStoreType` and the related constants.
  ///
  /// Source: documented, “NSPersistentStore.StoreType”.
  public struct StoreType: Hashable, RawRepresentable, Sendable {
    /// The type's name, as stored in the metadata of stores of this type.
    public let rawValue: String
    /// Creates a store type from any raw value.
    ///
    /// Adding a store of an unknown type throws `NSPersistentStoreInvalidTypeError` (134000).
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The type of a store in an SQLite file.
    public static let sqlite = StoreType(rawValue: NSSQLiteStoreType)
    /// The type of a store in memory.
    ///
    /// The data is lost when the store is removed from its coordinator or the coordinator is released.
    public static let inMemory = StoreType(rawValue: NSInMemoryStoreType)
    /// The type of Apple's binary stores, which this library does not support; adding such a store throws
    /// `NSPersistentStoreInvalidTypeError` (134000).
    public static let binary = StoreType(rawValue: NSBinaryStoreType)
    /// The type of Apple's XML stores, which this library does not support; adding such a store throws
    /// `NSPersistentStoreInvalidTypeError` (134000).
    public static let xml = StoreType(rawValue: NSXMLStoreType)
    /// The type of a store in a schema of a PostgreSQL database.
    ///
    /// Not in Apple's framework. Needs the trait `PostgreSQL` of the package; without it, adding such a store
    /// throws `NSPersistentStoreInvalidTypeError` (134000). `NSPersistentStoreDescription.init(url:)` chooses
    /// this type for a URL whose scheme is `postgresql` or `postgres`.
    public static let postgreSQL = StoreType(rawValue: "PostgreSQL")
  }
}
