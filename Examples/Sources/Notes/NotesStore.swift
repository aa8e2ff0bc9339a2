// SPDX-License-Identifier: Apache-2.0

import CoreData

/// Opens a user's notes, whichever release wrote them.
enum NotesStore {
  /// An error with a text for the user.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Migrates the store to the current version of the model, and opens it; creates it if it does not exist.
  ///
  /// `report` is called with each step before it runs.
  static func open(
    at url: URL,
    report: (String) -> Void = { _ in }
  ) throws -> NSPersistentContainer {
    // Stages do not use mapping models, so an older store is first migrated one version at a time.
    try migrate(url, to: .notes4, report: report)
    let container = NSPersistentContainer(name: "Notes")
    let description = NSPersistentStoreDescription(url: url)
    description.setOption(
      FolderStage.manager(),
      forKey: NSPersistentStoreStagedMigrationManagerOptionKey
    )
    container.persistentStoreDescriptions = [description]
    report("opening with “\(ModelVersion.notes5.name)”")
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    return container
  }

  /// Migrates a store of a version before `last` to that version, one version at a time.
  private static func migrate(
    _ url: URL,
    to last: ModelVersion,
    report: (String) -> Void
  ) throws {
    guard FileManager.default.fileExists(atPath: url.path) else { return }
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      type: .sqlite,
      at: url
    )
    let created = ModelVersion.allCases.first {
      $0.model?.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) == true
    }
    guard let created else {
      throw Failure(description: "\(url.path) is not a store of a released version of Notes")
    }
    for version in ModelVersion.allCases
    where version.rawValue > created.rawValue && version.rawValue <= last.rawValue {
      report("migrating to “\(version.name)”")
      try step(url, to: version)
    }
  }

  /// Migrates a store to the next version by opening it with that version's model.
  ///
  /// The mapping models among the program's resources are found by the hashes of their two models. Only the
  /// mapping to “Notes 2” may be inferred: in the later steps, an inferred mapping would drop texts or folder
  /// names.
  private static func step(_ url: URL, to version: ModelVersion) throws {
    guard let model = version.model else {
      throw Failure(description: "the resources of Notes lack the version “\(version.name)”")
    }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(
      type: .sqlite,
      at: url,
      options: [
        NSMigratePersistentStoresAutomaticallyOption: true,
        NSInferMappingModelAutomaticallyOption: version == .notes2,
      ]
    )
    try coordinator.remove(store)
  }
}
