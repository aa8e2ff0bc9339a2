// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// A listing of a model, as rows or as text.
package struct ModelListing {
  private let model: ModelDefinition
  private let hashes: ModelHashes

  package init(_ model: ModelDefinition) {
    self.model = model
    hashes = ModelHashes(model: model)
  }

  // MARK: Rows

  /// The names of the columns of `rows`.
  package static let columns = [
    "entity", "property", "kind", "type", "optional", "transient", "default", "inverse",
    "deleteRule", "details",
  ]

  /// The name of the column that `rows(of:showsHashes:)` adds if `showsHashes` is true.
  package static let hashColumn = "hash"

  /// Returns a row for each property that an entity in `names` declares; nil selects all entities.
  ///
  /// If `showsHashes` is true, each row also contains the entity's version hash, and an entity that declares
  /// no properties has one row for its hash.
  package func rows(of names: Set<String>? = nil, showsHashes: Bool = false) -> [[Value]] {
    model.entities.filter { names?.contains($0.name) ?? true }.flatMap { entity -> [[Value]] in
      var rows = rows(of: entity)
      if !showsHashes { return rows }
      if rows.isEmpty {
        let nothing = [Value](repeating: .null, count: Self.columns.count - 1)
        rows = [[.text(entity.name)] + nothing]
      }
      let hash = hashes.byEntity[entity.name]?.base64EncodedString()
      return rows.map { $0 + [hash.map(Value.text) ?? .null] }
    }
  }

  private func rows(of entity: EntityDefinition) -> [[Value]] {
    Self.sorted(own(entity)).map { property in
      let relationship = property.relationship
      return [
        .text(entity.name), .text(property.name), .text(kind(property)),
        .text(TypeText.short(property, in: model)), .bool(property.isOptional),
        .bool(property.isTransient), property.attribute?.defaultValue ?? .null,
        inverse(of: property).map(Value.text) ?? .null,
        relationship.map { .text($0.deleteRule.modelFileName) } ?? .null,
        .text(details(property, of: entity).joined(separator: ", ")),
      ]
    }
  }

  private func own(_ entity: EntityDefinition) -> [PropertyDefinition] {
    entity.properties.filter { $0.declaringEntity == entity.index }
  }

  private static func sorted(_ properties: [PropertyDefinition]) -> [PropertyDefinition] {
    properties.filter { $0.relationship == nil } + properties.filter { $0.relationship != nil }
  }

  private func kind(_ property: PropertyDefinition) -> String {
    switch property.kind {
    case .attribute(let attribute): attribute.derivation == nil ? "attribute" : "derived"
    case .relationship(let relationship): relationship.isToMany ? "to-many" : "to-one"
    case .fetched: "fetched"
    }
  }

  private func inverse(of property: PropertyDefinition) -> String? {
    guard let relationship = property.relationship, let slot = relationship.inverse else {
      return nil
    }
    return model.entities[relationship.destination].properties[slot].name
  }

  private func details(_ property: PropertyDefinition, of entity: EntityDefinition) -> [String] {
    var details: [String] = []
    if let attribute = property.attribute {
      if let minimum = attribute.minimum { details.append("min \(CellText.line(minimum))") }
      if let maximum = attribute.maximum { details.append("max \(CellText.line(maximum))") }
      if let pattern = attribute.pattern { details.append("matches \(pattern)") }
      if let derivation = attribute.derivation { details.append("= \(derivation)") }
      if let name = attribute.valueTransformerName { details.append("transformer \(name)") }
      if let name = attribute.customClassName { details.append("class \(name)") }
      if attribute.allowsExternalStorage { details.append("external storage") }
      if attribute.preservesValueInHistory { details.append("kept in history") }
      if attribute.allowsCloudEncryption { details.append("encrypted in the cloud") }
    }
    if let relationship = property.relationship {
      if relationship.isOrdered { details.append("ordered") }
      if relationship.minCount > 0 { details.append("at least \(relationship.minCount)") }
      if relationship.maxCount > 1 { details.append("at most \(relationship.maxCount)") }
      if relationship.inverse == nil { details.append("no inverse") }
    }
    if case .fetched(let fetched) = property.kind, let format = fetched.predicateFormat {
      details.append(format)
    }
    if entity.ownUniquenessConstraints.contains([property.name]) { details.append("unique") }
    if let old = property.renamingIdentifier { details.append("was \(old)") }
    if let modifier = property.versionHashModifier { details.append("hash modifier \(modifier)") }
    return details
  }

  // MARK: Text

  /// Returns a listing of the entities in `names`, with their properties, constraints and indexes.
  ///
  /// If `names` is nil, the listing contains all entities, and also configurations, fetch requests and
  /// version identifiers. If `width` is not nil, the lines of properties are limited to `width` terminal
  /// columns. If `showsHashes` is true, the listing contains the version hash of each entity.
  package func text(
    of names: Set<String>? = nil,
    width: Int?,
    showsHashes: Bool = false
  ) -> String {
    var lines: [String] = []
    for entity in model.entities where names?.contains(entity.name) ?? true {
      if !lines.isEmpty { lines.append("") }
      lines += block(of: entity, width: width, showsHashes: showsHashes)
    }
    if names == nil { lines += modelLines }
    return lines.joined(separator: "\n") + "\n"
  }

  private func block(of entity: EntityDefinition, width: Int?, showsHashes: Bool) -> [String] {
    var head = entity.name
    if let parent = entity.parent { head += " : \(model.entities[parent].name)" }
    var remarks: [String] = []
    if entity.isAbstract { remarks.append("abstract") }
    if let name = entity.className, name != entity.name { remarks.append("class \(name)") }
    if let old = entity.renamingIdentifier { remarks.append("was \(old)") }
    if !remarks.isEmpty { head += "  (\(remarks.joined(separator: ", ")))" }
    var lines = [head]
    let rows = Self.sorted(own(entity)).map { property -> [Value] in
      var notes = details(property, of: entity)
      if property.isTransient { notes.insert("transient", at: 0) }
      if let value = property.attribute?.defaultValue, !value.isNull {
        notes.insert("default \(CellText.line(value))", at: 0)
      }
      if let relationship = property.relationship {
        if let inverse = inverse(of: property) { notes.insert("inverse \(inverse)", at: 0) }
        if relationship.deleteRule != .nullify {
          notes.append("delete rule \(relationship.deleteRule.modelFileName)")
        }
      }
      return [
        .text(property.name), .text(TypeText.short(property, in: model)),
        .text(notes.joined(separator: ", ")),
      ]
    }
    let table = TextTable(columns: ["", "", ""], sample: rows, width: width.map { $0 - 2 })
    lines += rows.map { "  " + table.line($0) }
    for names in entity.ownUniquenessConstraints where names.count > 1 {
      lines.append("  unique: \(names.joined(separator: ", "))")
    }
    for index in entity.fetchIndexes {
      let elements = index.elements.map { element in
        element.property + (element.isAscending ? "" : " descending")
          + (element.isRTree ? " (R-tree)" : "")
      }
      let condition = index.partialPredicate.map { " where \($0)" } ?? ""
      lines.append("  index \(index.name): \(elements.joined(separator: ", "))\(condition)")
    }
    if showsHashes, let hash = hashes.byEntity[entity.name] {
      let doubt = hashes.unverifiable.contains(entity.name) ? " (not verified)" : ""
      lines.append("  hash \(hash.base64EncodedString())\(doubt)")
    }
    return lines
  }

  private var modelLines: [String] {
    var lines: [String] = []
    for (name, members) in model.configurations.sorted(by: { utf8Less($0.key, $1.key) }) {
      let names = members.map { model.entities[$0].name }.joined(separator: ", ")
      lines.append("configuration \(name): \(names)")
    }
    for template in model.fetchRequestTemplates.sorted(by: { utf8Less($0.name, $1.name) }) {
      let condition = template.predicateFormat.map { " where \($0)" } ?? ""
      lines.append("fetch request \(template.name): \(template.entity)\(condition)")
    }
    let named = model.versionIdentifiers.filter { !$0.isEmpty }
    if !named.isEmpty { lines.append("version identifiers: \(named.joined(separator: ", "))") }
    return lines.isEmpty ? [] : [""] + lines
  }
}
