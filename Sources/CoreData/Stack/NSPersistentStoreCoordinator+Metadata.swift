// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Deprecated methods for the metadata of stores.
///
/// Source: documented, “NSPersistentStoreCoordinator”.
extension NSPersistentStoreCoordinator {
  /// Returns the metadata of a store; if `storeType` is nil, determines the type.
  ///
  /// - Throws: the errors of `metadataForPersistentStore(ofType:at:options:)`.
  @available(
    *,
    deprecated,
    message: "Use -metadataForPersistentStoreOfType:URL:options:error: instead"
  )
  public class func metadataForPersistentStore(
    ofType storeType: String?,
    at url: URL
  ) throws -> [String: Any] {
    try metadata(storeType, anyTypeAt: url)
  }

  /// Determines the type of a store, and returns the store's metadata.
  ///
  /// - Throws: the errors of `metadataForPersistentStore(ofType:at:options:)`.
  @available(
    *,
    deprecated,
    message: "Use -metadataForPersistentStoreOfType:URL:options:error: instead"
  )
  public class func metadataForPersistentStore(with url: URL) throws -> [AnyHashable: Any] {
    try metadata(nil, anyTypeAt: url)
  }

  /// Replaces the application's own metadata of a store; if `storeType` is nil, determines the type.
  ///
  /// - Throws: the errors of `setMetadata(_:forPersistentStoreOfType:at:options:)`.
  @available(
    *,
    deprecated,
    message: "Use -setMetadata:forPersistentStoreOfType:URL:options:error: instead"
  )
  public class func setMetadata(
    _ metadata: [String: Any]?,
    forPersistentStoreOfType storeType: String?,
    at url: URL
  ) throws {
    let known = try storeType ?? self.metadata(nil, anyTypeAt: url)[NSStoreTypeKey] as? String
    try writeMetadata(metadata, type: known ?? NSSQLiteStoreType, at: url, options: nil)
  }

  /// Returns the metadata of the store at a URL.
  ///
  /// If `type` is nil, tries the built-in types of stores in files, then the registered types in alphabetical
  /// order, until the metadata can be read.
  ///
  /// - Throws: if every type fails, the error of the first type.
  private static func metadata(_ type: String?, anyTypeAt url: URL) throws -> [String: Any] {
    if let type { return try metadata(type, url) }
    var failure: (any Error)?
    let builtIn = StoreKind.allCases.filter { !$0.isInMemory }.map(\.rawValue)
    for type in builtIn + StoreClasses.types.filter({ !builtIn.contains($0) }) {
      do {
        return try metadata(type, url)
      } catch {
        failure = failure ?? error
      }
    }
    guard let failure else { return try metadata(NSSQLiteStoreType, url) }
    throw failure
  }
}
