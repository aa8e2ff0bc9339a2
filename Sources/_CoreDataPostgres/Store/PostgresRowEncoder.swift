// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQL
import _CoreDataStore

/// Appends the values of a row to the parameters of a statement, or to a row of COPY.
struct PostgresRowEncoder {
  let layout: Layout
  let path: String
  /// Temporary key → permanent key, of the new objects of a save.
  var permanent: [UInt64: ObjectKey] = [:]

  /// Returns the permanent key for a temporary key; returns a permanent key unchanged.
  ///
  /// - Throws: `StoreError.invalidRequest` for the temporary key of an object that the save does not insert.
  func resolved(_ key: ObjectKey) throws -> ObjectKey {
    if !key.isTemporary { return key }
    if let found = permanent[key.raw] { return found }
    throw StoreError(
      .invalidRequest,
      "a relationship refers to a new \(layout.model.entities[key.entity].name) object that is not part of the "
        + "save; save both objects together",
      path: path,
      keys: [key]
    )
  }

  /// Appends the values.
  ///
  /// - Throws: as `append(_:of:_:key:to:)` for one step.
  func append(
    _ steps: [PostgresStatements.Step],
    of chunk: RowChunk,
    _ row: Int,
    key: ObjectKey,
    to fields: inout PostgresFields
  ) throws {
    for step in steps { try append(step, of: chunk, row, key: key, to: &fields) }
  }

  /// Appends the value of one column.
  ///
  /// - Throws: `StoreError.invalidRequest` for a text with a zero byte, which PostgreSQL cannot hold, and as
  ///   `resolved(_:)`.
  func append(
    _ step: PostgresStatements.Step,
    of chunk: RowChunk,
    _ row: Int,
    key: ObjectKey,
    to fields: inout PostgresFields
  ) throws {
    if chunk.isNull(row, step.slot) { return fields.appendNull(step.type) }
    switch step.role {
    case .value: try appendValue(step, of: chunk, row, key: key, to: &fields)
    case .part(let index):
      let record = CompositeRecord.values(Data(chunk.bytes(row, step.slot)))
      try append(index < record.count ? record[index] : .null, step, key: key, to: &fields)
    case .reference: fields.append(try resolved(chunk.key(row, step.slot)).number)
    case .entityNumber:
      let entity = try resolved(chunk.key(row, step.slot)).entity
      fields.append(entity: Int32(truncatingIfNeeded: layout.entities[entity].number))
    }
  }

  private func appendValue(
    _ step: PostgresStatements.Step,
    of chunk: RowChunk,
    _ row: Int,
    key: ObjectKey,
    to fields: inout PostgresFields
  ) throws {
    switch step.kind {
    case .integer: fields.append(chunk.integer(row, step.slot))
    case .boolean: fields.append(chunk.integer(row, step.slot) != 0)
    case .double, .date:
      // NaN is null in a store, as in SQLite; the server would order it above all numbers.
      let number = chunk.double(row, step.slot)
      if number.isNaN { fields.appendNull(step.type) } else { fields.append(number) }
    case .text where step.function != nil:
      let value = try step.function?.value(of: chunk.value(row, step.slot)) ?? .null
      guard case .text(let text) = value else { return fields.appendNull(step.type) }
      if text.utf8.contains(0) { throw zeroByte(step.slot, key) }
      fields.append(text)
    case .text, .url:
      let bytes = chunk.bytes(row, step.slot)
      if bytes.hasZeroByte { throw zeroByte(step.slot, key) }
      fields.append(bytes, as: PostgresType.text)
    case .decimal:
      guard case .decimal(let number) = chunk.value(row, step.slot) else {
        return fields.appendNull(step.type)
      }
      fields.append(number)
    case .uuid: fields.append(chunk.bytes(row, step.slot), as: PostgresType.uuid)
    case .data, .opaque: fields.append(chunk.bytes(row, step.slot), as: PostgresType.bytea)
    case .reference, .none: fields.appendNull(step.type)
    }
  }

  private func append(
    _ value: Value,
    _ step: PostgresStatements.Step,
    key: ObjectKey,
    to fields: inout PostgresFields
  ) throws {
    let (chunk, row) = RowChunk.single(RowLayout(kinds: [step.kind]))
    guard !value.isNull, chunk.setValue(row, 0, value) else { return fields.appendNull(step.type) }
    if step.kind == .text || step.kind == .url, chunk.bytes(row, 0).hasZeroByte {
      throw zeroByte(step.slot, key)
    }
    let single = PostgresStatements.Step(role: .value, kind: step.kind, slot: 0, type: step.type)
    try appendValue(single, of: chunk, row, key: key, to: &fields)
  }

  private func zeroByte(_ slot: Int, _ key: ObjectKey) -> StoreError {
    let entity = layout.model.entities[key.entity]
    return StoreError(
      .invalidRequest,
      "the text of \(entity.name).\(entity.properties[slot].name) contains a zero byte, which a PostgreSQL "
        + "database cannot hold; remove the byte, or make the attribute binary data",
      path: path,
      keys: [key]
    )
  }
}

extension UnsafeRawBufferPointer {
  fileprivate var hasZeroByte: Bool {
    guard let baseAddress else { return false }
    return memchr(baseAddress, 0, count) != nil
  }
}
#endif
