// SPDX-License-Identifier: Apache-2.0

extension NSPersistentStore {
  /// The kind of a store; raw values are those of `NSSQLiteStoreType` and its siblings.
  ///
  /// Source: documented, “NSPersistentStore.StoreType”.
  public struct StoreType: Hashable, RawRepresentable, Sendable {
    /// Apple's raw value.
    public let rawValue: String
    /// A value of that raw value, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A store in an SQLite file.
    public static let sqlite = StoreType(rawValue: NSSQLiteStoreType)
    /// A store that lives and ends with its coordinator.
    public static let inMemory = StoreType(rawValue: NSInMemoryStoreType)
    /// A store in one binary file.
    public static let binary = StoreType(rawValue: NSBinaryStoreType)
    /// A store in one XML file.
    public static let xml = StoreType(rawValue: NSXMLStoreType)
  }
}
