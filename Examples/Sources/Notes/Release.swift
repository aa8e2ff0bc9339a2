// SPDX-License-Identifier: Apache-2.0

import CoreData

/// Creates stores of the first four releases of Notes.
///
/// The users of a real app already have such stores.
enum Release {
  /// Creates a store with four notes, as the release with that version of the model did.
  ///
  /// In “Notes 4”, two folders have the same name, which that version allows.
  static func writeStore(at url: URL, _ version: ModelVersion) throws {
    guard let model = version.model else {
      throw NotesStore.Failure(
        description: "the resources of Notes lack the version “\(version.name)”"
      )
    }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      for note in notes { insert(note, version, context) }
      try context.save()
    }
    try coordinator.remove(store)
  }

  private struct Content {
    let title: String
    let text: String?
    let folder: String?
    let day: Double
  }

  private static let notes = [
    Content(title: "Shopping", text: "Milk, eggs and two lemons", folder: "Home", day: 1),
    Content(title: "Plants", text: "Water them on Sunday", folder: "Home", day: 2),
    Content(title: "Report", text: "Send the figures to Ada", folder: "Work", day: 3),
    Content(title: "Idea", text: nil, folder: nil, day: 4),
  ]

  private static func insert(
    _ content: Content,
    _ version: ModelVersion,
    _ context: NSManagedObjectContext
  ) {
    func make(_ entity: String, _ values: [String: Any?]) -> NSManagedObject {
      let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
      for (key, value) in values { object.setValue(value, forKey: key) }
      return object
    }
    let created = Date(timeIntervalSinceReferenceDate: content.day * 86_400)
    let note = make("Note", ["title": content.title, "created": created])
    if version != .notes1 { note.setValue(content.title == "Report", forKey: "isPinned") }
    switch version {
    case .notes1: note.setValue(content.text, forKey: "body")
    case .notes2: note.setValue(content.text, forKey: "text")
    case .notes3, .notes4, .notes5:
      let length = content.text?.utf16.count
      note.setValue(make("Body", ["text": content.text, "length": length]), forKey: "body")
    }
    switch (version, content.folder) {
    case (.notes1, let name), (.notes2, let name), (.notes3, let name):
      note.setValue(name, forKey: "folderName")
    case (_, let name?): note.setValue(make("Folder", ["name": name]), forKey: "folder")
    case (_, nil): break
    }
  }
}
