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

  /// Adds the objects that `body` inserts into a working file to the store; creates the store if it does not
  /// exist.
  ///
  /// The working file is a copy of the store, which it replaces in one step.
  /// - Throws: `StoreError` if the store cannot be written, or if another program has written it meanwhile;
  ///   the errors of `body`.
  static func fillWholeFile(
    _ store: MigratedStore,
    _ body: (MigratedStore) throws -> Void
  ) throws {
    let file = AtomicFile(path: store.url.path)
    let stamp = file.stamp
    let work = store.url.deletingLastPathComponent()
      .appendingPathComponent(".\(store.url.lastPathComponent).migrating-\(UUID().uuidString)")
    // The error is dropped: the working file does not exist if `body` could not create it.
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
