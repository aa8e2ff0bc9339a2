// SPDX-License-Identifier: Apache-2.0

// What the code blocks of the guides in docs use beside what the guides show.

import CoreData
import Foundation
import Testing

/// The model of teams that most guides use.
let world = {
  let url = Bundle.module.url(forResource: "World", withExtension: "momd")
  return url.flatMap(NSManagedObjectModel.init(contentsOf:)) ?? NSManagedObjectModel()
}()

/// Stands for the code of a program whose model has three versions.
enum Shop {
  static let modelURL = Bundle.module.url(forResource: "Stock", withExtension: "momd")

  static func open(at url: URL) throws -> NSPersistentContainer {
    let model = try #require(modelURL.flatMap(NSManagedObjectModel.init(contentsOf:)))
    let container = NSPersistentContainer(name: "Stock", managedObjectModel: model)
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
    try load(container)
    return container
  }
}

/// Returns a container with an open store in memory.
func memory(_ model: NSManagedObjectModel) throws -> NSPersistentContainer {
  let container = NSPersistentContainer(name: "Memory", managedObjectModel: model)
  let description = NSPersistentStoreDescription()
  description.type = NSInMemoryStoreType
  container.persistentStoreDescriptions = [description]
  try load(container)
  return container
}

/// Opens the stores of a container, or throws the error of one of them.
func load(_ container: NSPersistentContainer) throws {
  var failure: (any Error)?
  container.loadPersistentStores { _, error in failure = failure ?? error }
  if let failure { throw failure }
}

/// Returns a new folder, which the system removes with its folder of temporary files.
func folder() throws -> URL {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  return folder
}
