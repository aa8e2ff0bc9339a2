// SPDX-License-Identifier: Apache-2.0

import CoreData
import JSONStores
import _CoreDataModel

/// A store of the example, in a folder of its own, with a model.
final class JSONStack {
  enum Kind: String, CaseIterable {
    case folder, file

    var type: NSPersistentStore.StoreType {
      switch self {
      case .folder:
        JSONFolderStore.register()
        return .init(rawValue: JSONFolderStore.storeType)
      case .file:
        JSONFileStore.register()
        return .init(rawValue: JSONFileStore.storeType)
      }
    }
  }

  let folder: URL
  let coordinator: NSPersistentStoreCoordinator
  let store: NSPersistentStore

  init(_ kind: Kind, _ draft: ModelDraft) throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("json-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    coordinator = NSPersistentStoreCoordinator(
      managedObjectModel: NSManagedObjectModel(draft: draft)
    )
    store = try coordinator.addPersistentStore(
      type: kind.type,
      at: folder.appendingPathComponent("Store")
    )
  }

  deinit { try? FileManager.default.removeItem(at: folder) }
}
