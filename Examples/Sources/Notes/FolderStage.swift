// SPDX-License-Identifier: Apache-2.0

import CoreData

/// The stage from “Notes 4” to “Notes 5”, in which folder names become unique and notes get a summary.
enum FolderStage {
  /// Returns the first four words of a note's text.
  static func summary(of text: String?) -> String {
    (text ?? "").split(separator: " ").prefix(4).joined(separator: " ")
  }

  static func manager() -> NSStagedMigrationManager {
    // The checksums are constants, so that the migration fails if a released version is edited. They are values
    // of `NSManagedObjectModel.versionChecksum`, which `Notes checksums` prints.
    let stage = NSCustomMigrationStage(
      migratingFrom: NSManagedObjectModelReference(
        name: "Notes 4",
        in: .module,
        versionChecksum: "3Drb9qcIwmFj1L+7SLiZEN87iuIAGUEIB00eLvXHmuk="
      ),
      to: NSManagedObjectModelReference(
        name: "Notes 5",
        in: .module,
        versionChecksum: "Qx0eDy194oheo2DaV+R4ITUxZtJBe4anpDYDOABvGkU="
      )
    )
    stage.label = "unique folders"
    stage.willMigrateHandler = { manager, _ in try change(manager, mergeFolders) }
    stage.didMigrateHandler = { manager, _ in try change(manager, writeSummaries) }
    return NSStagedMigrationManager([stage])
  }

  /// Changes the objects of the store and saves once, so that the handler can run again if the program ends
  /// before the save.
  private static func change(
    _ manager: NSStagedMigrationManager,
    _ body: (NSManagedObjectContext) throws -> Void
  ) throws {
    guard let context = manager.container?.newBackgroundContext() else { return }
    try context.performAndWait {
      try body(context)
      try context.save()
    }
  }

  /// Moves the notes of folders with equal names to the first of them, and deletes the others.
  private static func mergeFolders(_ context: NSManagedObjectContext) throws {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Folder")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    var kept: NSManagedObject?
    for folder in try context.fetch(request) {
      let name = folder.value(forKey: "name") as? String
      guard let first = kept, first.value(forKey: "name") as? String == name else {
        kept = folder
        continue
      }
      for case let note as NSManagedObject in folder.mutableSetValue(forKey: "notes").allObjects {
        note.setValue(first, forKey: "folder")
      }
      context.delete(folder)
    }
  }

  private static func writeSummaries(_ context: NSManagedObjectContext) throws {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
    request.relationshipKeyPathsForPrefetching = ["body"]
    for note in try context.fetch(request) {
      note.setValue(summary(of: note.value(forKeyPath: "body.text") as? String), forKey: "summary")
    }
  }
}
