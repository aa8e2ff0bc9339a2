// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The rows of objects that are not in a context.
enum DetachedRow {
  static func make(_ entity: EntityDefinition) -> RowChunk {
    let (chunk, row) = RowChunk.single(entity.rowLayout)
    for property in entity.properties {
      guard let value = property.attribute?.defaultValue else { continue }
      if case .opaque(let object) = value {
        if property.isTransient { continue }
        let data = Transformable.data(from: object, property)
        chunk.setValue(row, property.slot, data.map(Value.data) ?? .null)
      } else {
        chunk.setValue(row, property.slot, value)
      }
    }
    return chunk
  }
}
