// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataModel
import _CoreDataSQL
import _CoreDataSQLite

/// The update statements that a store keeps between its saves.
@Suite("Kept update statements")
struct UpdateStatementsTests {
  private let layout: Layout

  init() throws { layout = try StoreFixture(Models.league).store.layout }

  private func shape(_ slots: UInt64, checksVersion: Bool = true) -> UpdateStatements.Shape {
    UpdateStatements.Shape(
      entity: 0,
      slots: SlotSet(bits: slots, rest: []),
      checksVersion: checksVersion
    )
  }

  @Test("The same properties of an entity share a statement")
  func sharing() {
    let statements = UpdateStatements()
    let first = statements.statement(shape(1), in: layout)
    #expect(statements.statement(shape(1), in: layout).statement.text == first.statement.text)
    #expect(statements.count == 1)
    let unchecked = statements.statement(shape(1, checksVersion: false), in: layout)
    #expect(unchecked.statement.text != first.statement.text)
    #expect(statements.count == 2)
  }

  @Test("The table is emptied when it is full, and gives the same statements afterwards")
  func limit() throws {
    let statements = UpdateStatements()
    let first = statements.statement(shape(1), in: layout).statement
    var shapes: [UpdateStatements.Shape] = []
    for checksVersion in [true, false] {
      for (entity, definition) in layout.model.entities.enumerated() {
        for bits in 1..<UInt64(1) << UInt64(definition.properties.count) {
          shapes.append(
            UpdateStatements.Shape(
              entity: entity,
              slots: SlotSet(bits: bits, rest: []),
              checksVersion: checksVersion
            )
          )
        }
      }
    }
    try #require(shapes.count > UpdateStatements.limit)
    #expect(shapes[0] == shape(1))
    for (index, shape) in shapes[..<UpdateStatements.limit].enumerated() {
      _ = statements.statement(shape, in: layout)
      #expect(statements.count == index + 1)
    }
    _ = statements.statement(shapes[UpdateStatements.limit], in: layout)
    #expect(statements.count == 1)
    #expect(statements.statement(shape(1), in: layout).statement == first)
  }
}
