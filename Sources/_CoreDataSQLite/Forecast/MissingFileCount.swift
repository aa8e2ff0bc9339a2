// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataSQL

/// Counts the values in a store that refer to missing files in its folder of external storage.
struct MissingFileCount {
  typealias Note = MigrationForecast.Note

  private let mapping: ModelMapping
  private let layout: Layout
  private let schema: StoredSchema
  private let file: StoreFile
  private static let exampleLimit = 3
  /// The length of a value that names a file: a tag, a UUID and a zero byte.
  private static let referenceLength = 38

  /// Creates a count of the values in `file`, which has the source model of `plan`.
  ///
  /// - Throws: `StoreError` if the schema of the file cannot be read.
  init(_ plan: MigrationPlan, _ file: StoreFile) throws {
    mapping = plan.mapping
    layout = plan.source
    schema = try file.schema()
    self.file = file
  }

  /// Returns a warning for each attribute of the old model with values that refer to missing files.
  ///
  /// - Throws: `StoreError`.
  /// - Complexity: reads a table once for each of its attributes that allow external storage.
  func notes() throws -> [Note] {
    let values = ValueFolder(store: file.path)
    return try mapping.source.entities.flatMap { entity in
      try entity.properties.compactMap { property in
        guard property.declaringEntity == entity.index,
          let column = layout.entities[entity.index].column(property.slot), column.isTagged
        else { return nil }
        return try note(of: property, column, in: entity, values)
      }
    }
  }

  private func note(
    of property: PropertyDefinition,
    _ column: PropertyColumn,
    in entity: EntityDefinition,
    _ values: ValueFolder
  ) throws -> Note? {
    let place = layout.entities[entity.index]
    guard schema.columns[place.table]?.contains(column.name) == true else { return nil }
    let numbers = entity.family.map { String(layout.entities[$0].number) }
    var count = 0
    var examples: [String] = []
    try file.forEach(
      "SELECT Z_PK, Z_ENT, \(column.name) FROM \(place.table) "
        + "WHERE length(\(column.name)) = \(Self.referenceLength) "
        + "AND substr(\(column.name), 1, 1) = x'02' AND Z_ENT IN (\(numbers.joined(separator: ", ")))"
    ) { row in
      guard case .blob(let data) = row[2],
        let name = data.withUnsafeBytes(ExternalData.fileName), values.size(name) == nil
      else { return }
      count += 1
      if examples.count == Self.exampleLimit { return }
      let owner = layout.entityByNumber[row[1].whole].map { mapping.source.entities[$0].name }
      examples.append("\(owner ?? entity.name)/p\(row[0].whole): \(name)")
    }
    if count == 0 { return nil }
    return Note(
      kind: .warning,
      place: "\(entity.name).\(property.name)",
      text:
        "\(CellText.count(count, "value")) \(count == 1 ? "is" : "are") already lost, because of missing "
        + "files in the folder of external storage",
      count: count,
      examples: examples
    )
  }
}
