// SPDX-License-Identifier: Apache-2.0
//
// A program for tests of launch arguments: saves and fetches one note. With the argument `stray` the
// fetch stands outside the context's queue. With `read` and a path the notes of that store are told on
// the standard error, read-only, and the code of a save's error after them. With `classes` it tells the
// classes of objects, with `model` what it finds of its model, with `merged` what its bundles contain, with
// `threads` how many threads the blocks of contexts have.

import CoreData

if CommandLine.arguments.contains("classes") {
  try LaunchedClasses.run()
  exit(0)
}
if CommandLine.arguments.contains("model") {
  try LaunchedModel.run()
  exit(0)
}
if CommandLine.arguments.contains("merged") {
  LaunchedModel.merge()
  exit(0)
}
if CommandLine.arguments.contains("threads") {
  LaunchedThreads.run()
  exit(0)
}
let name = NSAttributeDescription()
name.name = "text"
name.attributeType = .stringAttributeType
let note = NSEntityDescription()
note.name = "Note"
note.properties = [name]
let model = NSManagedObjectModel()
model.entities = [note]

let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
if let place = CommandLine.arguments.firstIndex(of: "read") {
  try coordinator.addPersistentStore(
    ofType: NSSQLiteStoreType,
    configurationName: nil,
    at: URL(fileURLWithPath: CommandLine.arguments[place + 1]),
    options: [NSReadOnlyPersistentStoreOption: true]
  )
  let context = NSManagedObjectContext(.privateQueue)
  context.persistentStoreCoordinator = coordinator
  try context.performAndWait {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
    request.sortDescriptors = [NSSortDescriptor(key: "text", ascending: true)]
    var words = try context.fetch(request).compactMap { $0.value(forKey: "text") as? String }
    NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
      .setValue("more", forKey: "text")
    do {
      try context.save()
      words.append("saved")
    } catch {
      words.append("\((error as NSError).code)")
    }
    FileHandle.standardError.write(Data(words.joined(separator: " ").utf8))
  }
  exit(0)
}
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
