// SPDX-License-Identifier: Apache-2.0

import Foundation

extension StagedMigration {
  /// Runs `body` while the manager's container has the store, opened with the given version of the model.
  ///
  /// The store is removed from the container afterwards, whether `body` throws or not.
  func withContainer(_ version: StagedStep.Version, _ body: () throws -> Void) throws {
    guard let url = specification.url else { return }
    let container = NSPersistentContainer(
      name: url.deletingPathExtension().lastPathComponent,
      managedObjectModel: version.model
    )
    container.persistentStoreDescriptions = [description(url)]
    let coordinator = container.persistentStoreCoordinator
    var opened = specification
    opened.options = options
    let store = try coordinator.add(opened)
    var failure: (any Error)?
    do {
      try manager.withContainer(container, body)
    } catch {
      failure = error
    }
    // The handler may have removed the store itself.
    if coordinator.persistentStores.contains(store) { try coordinator.remove(store) }
    if let failure { throw failure }
  }

  /// The application's options, except the options for migrations.
  private var options: [AnyHashable: Any] {
    (specification.options ?? [:]).filter { option in
      ![
        NSPersistentStoreStagedMigrationManagerOptionKey,
        NSPersistentStoreDeferredLightweightMigrationOptionKey,
        NSMigratePersistentStoresAutomaticallyOption, NSInferMappingModelAutomaticallyOption,
      ].contains { option.key == AnyHashable($0) }
    }
  }

  private func description(_ url: URL) -> NSPersistentStoreDescription {
    let description = NSPersistentStoreDescription(url: url)
    description.configuration = specification.configuration
    for key in description.options.keys { description.setOption(nil, forKey: key) }
    for (key, value) in options {
      guard let key = key.base as? String else { continue }
      description.setOption(value as? NSObject, forKey: key)
    }
    return description
  }
}
