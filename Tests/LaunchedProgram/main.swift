// SPDX-License-Identifier: Apache-2.0
//
// A program for tests of launch arguments: saves and fetches one note. With the argument `stray` the
// fetch stands outside the context's queue.

import CoreData

let name = NSAttributeDescription()
name.name = "text"
name.attributeType = .stringAttributeType
let note = NSEntityDescription()
note.name = "Note"
note.properties = [name]
let model = NSManagedObjectModel()
model.entities = [note]

let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
try coordinator.addPersistentStore(
  ofType: NSSQLiteStoreType,
  configurationName: nil,
  at: URL(fileURLWithPath: "/dev/null")
)
let context = NSManagedObjectContext(.privateQueue)
context.persistentStoreCoordinator = coordinator
try context.performAndWait {
  let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
  note.setValue("hello", forKey: "text")
  try context.save()
}
let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
if CommandLine.arguments.contains("stray") {
  _ = try context.fetch(request)
} else {
  _ = try context.performAndWait { try context.fetch(request) }
}
