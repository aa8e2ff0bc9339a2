// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataSQL

extension StoreFile {
  /// Returns the number of objects of each entity of `model`, which must be the model of the file.
  ///
  /// The counts are in the order of the model's entities. The count of an entity does not include objects of
  /// its subentities.
  ///
  /// - Throws: `StoreError`.
  /// - Complexity: reads each table once for each of its entities.
  package func objectCounts(_ model: ModelDefinition) throws -> [Int] {
    let schema = try schema()
    let layout = try Layout(
      model: model,
      stored: schema,
      entities: Set(model.entities.map(\.name)).intersection(schema.numbers.keys)
    )
    return try model.entities.map { entity in
      let place = layout.entities[entity.index]
      guard schema.columns[place.table] != nil, schema.numbers[entity.name] != nil else { return 0 }
      let text = "SELECT COUNT(*) FROM \(place.table) WHERE Z_ENT = \(place.number)"
      return Int(try integer(text) ?? 0)
    }
  }
}
