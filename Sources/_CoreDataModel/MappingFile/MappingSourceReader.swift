// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads the source form of mapping models, which Xcode writes as an XML store of objects.
///
/// The source form omits version hashes and some names and expressions; this reader adds them, as Apple's
/// compiler does. The file contains both models, as they were when the editor last read them. A property
/// mapping that has neither an expression nor a source key path is left out if the source entity does not
/// have the property.
struct MappingSourceReader {
  let predicates: any ArchivedPredicates
  private var objects: [String: Item] = [:]
  private var source: Side?
  private var destination: Side?

  private struct Side {
    let draft: ModelDraft
    let model: ModelDefinition
    let hashes: [String: Data]
  }

  private struct Item {
    let type: String
    var values: [String: String] = [:]
    var references: [String: [String]] = [:]
  }

  init(predicates: any ArchivedPredicates) { self.predicates = predicates }

  mutating func draft(_ root: MarkupElement) throws -> MappingDraft {
    guard root.name == "database" else {
      throw ModelError(
        line: root.line,
        reason:
          "the file is not a mapping model: its root element is <\(root.name)>, not <database>"
      )
    }
    var order: [String] = []
    for element in root.children(named: "object") {
      guard let id = element["id"], let type = element["type"] else { continue }
      var item = Item(type: type)
      for value in element.children(named: "attribute") {
        if let name = value["name"] { item.values[name] = value.text }
      }
      for reference in element.children(named: "relationship") {
        guard let name = reference["name"] else { continue }
        item.references[name] = (reference["idrefs"] ?? "").split(separator: " ").map(String.init)
      }
      if objects.updateValue(item, forKey: id) == nil { order.append(id) }
    }
    let mappings = order.compactMap { objects[$0] }.filter { $0.type == "XDDEVENTITYMAPPING" }
    if mappings.isEmpty, !objects.values.contains(where: { $0.type == "XDDEVMAPPINGMODEL" }) {
      throw ModelError(
        line: root.line,
        reason: "the file is not a mapping model: it has no object of the type XDDEVMAPPINGMODEL"
      )
    }
    let sorted = mappings.sorted { number($0) < number($1) }
    let models = order.compactMap { objects[$0] }.first { $0.type == "XDDEVMAPPINGMODEL" }
    source = try side(models, "source")
    destination = try side(models, "destination")
    var draft = MappingDraft()
    draft.sourceModel = source?.draft
    draft.destinationModel = destination?.draft
    draft.entities = try sorted.map(entity)
    return draft
  }

  private func side(_ item: Item?, _ name: String) throws -> Side? {
    guard let text = item?.values["\(name)modeldata"], !text.isEmpty else { return nil }
    do {
      guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else {
        throw ModelError(reason: "its data is not valid Base64")
      }
      let draft = try EditorModelReader.draft(data)
      let model = try ModelDefinition(draft)
      return Side(draft: draft, model: model, hashes: ModelHashes(model: model).byEntity)
    } catch let error as ModelError {
      throw ModelError(
        reason:
          "the \(name) model in the file cannot be read: \(error.explanation). Refresh the data models in "
          + "Xcode's mapping model editor"
      )
    }
  }

  private func number(_ item: Item) -> Int { item.values["mappingnumber"].flatMap { Int($0) } ?? 0 }

  private func entity(_ item: Item) throws -> EntityMappingDraft {
    let source = text(item, "sourcename")
    let destination = text(item, "destinationname")
    var draft = EntityMappingDraft(name: text(item, "name") ?? Self.name(source, destination))
    draft.source = source
    draft.destination = destination
    draft.sourceHash = source.flatMap { self.source?.hashes[$0] }
    draft.destinationHash = destination.flatMap { self.destination?.hashes[$0] }
    draft.policyClassName = text(item, "migrationpolicyclassname")
    draft.type =
      switch (source, destination, draft.policyClassName) {
      case (_, _, _?): 1
      case (nil, _, nil): 2
      case (_, nil, nil): 3
      default: 5
      }
    if let source {
      let filter = text(item, "sourcefilterpredicatestring") ?? "TRUEPREDICATE"
      draft.sourceExpression =
        "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", "
        + "\(Self.quoted(source)), \(Self.quoted(filter))), $manager.sourceContext, NO)"
    }
    for part in parts(item, "attributemappings") {
      guard let name = text(part, "name") else { continue }
      let own = try expression(part, of: draft.name, property: name)
      if own == nil, !has(name, source, { $0.attribute != nil }) { continue }
      draft.attributes.append(
        PropertyMappingDraft(name: name, expression: own ?? source.map { _ in "$source.\(name)" })
      )
    }
    for part in parts(item, "relationshipmappings") {
      guard let name = text(part, "name") else { continue }
      let own = try expression(part, of: draft.name, property: name)
      let isPlain = own == nil && text(part, "sourcekeypath") == nil
      if isPlain, !has(name, source, { $0.relationship != nil }) { continue }
      let expression = own ?? source.map { _ in generatedRelationship(part, name) }
      draft.relationships.append(PropertyMappingDraft(name: name, expression: expression))
    }
    draft.attributes.sort { utf8Less($0.name, $1.name) }
    draft.relationships.sort { utf8Less($0.name, $1.name) }
    return draft
  }

  private func parts(_ item: Item, _ name: String) -> [Item] {
    (item.references[name] ?? []).compactMap { objects[$0] }
  }

  /// Whether the source entity has the property `name` and `isOfKind` returns true for that property.
  ///
  /// Also true if the mapping has no source entity or the file does not contain the source model, because the
  /// property cannot be checked.
  private func has(
    _ name: String,
    _ entity: String?,
    _ isOfKind: (PropertyDefinition) -> Bool
  ) -> Bool {
    guard let entity, let model = source?.model else { return true }
    return model.entity(named: entity)?.property(named: name).map(isOfKind) ?? false
  }

  private func text(_ item: Item, _ key: String) -> String? {
    item.values[key].flatMap { $0.isEmpty ? nil : $0 }
  }

  private func expression(
    _ item: Item,
    of mapping: String,
    property: String
  ) throws -> String? {
    guard let text = text(item, "valueexpressiondata") else { return nil }
    guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else {
      throw ModelError(
        entity: mapping,
        property: property,
        reason: "the value expression is not valid Base64"
      )
    }
    do {
      let archive = try KeyedArchive(data)
      return try predicates.expression(archive.root, in: archive)
    } catch {
      let reason = (error as? ModelError)?.reason ?? "\(error)"
      throw ModelError(
        entity: mapping,
        property: property,
        reason: "the value expression cannot be read: \(reason)"
      )
    }
  }

  private func generatedRelationship(_ item: Item, _ name: String) -> String {
    if let mapping = text(item, "sourcemappingname") {
      let path = text(item, "sourcekeypath").map { $0.hasPrefix("$") ? $0 : "$source.\($0)" }
      let objects = path ?? "$source.\(name)"
      return "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", "
        + "\(Self.quoted(mapping)), \(objects))"
    }
    return
      "FUNCTION($manager, \"destinationInstancesForSourceRelationshipNamed:sourceInstances:\", "
      + "\(Self.quoted(name)), $source.\(name))"
  }

  private static func name(_ source: String?, _ destination: String?) -> String {
    switch (source, destination) {
    case (let source?, let destination?): source + "To" + destination
    default: destination ?? source ?? ""
    }
  }

  private static func quoted(_ text: String) -> String {
    "\""
      + text.replacingOccurrences(of: "\\", with: "\\\\")
      .replacingOccurrences(of: "\"", with: "\\\"") + "\""
  }
}
