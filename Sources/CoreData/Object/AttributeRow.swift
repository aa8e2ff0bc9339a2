// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Writes the value of an attribute, in the form of Apple's API, into a row that belongs to no object.
enum AttributeRow {
  /// Writes the value, and returns true; returns false without writing if the attribute cannot have the value.
  ///
  /// The object of a transformable attribute is archived; data of such an attribute is archived as well,
  /// because it can itself be the object.
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
    // A composite without elements is nil.
    if data.isEmpty, property.attribute?.type == .composite { return true }
    return chunk.setValue(row, property.slot, .data(data))
  }
}
