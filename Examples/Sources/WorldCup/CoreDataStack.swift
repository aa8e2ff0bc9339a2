// SPDX-License-Identifier: Apache-2.0

import CoreData

/// The container with its store, and the one context that the list shows.
struct CoreDataStack {
  let container: NSPersistentContainer
  let context: NSManagedObjectContext
  /// What the store's history calls this run of the program.
  static let author = UUID().uuidString

  /// Opens the store at `storeURL`, made new where there is none.
  ///
  /// The context has a queue of its own: nobody runs the main queue of a server.
  init(storeURL: URL) throws {
    if storeURL.isFileURL {
      try FileManager.default.createDirectory(
        at: storeURL.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
    }
    container = NSPersistentContainer(name: "WorldCup")
    let description = NSPersistentStoreDescription(url: storeURL)
    // Saves of other programs are told, and what they changed.
    for key in [
      NSPersistentHistoryTrackingKey, NSPersistentStoreRemoteChangeNotificationPostOptionKey,
    ] {
      description.setOption(true as NSNumber, forKey: key)
    }
    container.persistentStoreDescriptions = [description]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    context = Self.newContext(of: container)
  }

  /// A context with a queue of its own, whose saves the history tells as this program's.
  static func newContext(of container: NSPersistentContainer) -> NSManagedObjectContext {
    let context = container.newBackgroundContext()
    context.transactionAuthor = author
    return context
  }

  /// `STORE`, the path of a file or the URL of a PostgreSQL database, or a file in the user's data folder.
  static func storeURL(in environment: [String: String]) -> URL {
    if let path = environment["STORE"], !path.isEmpty {
      if path.hasPrefix("postgres"), let url = URL(string: path), url.scheme != nil { return url }
      return URL(fileURLWithPath: path)
    }
    let home = FileManager.default.homeDirectoryForCurrentUser
    let data = environment["XDG_DATA_HOME"].flatMap { $0.isEmpty ? nil : $0 }
    return (data.map { URL(fileURLWithPath: $0) } ?? home.appendingPathComponent(".local/share"))
      .appendingPathComponent("swift-coredata-worldcup/WorldCup.sqlite")
  }
}
