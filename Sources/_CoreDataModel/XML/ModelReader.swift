// SPDX-License-Identifier: Apache-2.0

/// Creates a `ModelDraft` from the elements of a model file.
///
/// Unknown elements and attributes, such as the editor layout and additions of newer tools, are ignored. An
/// invalid value of a known attribute is an error.
enum ModelReader {
  static func draft(_ root: MarkupElement, file: String) throws -> ModelDraft {
    guard root.name == "model" else {
      throw ModelError(
        file: file,
        line: root.line,
        reason: "the root element is <\(root.name)>, not <model>"
      )
    }
    var draft = ModelDraft()
    draft.file = file
    // An empty identifier is kept, because stores created with such a model have the identifiers `[""]`.
    draft.versionIdentifiers = root["userDefinedModelVersionIdentifier"].map { [$0] } ?? []
    for element in root.children {
      switch element.name {
      case "entity": draft.entities.append(try entity(element))
      case "configuration":
        let name = try required("name", of: element, in: Location())
        draft.configurations[name] = try element.children(named: "memberEntity").map {
          guard let member = $0["name"], !member.isEmpty else {
            throw Location().error(
              "a <memberEntity> of the configuration “\(name)” has no name",
              at: $0
            )
          }
          return member
        }
      case "fetchRequest": draft.fetchRequestTemplates.append(try template(element))
      case "composite", "compositeAttribute":
        let location = Location(entity: try required("name", of: element, in: Location()))
        draft.composites[location.entity ?? ""] = try element.children(named: "attribute").map {
          try attribute($0, in: location)
        }
      default: break
      }
    }
    return draft
  }

  static func entity(_ element: MarkupElement) throws -> EntityDraft {
    let location = Location(entity: try required("name", of: element, in: Location()))
    var entity = EntityDraft(name: location.entity ?? "")
    entity.line = element.line
    entity.className = EntityDraft.className(element["representedClassName"])
    if entity.className == "NSManagedObject" { entity.className = nil }
    entity.isAbstract = try flag("isAbstract", of: element, in: location)
    entity.parent = element["parentEntity"]
    entity.versionHashModifier = element["versionHashModifier"]
    entity.renamingIdentifier = element["elementID"].flatMap { $0 == entity.name ? nil : $0 }
    entity.codeGeneration = try codeGeneration(element, in: location)
    entity.userInfo = try userInfo(element, in: location)
    for child in element.children {
      switch child.name {
      case "attribute", "relationship", "fetchedProperty":
        entity.properties.append(try property(child, in: location))
      case "fetchIndex": entity.fetchIndexes.append(try fetchIndex(child, in: location))
      case "uniquenessConstraints":
        entity.uniquenessConstraints += try child.children(named: "uniquenessConstraint").map {
          try values(of: $0, named: "constraint", in: location)
        }
      default: break
      }
    }
    try addOldIndexes(of: element, to: &entity, in: location)
    return entity
  }

  static func property(_ element: MarkupElement, in location: Location) throws -> PropertyDraft {
    switch element.name {
    case "relationship": try relationship(element, in: location)
    case "fetchedProperty": try fetchedProperty(element, in: location)
    default: try attribute(element, in: location)
    }
  }

  private static func codeGeneration(
    _ element: MarkupElement,
    in location: Location
  ) throws -> CodeGeneration? {
    guard let kind = element["codeGenerationType"], !kind.isEmpty else { return nil }
    guard let generation = CodeGeneration(rawValue: kind) else {
      throw location.error(
        "the codeGenerationType “\(kind)” is unknown; use class or category",
        at: element
      )
    }
    return generation
  }

  static func userInfo(_ element: MarkupElement, in location: Location) throws -> [String: String] {
    var entries: [String: String] = [:]
    for entry in element.children(named: "userInfo").flatMap({ $0.children(named: "entry") }) {
      entries[try required("key", of: entry, in: location)] = entry["value"] ?? ""
    }
    return entries
  }
}
