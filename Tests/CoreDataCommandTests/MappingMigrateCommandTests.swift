// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataSQL
import _CoreDataSQLite

/// `coredata migrate` with mapping models, on stores of the example Notes.
@Suite("coredata migrate with a mapping model", .needsCommand)
final class MappingMigrateCommandTests {
  private let folder: URL
  private let notes: NotesStores
  private var model: URL { notes.model }
  private var store: String { folder.appendingPathComponent("Notes.sqlite").path }

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("mapping-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    notes = try NotesStores(in: folder)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func migrate(_ arguments: String...) throws -> Command.Outcome {
    try Command.run(["migrate", store, model.path] + arguments)
  }

  private func bodies() throws -> [[Binding]] {
    try StoreFile(path: store, access: .untouched)
      .rows(
        "SELECT n.ZTITLE, n.ZISPINNED, b.ZTEXT, b.ZLENGTH FROM ZNOTE n JOIN ZBODY b ON b.Z_PK = n.ZBODY "
          + "ORDER BY 1 DESC"
      )
  }

  private static let expected: [[Binding]] = [
    [.text("Shopping"), .integer(1), .text("Milk"), .integer(4)],
    [.text("Idea"), .integer(0), .null, .null],
  ]

  @Test("--plan describes the entity mappings beside the model, and changes nothing")
  func plan() throws {
    _ = try notes.notes2("Notes.sqlite")
    let before = try Data(contentsOf: URL(fileURLWithPath: store))
    let outcome = try migrate("--to", "Notes 3", "--plan")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("with the mapping model Notes2ToNotes3.xcmappingmodel"))
    #expect(outcome.output.contains("NoteToBody: Note → Body, length = $source.text.length"))
    #expect(outcome.output.contains("NoteToNote: Note → Note"))
    #expect(outcome.output.contains("2 steps, 4 rows, estimated time less than 0.1 s"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
  }

  @Test("The mapping model is carried out after a backup; --rehearse does so with a copy")
  func migrates() throws {
    _ = try notes.notes2("Notes.sqlite")
    let before = try Data(contentsOf: URL(fileURLWithPath: store))
    let rehearsal = try migrate("--to", "Notes 3", "--rehearse")
    #expect(rehearsal.status == 0, "\(rehearsal.output)\(rehearsal.errors)")
    #expect(
      rehearsal.output.contains("The compared values and links are those that the mapping model")
    )
    // The body of a note has two values, and its text is the only one that is not nil twice.
    #expect(rehearsal.output.contains("NoteToBody        2       4"), "\(rehearsal.output)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
    let outcome = try migrate("--to", "Notes 3")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("backup: \(store).backup"))
    #expect(try bodies() == Self.expected)
    let again = try migrate("--to", "Notes 3")
    #expect(again.status == 0 && again.output.contains("needs no migration"))
  }

  @Test("--mapping names a file elsewhere; one of other models is refused with the entities")
  func mapping() throws {
    _ = try notes.notes2("Notes.sqlite")
    let elsewhere = folder.appendingPathComponent("Mappings")
    try FileManager.default.createDirectory(at: elsewhere, withIntermediateDirectories: true)
    let file = elsewhere.appendingPathComponent("Notes2ToNotes3.xcmappingmodel")
    try FileManager.default.moveItem(
      at: folder.appendingPathComponent("Notes2ToNotes3.xcmappingmodel"),
      to: file
    )
    let other = folder.appendingPathComponent("Notes3ToNotes4.xcmappingmodel").path
    let refused = try migrate("--to", "Notes 3", "--mapping", other)
    #expect(refused.status == 2)
    let difference = "NoteToNote: the source entity Note does not match the source model"
    #expect(refused.errors.contains(difference))
    // Without a mapping model the texts would be lost, and the command says so.
    let inferred = try migrate("--to", "Notes 3")
    #expect(inferred.status == 2 && inferred.errors.contains("Note.text"))
    let outcome = try migrate("--to", "Notes 3", "--mapping", file.path, "--no-backup", "--json")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("NoteToBody"))
    #expect(try bodies() == Self.expected)
  }

  @Test("--infer ignores the mapping model beside the model")
  func infer() throws {
    _ = try notes.notes2("Notes.sqlite")
    let plan = try migrate("--to", "Notes 3", "--plan", "--infer")
    #expect(plan.status == 1, "\(plan.errors)")
    #expect(!plan.output.contains("with the mapping model"))
    #expect(plan.output.contains("lost: Note.text: the new model lacks the attribute"))
  }

  @Test("A mapping model is named if the store needs no migration, and a folder is not read as one")
  func unusedMapping() throws {
    _ = try notes.notes2("Notes.sqlite")
    let file = folder.appendingPathComponent("Notes2ToNotes3.xcmappingmodel").path
    let current = try migrate("--to", "Notes 2", "--mapping", file)
    #expect(current.status == 0 && current.output.contains("needs no migration"))
    #expect(current.output.contains("The mapping model \(file) is not used."))
    let wrong = try migrate("--to", "Notes 3", "--mapping", model.path)
    #expect(wrong.status == 2 && wrong.errors.contains("this is a folder, but a mapping model"))
  }

  @Test("Policy classes, which only the app has, are named, and nothing is migrated")
  func policies() throws {
    _ = try notes.notes3("Notes.sqlite")
    let before = try Data(contentsOf: URL(fileURLWithPath: store))
    let plan = try migrate("--to", "Notes 4", "--plan")
    #expect(plan.status == 1)
    #expect(plan.output.contains("policy Notes.FolderPolicy"))
    #expect(plan.output.contains("refused: NoteToNote: the mapping uses the policy class"))
    #expect(plan.output.contains("unclear: Note.folderName: only a policy can read the property"))
    for options in [[], ["--rehearse"], ["--allow-loss"]] {
      let outcome = try Command.run(["migrate", store, model.path, "--to", "Notes 4"] + options)
      #expect(outcome.status == (options == ["--rehearse"] ? 1 : 2))
      #expect(outcome.errors.contains("NoteToNote: Notes.FolderPolicy"))
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
  }

  @Test("A mapping model of which one entity differs is a warning, and a part of the error")
  func almostFits() throws {
    _ = try notes.notes2("Notes.sqlite")
    let contents = model.appendingPathComponent("Notes 3.xcdatamodel/contents")
    let xml = try String(contentsOf: contents, encoding: .utf8)
    let folder = #"<attribute name="folderName" optional="YES" attributeType="String"/>"#
    func edit(_ text: String) throws {
      #expect(xml.contains(folder))
      try Data(xml.replacing(folder, with: text).utf8).write(to: contents)
    }
    try edit(folder + #"<attribute name="color" optional="YES" attributeType="String"/>"#)
    let plan = try migrate("--to", "Notes 3", "--plan")
    let line =
      "Notes2ToNotes3.xcmappingmodel: the mapping model is not used, because some entities do not match: "
      + "NoteToNote: the destination entity Note does not match the destination model"
    #expect(plan.status == 1 && plan.output.contains("warning: " + line), "\(plan.output)")
    // The file for the next two versions does not fit either, but nobody expects that.
    #expect(!plan.output.contains("Notes3ToNotes4"))
    try edit(#"<attribute name="folderName" optional="YES" attributeType="Date"/>"#)
    let refused = try migrate("--to", "Notes 3")
    #expect(refused.status == 2 && refused.errors.contains("cannot be inferred"))
    #expect(refused.errors.contains("warning: " + line), "\(refused.errors)")
  }
}
