// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Stores on media that nobody can write to, in a process that sees its folder so.
@Suite(
  "Read-only media",
  .enabled(if: LaunchedProgram.canMount, "this machine lets nobody mount a folder")
)
struct ReadOnlyMediaTests {
  /// What lies beside the file.
  enum Left: CaseIterable { case nothing, log, logAndIndex }

  @Test(
    "A store is read whole, with the log that was left behind, and nothing is written",
    arguments: Left.allCases
  )
  func read(left: Left) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("media-\(UUID().uuidString)")
    let medium = folder.appendingPathComponent("medium")
    try FileManager.default.createDirectory(at: medium, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("Notes.sqlite")
    let copy = medium.appendingPathComponent("Notes.sqlite")
    var (coordinator, context) = try stack(file)
    try save("first", context)
    if left == .nothing {
      // The last connection that closes takes the log with it.
      try coordinator.persistentStores.forEach(coordinator.remove)
      try FileManager.default.copyItem(at: file, to: copy)
    } else {
      try coordinator.persistentStores.forEach(coordinator.remove)
      (coordinator, context) = try stack(file)
      // What is only in the log as yet.
      try save("second", context)
      for end in left == .log ? ["", "-wal"] : ["", "-wal", "-shm"] {
        try FileManager.default.copyItem(atPath: file.path + end, toPath: copy.path + end)
      }
    }
    let before = try content(of: medium)
    let outcome = try LaunchedProgram.run(["read", copy.path], readOnly: medium)
    #expect(outcome.status == 0)
    let words = (left == .nothing ? ["first"] : ["first", "second"]) + ["134070"]
    #expect(outcome.standardError == words.joined(separator: " "))
    #expect(try content(of: medium) == before)
  }

  private func content(of folder: URL) throws -> [String: Data] {
    var content: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      content[name] = try Data(contentsOf: folder.appendingPathComponent(name))
    }
    return content
  }

  private func stack(
    _ file: URL
  ) throws -> (NSPersistentStoreCoordinator, NSManagedObjectContext) {
    let text = NSAttributeDescription()
    text.name = "text"
    text.attributeType = .stringAttributeType
    let note = NSEntityDescription()
    note.name = "Note"
    note.properties = [text]
    let model = NSManagedObjectModel()
    model.entities = [note]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: file)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return (coordinator, context)
  }

  private func save(_ text: String, _ context: NSManagedObjectContext) throws {
    try context.performAndWait { () throws -> Void in
      NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
        .setValue(text, forKey: "text")
      try context.save()
    }
  }
}
