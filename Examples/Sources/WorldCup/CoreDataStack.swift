// SPDX-License-Identifier: Apache-2.0

import CoreData

/// The container with its store, and the one context all work goes through.
struct CoreDataStack {
  let container: NSPersistentContainer
  let context: NSManagedObjectContext

  /// Opens the store at `storeURL`, made new where there is none.
  ///
  /// The context has a queue of its own: nobody runs the main queue of a server.
  init(storeURL: URL) throws {
    try FileManager.default.createDirectory(
      at: storeURL.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    container = NSPersistentContainer(name: "WorldCup")
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: storeURL)]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    context = container.newBackgroundContext()
  }

  /// `STORE`, or a file in the user's data folder.
  static func storeURL(in environment: [String: String]) -> URL {
    if let path = environment["STORE"], !path.isEmpty { return URL(fileURLWithPath: path) }
    let home = FileManager.default.homeDirectoryForCurrentUser
    let data = environment["XDG_DATA_HOME"].flatMap { $0.isEmpty ? nil : $0 }
    return (data.map { URL(fileURLWithPath: $0) } ?? home.appendingPathComponent(".local/share"))
      .appendingPathComponent("swift-coredata-worldcup/WorldCup.sqlite")
  }
}
