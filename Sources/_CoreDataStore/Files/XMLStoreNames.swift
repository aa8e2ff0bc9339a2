// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The names of entities and properties in XML stores.
///
/// Apple's framework writes the names of entities in upper case and those of properties in lower case. Names
/// that differ only in case are written unchanged, because it is unknown how Apple's framework writes them.
/// Source: observed, sqlite-format.md “XML store”.
struct XMLStoreNames {
  /// The names of the entities, by index.
  let entities: [String]
  /// The names of the properties, by entity index and slot.
  let properties: [[String]]
  private let entityByName: [String: Int]
  private let slotByName: [[String: Int]]

  init(_ model: ModelDefinition) {
    self.init(
      entities: Self.unambiguous(model.entities.map(\.name)) { $0.uppercased() },
      properties: model.entities.map { entity in
        Self.unambiguous(entity.properties.map(\.name)) { $0.lowercased() }
      }
    )
  }

  private init(entities: [String], properties: [[String]]) {
    self.entities = entities
    self.properties = properties
    entityByName = Self.indexes(entities)
    slotByName = properties.map(Self.indexes)
  }

  private static func unambiguous(
    _ names: [String],
    _ converted: (String) -> String
  ) -> [String] {
    let groups = Dictionary(grouping: names, by: converted)
    return names.map { name in
      groups[converted(name)]?.count == 1 ? converted(name) : name
    }
  }

  private static func indexes(_ names: [String]) -> [String: Int] {
    Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
  }

  /// The names, escaped for attribute values of an XML document.
  var escaped: XMLStoreNames {
    XMLStoreNames(
      entities: entities.map(MarkupText.escaped),
      properties: properties.map { $0.map(MarkupText.escaped) }
    )
  }

  func entity(_ name: String) -> Int? { entityByName[name] }
  func slot(_ name: String, in entity: Int) -> Int? { slotByName[entity][name] }
}
