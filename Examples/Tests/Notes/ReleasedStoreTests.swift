// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

@testable import Notes

/// Each store that a release has written is migrated to the current version of the model.
@Suite struct ReleasedStoreTests {
  /// What a user sees of a note.
  private struct Row: Equatable, CustomStringConvertible {
    let title: String?
    let day: Double
    let isPinned: Bool
    let text: String?
    let length: Int32
    let folder: String?
    let summary: String?
    var description: String {
      "\(title ?? "nil") \(day) \(isPinned) \(text ?? "nil") \(length) \(folder ?? "nil") \(summary ?? "nil")"
    }

    init(_ note: Note) {
      title = note.title
      day = (note.created?.timeIntervalSinceReferenceDate ?? 0) / 86_400
      isPinned = note.isPinned
      text = note.body?.text
      length = note.body?.length ?? -1
      folder = note.folder?.name
      summary = note.summary
    }

    init(
      _ title: String,
      _ day: Double,
      isPinned: Bool,
      _ text: String?,
      _ folder: String?,
      _ summary: String
    ) {
      self.title = title
      self.day = day
      self.isPinned = isPinned
      self.text = text
      length = Int32(text?.utf16.count ?? 0)
      self.folder = folder
      self.summary = summary
    }
  }

  private static func expected(_ release: ModelVersion) -> [Row] {
    // “Notes 2” added the attribute.
    let isPinned = release != .notes1
    return [
      Row(
        "Shopping",
        1,
        isPinned: false,
        "Milk, eggs and two lemons",
        "Home",
        "Milk, eggs and two"
      ),
      Row("Plants", 2, isPinned: false, "Water them on Sunday", "Home", "Water them on Sunday"),
      Row(
        "Report",
        3,
        isPinned: isPinned,
        "Send the figures to Ada",
        "Work",
        "Send the figures to"
      ),
      Row("Idea", 4, isPinned: false, nil, nil, ""),
    ]
  }

  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("NotesTests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.appendingPathComponent("Notes.sqlite"))
  }

  @Test("A store of each release has all notes in the current version", arguments: 1...4)
  func released(_ number: Int) throws {
    let release = try #require(ModelVersion(rawValue: number))
    try withFolder { url in
      try Release.writeStore(at: url, release)
      for _ in 1...2 {
        let container = try NotesStore.open(at: url)
        let context = container.viewContext
        let notes = NSFetchRequest<Note>(entityName: "Note")
        notes.sortDescriptors = [NSSortDescriptor(key: "created", ascending: true)]
        #expect(try context.fetch(notes).map(Row.init) == Self.expected(release))
        let folders = NSFetchRequest<Folder>(entityName: "Folder")
        folders.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        #expect(try context.fetch(folders).map { $0.notes?.count } == [2, 1])
        #expect(try context.fetch(folders).map(\.name) == ["Home", "Work"])
        #expect(try context.count(for: NSFetchRequest<Body>(entityName: "Body")) == 4)
        context.reset()
        let coordinator = container.persistentStoreCoordinator
        for store in coordinator.persistentStores { try coordinator.remove(store) }
      }
    }
  }

  @Test("A store of another model is refused and stays as it is")
  func foreign() throws {
    try withFolder { url in
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
      try coordinator.remove(try coordinator.addPersistentStore(type: .sqlite, at: url))
      let before = try Data(contentsOf: url)
      #expect(throws: NotesStore.Failure.self) { try NotesStore.open(at: url) }
      #expect(try Data(contentsOf: url) == before)
    }
  }
}
