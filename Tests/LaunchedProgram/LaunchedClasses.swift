// SPDX-License-Identifier: Apache-2.0

import CoreData

/// A class written by hand that the program names nowhere but in its model.
class LaunchedNote: NSManagedObject {}

/// Tells on the standard error which classes the objects of a model have that names classes without a
/// module, as Xcode's models do.
enum LaunchedClasses {
  static func run() throws {
    var lines: [String] = []
    for _ in 0..<2 {
      let context = try context()
      context.performAndWait {
        for name in ["Note", "Ghost", "Ghost", "Plain"] {
          let object = NSEntityDescription.insertNewObject(forEntityName: name, into: context)
          lines.append("\(name) is \(type(of: object))")
        }
      }
    }
    FileHandle.standardError.write(Data((lines.joined(separator: "\n") + "\n").utf8))
  }

  private static func context() throws -> NSManagedObjectContext {
    let model = NSManagedObjectModel()
    model.entities = [("Note", "LaunchedNote"), ("Ghost", "LaunchedGhost"), ("Plain", nil)].map {
      let entity = NSEntityDescription()
      entity.name = $0.0
      if let name = $0.1 { entity.managedObjectClassName = name }
      return entity
    }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    return context
  }
}
