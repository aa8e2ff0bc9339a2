// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataStore

/// The rows of a batch insert request, produced one block at a time.
final class InsertedRows {
  private enum Source {
    case dictionaries([[String: Any]])
    case dictionaryHandler((NSMutableDictionary) -> Bool)
    case objectHandler((NSManagedObject) -> Bool)
  }
  private let source: Source
  private let entity: EntityDefinition
  private let model: FrozenModel
  /// Whether each block lists, for each row, the slots with given values (`BatchInsert.Block.named`).
  private let reportsNamedSlots: Bool
  /// The slots that are checked for null; empty if only the store can check the rows.
  private let mandatory: [Int]
  private let defaults: RowChunk
  private var filler: RowFiller
  private var position = 0
  /// The number of rows in the preceding blocks.
  private var produced = 0
  private var isDone = false
  private var arenaSize = 0
  private var scratch: NSManagedObject?

  private static let blockSize = 512

  init(
    _ request: NSBatchInsertRequest,
    entity: EntityDefinition,
    model: FrozenModel,
    reportsNamedSlots: Bool
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
    self.reportsNamedSlots = reportsNamedSlots
    // If a new row overwrites a stored row, slots that the new row does not set keep their stored values.
    // Only the store knows these values, so only the store can check such rows.
    mandatory = reportsNamedSlots ? [] : BatchInsert.mandatorySlots(of: entity)
    defaults = DetachedRow.make(entity)
    filler = RowFiller(entity, reportsNamedSlots: reportsNamedSlots)
  }

  /// Returns the next block, or nil after the last one.
  ///
  /// - Throws: `NSCoreDataError` (134060) if a value cannot be converted to its attribute's type, or if a row
  ///   sets a relationship; `NSValidationMissingMandatoryPropertyError` (1570) if a row has no value for a
  ///   mandatory attribute, unless only the store can check the rows.
  func next() throws -> BatchInsert.Block? {
    if isDone { return nil }
    let chunk = RowChunk(
      layout: entity.rowLayout,
      capacity: Self.blockSize,
      arenaCapacity: arenaSize
    )
    var named: [SlotSet] = []
    var count = 0
    filler.firstRow = produced
    while !chunk.isFull {
      let row = chunk.appendCopy(of: defaults, row: 0)
      guard let slots = try fill(chunk, row) else {
        isDone = true
        break
      }
      for slot in mandatory where chunk.isNull(row, slot) { throw missing(slot, row) }
      if reportsNamedSlots { named.append(slots) }
      count += 1
    }
    produced += count
    arenaSize = chunk.arenaUsed + chunk.arenaUsed / 8
    return count > 0 ? BatchInsert.Block(chunk: chunk, count: count, named: named) : nil
  }

  private func missing(_ slot: Int, _ row: Int) -> NSError {
    let property = entity.properties[slot]
    let error = ValidationErrors.make(
      NSValidationMissingMandatoryPropertyError,
      object: nil,
      property: property,
      value: nil
    )
    return coreDataError(
      error.code,
      error.localizedDescription,
      "The row at index \(produced + row) of the batch insert has no value for "
        + "\(entity.name).\(property.name), which is mandatory. Give the row a value for this attribute, "
        + "or give the attribute a default value in the model.",
      userInfo: error.userInfo
    )
  }

  /// Fills a row from the source.
  ///
  /// - Returns: the slots that the source sets, or an empty set if `reportsNamedSlots` is false; nil after
  ///   the last row.
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

  /// Calls the handler with an object whose values are stored directly in the row, so that no values are
  /// copied.
  ///
  /// - Returns: the slots whose values differ from the default values, or an empty set if `reportsNamedSlots`
  ///   is false; nil after the last row.
  private func fill(
    _ chunk: RowChunk,
    _ row: Int,
    by handler: (NSManagedObject) -> Bool
  ) throws -> SlotSet? {
    let object = scratch ?? makeScratch()
    scratch = object
    object.point(at: chunk, row: row)
    if handler(object) { return nil }
    if let detail = object.detail {
      for (slot, _) in detail.objects where entity.properties[slot].relationship != nil {
        throw RowFiller.relationshipError(entity.properties[slot], of: entity)
      }
      for (slot, value) in detail.objects
      where Transformable.missing(entity.properties[slot]) != nil {
        throw AttributeWriting.unfit(
          value,
          entity.properties[slot],
          of: entity,
          row: produced + row
        )
      }
      object.detail = nil
    }
    guard reportsNamedSlots else { return SlotSet() }
    return SlotSet(entity.storedSlots.filter { !chunk.slotEquals(row, $0, of: defaults, row: 0) })
  }

  private func makeScratch() -> NSManagedObject {
    model.managedObjectClass(at: entity.index)
      .init(entity: model.entities[entity.index], insertInto: nil)
  }
}
