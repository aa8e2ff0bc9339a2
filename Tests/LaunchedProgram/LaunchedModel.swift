// SPDX-License-Identifier: Apache-2.0

import CoreData

/// Writes to standard error what the program finds of its model, which no resource of the target declares.
enum LaunchedModel {
  static func run() throws {
    let (name, kind) = ("Launched", "momd")
    let main = Bundle.main.url(forResource: name, withExtension: kind)
    // Foundation's method, because of the optional arguments.
    let module = Bundle.module.url(forResource: Optional(name), withExtension: Optional(kind))
    var lines = [main, module].map { url in
      url.flatMap(NSManagedObjectModel.init(contentsOf:))
        .map { "\(url?.lastPathComponent ?? ""): \($0.entities.compactMap(\.name))" } ?? "nil"
    }
    let container = NSPersistentContainer(name: name)
    container.persistentStoreDescriptions = [NSPersistentStoreDescription()]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    let trip = Trip(context: container.viewContext)
    trip.place = "Rome"
    try container.viewContext.save()
    lines.append("\(type(of: trip)) \(try container.viewContext.count(for: Trip.fetchRequest()))")
    FileHandle.standardError.write(Data((lines.joined(separator: "\n") + "\n").utf8))
  }
  /// Writes to standard error the entities of the merged model of all bundles, of the main bundle and of the bundle
  /// for a class, and whether the bundles contain the compiled model.
  static func merge() {
    let bundles = [Bundle.main, Bundle(for: NSManagedObject.self)]
    var lines = ([nil] + bundles.map { [$0] }).map { list in
      let model = NSManagedObjectModel.mergedModel(from: list)
      return "\(model?.entities.compactMap(\.name).sorted() ?? [])"
    }
    lines += bundles.map { "\($0.url(forResource: "Launched", withExtension: "momd") != nil)" }
    FileHandle.standardError.write(Data((lines.joined(separator: " ") + "\n").utf8))
  }
}
