// SPDX-License-Identifier: Apache-2.0

import CoreData
import CoreDataTestSupport
import Testing

@testable import Notes

/// Migrations of random stores of all releases keep everything that the program does not change on purpose.
@Suite struct MigrationProofTests {
  private func checker(seed: UInt64) throws -> MigrationChecker {
    let model = try #require(ModelVersion.url)
    var checker = try MigrationChecker(modelAt: model, seed: seed)
    // A handler merges folders with the same name, and the random data can contain such folders.
    checker.exemptions = ["Folder"]
    checker.addLaw("each text is in a body", versions: ["Notes", "Notes 2"]) { before, context in
      for note in before.objects(of: "Note") {
        let text = note["body"] ?? note["text"]
        let request = NSFetchRequest<Note>(entityName: "Note")
        request.predicate = NSPredicate(format: "title == %@", note["title"] as? String ?? "")
        let texts = try context.fetch(request).map { $0.body?.text }
        if !texts.contains(text as? String) {
          throw MigrationChecker.Violation("\(texts)", object: note.name, property: "body.text")
        }
      }
    }
    checker.addLaw("each folder has a note", versions: ["Notes", "Notes 2", "Notes 3"]) {
      before,
      context in
      let names = Set(before.objects(of: "Note").compactMap { $0["folderName"] as? String })
      let folders = try context.fetch(NSFetchRequest<Folder>(entityName: "Folder"))
      if Set(folders.compactMap(\.name)) != names
        || folders.contains(where: { $0.notes?.count == 0 })
      {
        throw MigrationChecker.Violation("\(folders.map(\.name)) instead of \(names)")
      }
    }
    return checker
  }

  @Test("Random stores of all releases", arguments: [1, 2, 3] as [UInt64])
  func random(_ seed: UInt64) throws {
    #expect(try checker(seed: seed).failures { try NotesStore.open(at: $0) } == [])
  }

  @Test("What the models alone cannot keep is what the mapping models move")
  func dropped() throws {
    let checker = try checker(seed: 1)
    #expect(try checker.dropped(from: "Notes") == ["Note.body", "Note.folderName"])
    #expect(try checker.dropped(from: "Notes 3") == ["Note.folderName"])
    #expect(try checker.dropped(from: "Notes 4") == [])
  }
}
