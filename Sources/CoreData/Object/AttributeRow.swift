// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Writes an attribute's value, in the type that programs use, into a row that does not belong to an object.
enum AttributeRow {
  /// Writes the value, and returns true; returns false without writing if the attribute cannot have the
  /// value.
  ///
  /// The value of a transformable attribute is archived. This includes `Data`, because a transformable
  /// attribute can have a `Data` object as its value.
  static func write(
    _ value: Any,
    _ property: PropertyDefinition,
    to chunk: RowChunk,
    _ row: Int
  ) -> Bool {
    guard chunk.layout.kinds[property.slot] == .opaque else {
      return chunk.setValue(row, property.slot, Value(any: value))
    }
    guard let data = Transformable.data(from: value, property) else { return false }
    // A composite value without elements is stored as nil.
    if data.isEmpty, property.attribute?.type == .composite { return true }
    return chunk.setValue(row, property.slot, .data(data))
  }
}
