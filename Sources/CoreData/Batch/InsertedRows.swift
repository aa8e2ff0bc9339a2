// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataStore

/// The rows of a batch insert request, a block at a time.
final class InsertedRows {
  private enum Source {
    case dictionaries([[String: Any]])
    case dictionaryHandler((NSMutableDictionary) -> Bool)
    case objectHandler((NSManagedObject) -> Bool)
  }
  private let source: Source
  private let entity: EntityDefinition
  private let model: FrozenModel
  /// Whether each row has to say which slots it names.
  private let tellsNames: Bool
  /// Slots that no row may leave nil; empty where the store looks at the rows itself.
  private let mandatory: [Int]
  /// One row of the model's default values.
  private let defaults: RowChunk
  private var filler: RowFiller
  private var position = 0
  private var isDone = false
  private var arenaSize = 0
  private var scratch: NSManagedObject?

  /// Rows in a block: a multiple of what one statement takes.
  private static let blockSize = 512

  init(
    _ request: NSBatchInsertRequest,
    entity: EntityDefinition,
    model: FrozenModel,
    tellsNames: Bool
  ) {
    if let handler = request.managedObjectHandler {
      source = .objectHandler(handler)
    } else if let handler = request.dictionaryHandler {
      source = .dictionaryHandler(handler)
    } else {
      source = .dictionaries(request.objectsToInsert ?? [])
    }
    self.entity = entity
    self.model = model
    self.tellsNames = tellsNames
    // A row that meets a stored one need not name what that has, so the store checks the new ones.
    mandatory = tellsNames ? [] : BatchInsert.mandatorySlots(of: entity)
    defaults = DetachedRow.make(entity)
    filler = RowFiller(entity, tellsNames: tellsNames)
  }

  /// The next block; nil after the last.
  ///
  /// - Throws: 134060 for a value of another type, and for a relationship; 1570 for a row without a
  ///   mandatory value.
  func next() throws -> BatchInsert.Block? {
    if isDone { return nil }
    let chunk = RowChunk(
      layout: entity.rowLayout,
      capacity: Self.blockSize,
      arenaCapacity: arenaSize
    )
    var named: [SlotSet] = []
    var count = 0
    while !chunk.isFull {
      let row = chunk.appendCopy(of: defaults, row: 0)
      guard let slots = try fill(chunk, row) else {
        isDone = true
        break
      }
      for slot in mandatory where chunk.isNull(row, slot) { throw missing(slot) }
      if tellsNames { named.append(slots) }
      count += 1
    }
    arenaSize = chunk.arenaUsed + chunk.arenaUsed / 8
    return count > 0 ? BatchInsert.Block(chunk: chunk, count: count, named: named) : nil
  }

  private func missing(_ slot: Int) -> NSError {
    ValidationErrors.make(
      NSValidationMissingMandatoryPropertyError,
      object: nil,
      property: entity.properties[slot],
      value: nil
    )
  }

  /// The slots that the row names, where they are asked for; nil where there is no further row.
  private func fill(_ chunk: RowChunk, _ row: Int) throws -> SlotSet? {
    switch source {
    case .dictionaries(let dictionaries):
      guard position < dictionaries.count else { return nil }
      position += 1
      return try filler.fill(chunk, row, from: dictionaries[position - 1])
    case .dictionaryHandler(let handler):
      let dictionary = NSMutableDictionary()
      if handler(dictionary) { return nil }
      return try filler.fill(chunk, row, from: dictionary)
    case .objectHandler(let handler): return try fill(chunk, row, by: handler)
    }
  }

  /// The handler's object stands at the row itself, so that nothing has to be copied.
  private func fill(
    _ chunk: RowChunk,
    _ row: Int,
    by handler: (NSManagedObject) -> Bool
  ) throws -> SlotSet? {
    let object = scratch ?? makeScratch()
    scratch = object
    object.place(at: chunk, row: row)
    if handler(object) { return nil }
    if let detail = object.detail {
      for (slot, _) in detail.objects where entity.properties[slot].relationship != nil {
        throw RowFiller.refusal(entity.properties[slot], of: entity)
      }
      for (slot, value) in detail.objects
      where Transformable.missing(entity.properties[slot]) != nil {
        throw AttributeWriting.misfit(value, entity.properties[slot], of: entity)
      }
      object.detail = nil
    }
    guard tellsNames else { return SlotSet() }
    return SlotSet(entity.storedSlots.filter { !chunk.slotEquals(row, $0, defaults, 0) })
  }

  private func makeScratch() -> NSManagedObject {
    model.managedObjectClass(at: entity.index)
      .init(entity: model.entities[entity.index], insertInto: nil)
  }
}
