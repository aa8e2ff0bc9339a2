// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataStore

/// Destinations that are XML or binary stores.
extension MigrationTarget {
  /// Whether a store of the type is read and written as a whole.
  static func isWholeFile(_ type: String) -> Bool {
    // The error is dropped: an unknown type is reported when the destination is used.
    (try? StoreKind(type: type).format) != nil
  }

  /// Calls `body` with a copy of the store in a working file, and then replaces the store with the copy in
  /// one step.
  ///
  /// If the store does not exist, `body` creates the working file.
  /// - Throws: `StoreError` if the store cannot be written, or if another program has written the store
  ///   during the migration; the errors of `body`.
  static func fillWholeFile(
    _ store: MigratedStore,
    _ body: (MigratedStore) throws -> Void
  ) throws {
    let file = AtomicFile(path: store.url.path)
    let stamp = file.stamp
    let work = store.url.deletingLastPathComponent()
      .appendingPathComponent(".\(store.url.lastPathComponent).migrating-\(UUID().uuidString)")
    // The error is dropped: if `body` could not create the working file, there is no file to remove.
    defer { try? FileManager.default.removeItem(at: work) }
    if let content = try StoreFileData.read(store.url.path) { try content.write(to: work) }
    try body(store.at(work.path))
    guard file.stamp == stamp else {
      throw StoreError(
        .changedElsewhere,
        "another program has written the file during the migration; migrate again",
        path: store.url.path
      )
    }
    let content = try StoreFileData.read(work.path) ?? Data()
    try file.prepare(content).commit()
  }
}
