// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataGraph
import _CoreDataModel

@Suite("Rows of a context")
struct ContextRowsTests {
  private let model: ModelDefinition

  init() throws {
    var book = EntityDraft(name: "Book")
    book.properties = [
      PropertyDraft(
        name: "title",
        kind: .attribute(AttributeDefinition(type: .string, defaultValue: .text("untitled")))
      )
    ]
    var draft = ModelDraft()
    draft.entities = [book, EntityDraft(name: "Tag")]
    model = try ModelDefinition(draft)
  }

  @Test("A new row has the default values, and writing it changes no other row")
  func defaults() {
    var rows = ContextRows(model: model)
    let first = rows.newRow(entity: 0)
    let second = rows.newRow(entity: 0)
    first.chunk.setText(first.row, 0, "a")
    #expect(first.chunk.text(first.row, 0) == "a")
    #expect(second.chunk.text(second.row, 0) == "untitled")
    #expect(rows.newRow(entity: 0).chunk.text(0, 0) == "a")
  }

  @Test("A copy has the values and the version of its source, and is a row of its own")
  func copy() {
    var rows = ContextRows(model: model)
    let source = rows.newRow(entity: 0)
    source.chunk.setVersion(source.row, 7)
    let copy = rows.copy(of: source.chunk, row: source.row, entity: 0)
    source.chunk.setText(source.row, 0, "a longer text than the one before")
    #expect(copy.chunk.text(copy.row, 0) == "untitled")
    #expect(copy.chunk.version(copy.row) == 7)
  }

  @Test("Chunks grow with the number of rows and are shared by rows of one entity alone")
  func chunks() {
    var rows = ContextRows(model: model)
    var chunks: [ObjectIdentifier: RowChunk] = [:]
    for _ in 0..<2000 {
      let chunk = rows.newRow(entity: 0).chunk
      chunks[ObjectIdentifier(chunk)] = chunk
    }
    #expect(chunks.values.map(\.capacity).sorted() == [16, 64, 256, 512, 512, 512, 512])
    let other = rows.newRow(entity: 1).chunk
    #expect(chunks[ObjectIdentifier(other)] == nil)
  }

  @Test("The chunk of faults is remembered by entity until it is forgotten")
  func faults() {
    var rows = ContextRows(model: model)
    #expect(rows.chunkForFault(entity: 1) == nil)
    let chunk = RowChunk(layout: model.entities[1].rowLayout, capacity: 4)
    rows.setChunkForFault(chunk, entity: 1)
    #expect(rows.chunkForFault(entity: 1) === chunk && rows.chunkForFault(entity: 0) == nil)
    rows.discardOpenChunks()
    #expect(rows.chunkForFault(entity: 1) == nil)
  }
}
