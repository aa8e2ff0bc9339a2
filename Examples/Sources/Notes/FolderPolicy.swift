// SPDX-License-Identifier: Apache-2.0

import CoreData

/// Creates one folder for all notes with the same `folderName`.
///
/// The entity mapping NoteToNote of `Notes3ToNotes4.xcmappingmodel` names this class as its custom policy.
final class FolderPolicy: NSEntityMigrationPolicy {
  private var folders: [String: NSManagedObject] = [:]

  override func createDestinationInstances(
    forSource source: NSManagedObject,
    in mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws {
    // The superclass creates the note, and sets the attributes that have a value expression.
    try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
    guard let name = source.value(forKey: "folderName") as? String, !name.isEmpty else { return }
    let note = manager.destinationInstances(
      forEntityMappingName: mapping.name,
      sourceInstances: [source]
    ).first
    note?.setValue(folder(name, manager.destinationContext), forKey: "folder")
  }

  private func folder(_ name: String, _ context: NSManagedObjectContext) -> NSManagedObject {
    if let folder = folders[name] { return folder }
    let folder = NSEntityDescription.insertNewObject(forEntityName: "Folder", into: context)
    folder.setValue(name, forKey: "name")
    folders[name] = folder
    return folder
  }
}
