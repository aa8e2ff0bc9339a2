// SPDX-License-Identifier: Apache-2.0
//
// A program that does with stores what servers and apps do, and prints what it sees: the same whether it
// is linked statically or not. Its argument is an empty folder. With `place` and a name instead it prints
// where the container of that name has its store.

import CoreData

if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "place" {
  let container = NSPersistentContainer(
    name: CommandLine.arguments[2],
    managedObjectModel: NSManagedObjectModel()
  )
  print(NSPersistentContainer.defaultDirectoryURL().path)
  print(container.persistentStoreDescriptions[0].url?.path ?? "nowhere")
  exit(0)
}
guard CommandLine.arguments.count == 2 else {
  print("usage: StandaloneProgram FOLDER | place NAME")
  exit(64)
}
let folder = URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true)
let garden = try Garden(folder.appendingPathComponent("Garden.sqlite"))
try garden.plant()
try garden.ask()
try garden.list()
try garden.change()
try garden.copy(to: folder.appendingPathComponent("Copy.sqlite"))
try garden.refuse()
