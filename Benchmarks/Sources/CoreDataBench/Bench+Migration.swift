// SPDX-License-Identifier: Apache-2.0

import CoreData

/// Migrations with an inferred mapping while a store is added.
extension Bench {
  /// M1_open: adds the store with the model that created it.
  mutating func openUnmigrated() throws {
    for _ in 0..<options.repetitions {
      let path = try syncedCopy()
      let model = try Store.model()
      let store = try measurement.time { try Store(path, model) }
      measurement.check = try store.sumCheck()
      try store.close()
    }
  }

  /// M1_added: the additional time for adding the store if the new model adds an attribute to teams.
  mutating func migrateAdded() throws {
    for _ in 0..<options.repetitions {
      let path = try syncedCopy()
      let (old, new) = (try Store.model(), try BenchVersion.added.model())
      var stores: [Store] = []
      try measurement.time(
        beyond: { try Store(path, old).close() },
        { stores.append(try Store(path, new, migrates: true)) }
      )
      measurement.check = try stores[0].sumCheck()
      try stores[0].close()
    }
  }

  /// M2, M3: adds the store with a model that requires rows to be copied or changed.
  mutating func migrate(to version: BenchVersion, entity: String) throws {
    for _ in 0..<options.repetitions {
      let path = try syncedCopy(.order)
      let model = try version.model()
      let store = try measurement.time { try Store(path, model, migrates: true) }
      measurement.check = try store.sumCheck(entity)
      try store.close()
    }
  }

  /// Returns the path of a copy of a template.
  ///
  /// The copy is synchronized to disk, so that writing its pages is not part of the measured time.
  private func syncedCopy(_ index: ModelIndex = .none) throws -> String {
    let path = try copiedFile(index)
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try file.synchronize()
    try file.close()
    return path
  }
}
